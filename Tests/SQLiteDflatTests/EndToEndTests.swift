import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Objects are stored, found, changed and deleted")
struct EndToEndTests {
  @Test("A fetch returns a stored object with all its values and its row number")
  func anObjectComesBackAsItWasStored() throws {
    let store = try TestStore()
    let post = Post(
      title: "first", color: .blue, tag: "news", priority: -7, content: .imageContent(ImageContent(images: ["a", ""])))
    store.perform([Post.self]) { context in
      let result = context.try(submit: PostChangeRequest.creationRequest(post))
      guard case .inserted(let object) = result else {
        Issue.record("\(String(describing: result))")
        return
      }
      #expect(object == post)
      #expect(object._rowid == 1)
    }
    let fetched = store.workspace.fetch(for: Post.self).where(Post.title == "first")
    #expect(Array(fetched) == [post])
    #expect(fetched.first?._rowid == 1)
    #expect(store.errors.values.isEmpty)
  }

  @Test("A transaction updates and deletes objects, and its own fetches see its changes")
  func anObjectIsUpdatedAndDeleted() throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for index in 0..<10 {
        let request = PostChangeRequest.creationRequest()
        request.title = "post \(index)"
        request.priority = Int32(index)
        context.try(submit: request)
      }
    }
    let third = try #require(store.workspace.fetch(for: Post.self).where(Post.priority == 3).first)
    store.perform([Post.self]) { context in
      guard let request = PostChangeRequest.changeRequest(third) else {
        Issue.record("gone")
        return
      }
      request.priority = 30
      request.title = "renamed"
      guard case .updated(let object)? = context.try(submit: request) else {
        Issue.record("not updated")
        return
      }
      #expect(object.priority == 30 && object._rowid == third._rowid)
      // Within the transaction, its own writes are seen.
      #expect(store.workspace.fetch(for: Post.self).where(Post.title == "renamed").map(\.priority) == [30])
      #expect(store.workspace.fetch(for: Post.self).where(Post.priority == 3).isEmpty)
    }
    #expect(third.priority == 3)
    #expect(
      store.workspace.fetch(for: Post.self).where(Post.priority >= 8).map(\.title) == ["renamed", "post 8", "post 9"])
    store.perform([Post.self]) { context in
      if let request = PostChangeRequest.deletionRequest(third) {
        guard case .deleted(third._rowid)? = context.try(submit: request) else {
          Issue.record("not deleted")
          return
        }
      }
      #expect(PostChangeRequest.changeRequest(third) == nil)
    }
    #expect(store.workspace.fetch(for: Post.self).all().count == 9)
    #expect(store.workspace.fetch(for: Post.self).where(Post.priority == 30).isEmpty)
    #expect(try store.sql("SELECT count(*), sum(f10) FROM post__f10") == [["9", "42"]])
    #expect(store.errors.values.isEmpty)
  }
}

// An app as it was written for Dflat 0.6, in Swift's language mode of then: every public call for opening, writing and
// reading, as its users wrote them. Only its generated code is new. This file is not modernised.

import Dflat
import Dispatch
import Foundation
import Golden_post
import SQLiteDflat

/// Holds its workspace by the protocol, as apps do.
final class OldApp {
  let dflat: any Workspace
  private let queue = DispatchQueue(label: "app", qos: .utility, attributes: .concurrent)
  var createdPost: Post? = nil
  var log = [String]()

  init(filePath: String) {
    dflat = SQLiteWorkspace(filePath: filePath, fileProtectionLevel: .noProtection)
  }

  init(allArgumentsWith filePath: String) {
    dflat = SQLiteWorkspace(
      filePath: filePath, fileProtectionLevel: .completeFileProtectionUntilFirstUserAuthentication, synchronous: .full,
      writeConcurrency: .serial, targetQueue: queue)
  }

  func create(_ done: @escaping (Bool) -> Void) {
    dflat.performChanges(
      [Post.self],
      changesHandler: { (txnContext) in
        let creationRequest = PostChangeRequest.creationRequest()
        creationRequest.title = "first post"
        creationRequest.color = .red
        creationRequest.content = .textContent(TextContent(text: "hello"))
        guard let inserted = try? txnContext.submit(creationRequest) else { return }
        if case let .inserted(post) = inserted {
          self.createdPost = post as? Post
        }
        let another = Post(title: "second post", color: .blue, tag: "draft", priority: 7)
        txnContext.try(submit: PostChangeRequest.creationRequest(another))
      }
    ) { succeed in
      done(succeed)
    }
  }

  func createTwice() -> TransactionError? {
    var caught: TransactionError?
    let done = DispatchSemaphore(value: 0)
    dflat.performChanges(
      [Post.self],
      changesHandler: { txnContext in
        do {
          try txnContext.submit(PostChangeRequest.creationRequest(Post(title: "first post")))
        } catch {
          caught = error as? TransactionError
        }
      },
      completionHandler: { _ in done.signal() })
    done.wait()
    return caught
  }

  func change(_ post: Post) async -> Bool {
    await dflat.performChanges([Post.self]) { txnContext in
      guard let changeRequest = PostChangeRequest.changeRequest(post) else { return }
      changeRequest.color = .green
      changeRequest.priority += 1
      guard let updated = txnContext.try(submit: changeRequest) else { return }
      switch updated {
      case .inserted(let atom), .updated(let atom), .identity(let atom): _ = atom as? Post
      case .deleted(let rowid): _ = rowid
      }
      txnContext.try(submit: PostChangeRequest.upsertRequest(Post(title: "third post", priority: 200)))
    }
  }

  func giveUp() async -> Bool {
    await dflat.performChanges([Post.self]) { txnContext in
      txnContext.try(submit: PostChangeRequest.creationRequest(Post(title: "never")))
      _ = txnContext.abort()
    }
  }

  func remove(_ post: Post) async -> Bool {
    await dflat.performChanges([Post.self]) { txnContext in
      guard let deletionRequest = PostChangeRequest.deletionRequest(post) else { return }
      txnContext.try(submit: deletionRequest)
    }
  }

  func titles(_ posts: FetchedResult<Post>) -> [String] { posts.map { $0.title } }

  func read() -> [[String]] {
    let all = dflat.fetch(for: Post.self).all()
    let some = dflat.fetch(for: Post.self).all(limit: .limit(2), orderBy: [Post.priority.descending])
    let first = dflat.fetch(for: Post.self).where(Post.title == "first post")
    let urgent = dflat.fetch(for: Post.self).where(
      Post.priority > 100 && Post.color == .red || Post.tag.isNotNull, limit: .noLimit,
      orderBy: [Post.color.ascending, Post.title.descending])
    let listed = dflat.fetch(for: Post.self).where(
      Post.title.in(["first post", "third post"]) && Post.tag.isNull && !(Post.priority + 1 < 1)
        && Post.priority % 2 >= 0)
    let others = dflat.fetch(for: Post.self).where(Post.title.notIn(["first post"]), orderBy: [Post.title.ascending])
    let texts = dflat.fetch(for: Post.self).where(
      Post.content.match(TextContent.self) && Post.content.as(TextContent.self).text == "hello")
    return [all, some, first, urgent, listed, others, texts].map(titles)
  }

  func readAtOneMoment() -> (first: FetchedResult<Post>, all: FetchedResult<Post>) {
    dflat.fetchWithinASnapshot { () -> (first: FetchedResult<Post>, all: FetchedResult<Post>) in
      let first = dflat.fetch(for: Post.self).where(Post.title == "first post")
      let all = dflat.fetch(for: Post.self).all()
      return (first, all)
    }
  }

  func copyThroughBytes(_ post: Post) -> Post {
    let data = post.toData()
    return Post.from(data: data)
  }

  func build(_ post: Post) -> Post {
    var builder = PostBuilder(from: post)
    builder.tag = "built"
    return builder.build()
  }

  func stop() {
    dflat.shutdown(flags: [.vacuum, .truncate])
  }

  func stop(_ completion: @escaping () -> Void) {
    dflat.shutdown(flags: []) { completion() }
  }
}

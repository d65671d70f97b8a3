import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("The output for post.fbs, compiled and run")
struct PostTests {
  private let alpha = Post(
    title: "Alpha", color: .green, tag: "first", priority: 7, content: .textContent(TextContent(text: "hello")))
  private let beta = Post(title: "Beta", content: .imageContent(ImageContent(images: ["a.png", "", "b.png"])))

  @Test("A new object has the defaults of the schema")
  func aNewObjectHasTheDefaultsOfTheSchema() {
    let post = Post(title: "x")
    #expect(post.color == .red)
    #expect(post.tag == nil)
    #expect(post.priority == 0)
    #expect(post.content == nil)
    #expect(post._rowid == 0)
  }

  @Test("Two objects are equal exactly if all their fields are equal")
  func objectsAreEqualWhenAllTheirFieldsAre() {
    let copy = PostBuilder(from: alpha).build()
    #expect(copy == alpha)
    for change: (inout PostBuilder) -> Void in [
      { $0.title = "other" }, { $0.color = .blue }, { $0.tag = nil }, { $0.priority = 8 },
      { $0.content = .textContent(TextContent(text: "bye")) },
    ] {
      var builder = PostBuilder(alpha)
      change(&builder)
      #expect(builder.build() != alpha)
    }
  }

  @Test("An object is unchanged after encoding and decoding")
  func anObjectSurvivesItsBytes() throws {
    for post in [alpha, beta, Post(title: "")] {
      let bytes = try encode(post)
      #expect(Post.verify(byteBuffer: bytes))
      #expect(Post.from(byteBuffer: bytes) == post)
    }
  }

  @Test("The accessors read what the data model has written")
  func accessorsReadWhatTheDataModelWrote() throws {
    let reader = try #require(PostReader(root: try encode(alpha)))
    #expect(reader.title == "Alpha")
    #expect(reader.color == .green)
    #expect(reader.tag == "first")
    #expect(reader.priority == 7)
    guard case .textContent(let content)? = reader.content else {
      Issue.record("the content is no text")
      return
    }
    #expect(content.text == "hello")
  }

  @Test("Values of a newer schema read as the default in objects, and as unknown through accessors")
  func valuesOfANewerVersionReadAsTheDefault() throws {
    var builder = FlatBufferBuilder()
    let title = builder.create("new")
    let member = TextContentReader.create(in: &builder)
    let root = PostReader.create(
      in: &builder, title: title, color: ColorValue(rawValue: 77), contentType: 9, content: member)
    try builder.finish(root)
    let bytes = builder.finishedBuffer()

    #expect(Post.verify(byteBuffer: bytes))
    let post = Post.from(byteBuffer: bytes)
    #expect(post.color == .red)
    #expect(post.content == nil)

    let reader = try #require(PostReader(root: bytes))
    #expect(reader.color.rawValue == 77)
    guard case .unknown(9)? = reader.content else {
      Issue.record("the content is not the unknown member 9")
      return
    }
  }

  @Test("Bytes that lack a required field are refused by verify")
  func bytesThatLackARequiredFieldAreRefused() throws {
    var builder = FlatBufferBuilder()
    let root = PostReader.create(in: &builder, title: .null, priority: 1)
    try builder.finish(root)
    #expect(!Post.verify(byteBuffer: builder.finishedBuffer()))
    #expect(Post.from(byteBuffer: builder.finishedBuffer()).title == "")
  }

  @Test("Objects are stored, found, updated and deleted")
  func objectsAreStoredFoundUpdatedAndDeleted() async throws {
    try await withWorkspace { workspace in
      let (alpha, beta) = (alpha, beta)
      let created = await workspace.performChanges([Post.self]) { transaction in
        for post in [alpha, beta] {
          let request = PostChangeRequest.creationRequest(post)
          guard case .inserted(let object)? = transaction.try(submit: request) else {
            Issue.record("not inserted")
            return
          }
          #expect(object == post)
        }
      }
      #expect(created)
      #expect(Array(workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending])) == [alpha, beta])

      await workspace.performChanges([Post.self]) { transaction in
        guard let request = PostChangeRequest.changeRequest(alpha) else {
          Issue.record("alpha is gone")
          return
        }
        request.priority = 8
        transaction.try(submit: request)
        guard let again = PostChangeRequest.changeRequest(alpha) else {
          Issue.record("alpha is gone")
          return
        }
        #expect(again.priority == 8, "a request starts with the latest values")
        guard case .identity? = transaction.try(submit: again) else {
          Issue.record("an update that changes nothing is an identity")
          return
        }
      }
      #expect(workspace.fetch(for: Post.self).where(Post.priority == 8).map(\.title) == ["Alpha"])
      #expect(workspace.fetch(for: Post.self).where(Post.priority == 7).isEmpty)

      await workspace.performChanges([Post.self]) { transaction in
        guard let request = PostChangeRequest.deletionRequest(alpha) else {
          Issue.record("alpha is gone")
          return
        }
        transaction.try(submit: request)
        #expect(PostChangeRequest.changeRequest(alpha) == nil)
        #expect(PostChangeRequest.deletionRequest(alpha) == nil)
      }
      #expect(workspace.fetch(for: Post.self).all().map(\.title) == ["Beta"])
    }
  }

  @Test("A query by each field finds the objects with that value")
  func everyFieldCanBeQueried() async throws {
    try await withWorkspace { workspace in
      let (alpha, beta) = (alpha, beta)
      await workspace.performChanges([Post.self]) { transaction in
        transaction.try(submit: PostChangeRequest.upsertRequest(alpha))
        transaction.try(submit: PostChangeRequest.upsertRequest(beta))
      }
      func titles(_ query: QueryExpression<Bool, Post>) -> [String] {
        workspace.fetch(for: Post.self).where(query, orderBy: [Post.title.ascending]).map(\.title)
      }
      #expect(titles(Post.title == "Alpha") == ["Alpha"])
      #expect(titles(Post.color == .green) == ["Alpha"])
      #expect(titles(Post.color == .red) == ["Beta"])
      #expect(titles(Post.tag == "first") == ["Alpha"])
      #expect(titles(Post.tag.isNull) == ["Beta"])
      #expect(titles(Post.priority < 7) == ["Beta"])
      #expect(titles(Post.content.match(TextContent.self)) == ["Alpha"])
      #expect(titles(Post.content.match(ImageContent.self)) == ["Beta"])
      #expect(titles(Post.content.as(TextContent.self).text == "hello") == ["Alpha"])
      #expect(titles(Post.content.as(TextContent.self).text != "hello").isEmpty, "NULL is not unequal to anything")
    }
  }

  private func encode(_ post: Post) throws -> ByteBuffer {
    var builder = FlatBufferBuilder()
    let root = post.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return builder.finishedBuffer()
  }
}

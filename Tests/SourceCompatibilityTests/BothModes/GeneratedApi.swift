// What the generated code of Dflat 0.6 offers, as its users write it. The page Documentation/api-of-dflat-0.6.md quotes these
// lines, and a test looks for what it quotes. This file is not modernised.

import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import SQLiteDflat

struct GeneratedApi {
  // MARK: Objects

  func make(_ title: String, _ color: Color?, _ tag: String?, _ priority: Int32?, _ content: Content?) -> Post {
    Post(title: title, color: color, tag: tag, priority: priority, content: content)
  }

  func fields(_ post: Post) -> (String, Color, String?, Int32, Content?) {
    (post.title, post.color, post.tag, post.priority, post.content)
  }

  func isStored(_ post: Post) -> Bool { post._rowid > 0 }

  func isSame(_ post: Post, _ other: Post) -> Bool { post == other }

  func throughData(_ post: Post) -> Post {
    let data: Data = post.toData()
    return Post.from(data: data)
  }

  func read(_ byteBuffer: ByteBuffer) -> Post? {
    guard Post.verify(byteBuffer: byteBuffer) else { return nil }
    return Post.from(byteBuffer: byteBuffer)
  }

  func schemaVersion() -> String? { Post.flatBuffersSchemaVersion }

  func renamed(_ post: Post, _ title: String) -> Post {
    var builder = PostBuilder(from: post)
    builder.title = title
    return builder.build()
  }

  // MARK: Parts of objects

  func parts(_ text: String?, _ images: [String]?) -> [Content] {
    var textContent = TextContent(text: text)
    textContent.text = textContent.text.map { $0 + "!" }
    return [.textContent(textContent), .imageContent(ImageContent(images: images))]
  }

  func describe(_ content: Content) -> String {
    switch content {
    case .textContent(let textContent): return textContent.text ?? ""
    case .imageContent(let imageContent): return imageContent.images.joined(separator: ",")
    }
  }

  func copy<T: FlatBuffersCodable & Equatable>(_ value: T) throws -> Bool {
    try T.from(data: value.toData()) == value
  }

  func copy<T: FlatBuffersDecodable>(_ type: T.Type, _ byteBuffer: ByteBuffer) -> T {
    type.from(byteBuffer: byteBuffer)
  }

  func version<T: FlatBuffersDecodable>(_ type: T.Type) -> String? { type.flatBuffersSchemaVersion }

  func isWellFormed<T: FlatBuffersDecodable>(_ type: T.Type, _ byteBuffer: ByteBuffer) -> Bool {
    type.verify(byteBuffer: byteBuffer)
  }

  func colors() -> [Color] {
    let first = Color(rawValue: 0)
    return Color.allCases.filter { $0 == first || Color.red < $0 || $0.rawValue == 0 }
  }

  // MARK: Change requests

  func write(_ dflat: Workspace, _ post: Post) async -> Bool {
    await dflat.performChanges([Post.self]) { txnContext in
      let empty = PostChangeRequest.creationRequest()
      empty.title = post.title
      empty.color = .green
      empty.content = .imageContent(ImageContent())
      txnContext.try(submit: empty)
      guard let changeRequest = PostChangeRequest.changeRequest(Post(title: post.title)) else { return }
      changeRequest.priority += 1
      txnContext.try(submit: changeRequest)
      txnContext.try(submit: PostChangeRequest.upsertRequest(post))
      guard let deletionRequest = PostChangeRequest.deletionRequest(post) else { return }
      txnContext.try(submit: deletionRequest)
      txnContext.try(submit: PostChangeRequest.creationRequest(post))
    }
  }

  func submit<R: ChangeRequest>(_ request: R, to txnContext: TransactionContext) -> Bool {
    txnContext.try(submit: request) != nil
  }

  func delete(_ dflat: Workspace, _ post: PostChangeRequest.Element) async -> Bool {
    await dflat.performChanges([PostChangeRequest.Element.self]) { txnContext in
      guard let deletionRequest = PostChangeRequest.deletionRequest(post) else { return }
      _ = self.submit(deletionRequest, to: txnContext)
    }
  }

  func count<T: Atom>(_ dflat: Workspace, _ type: T.Type) -> Int {
    dflat.fetch(for: type).all().count
  }

  // To name the protocol of Dflat 0.6 is a warning, except in what is deprecated itself.
  @available(*, deprecated)
  func countAsBefore<T: Atom & SQLiteAtom>(_ dflat: Workspace, _ type: T.Type) -> Int {
    count(dflat, type)
  }
}

// Code that an app of Dflat 0.6 has to write in another way here, or for Swift 6 mode, in that way. Documentation/migrating.md
// and Documentation/api-of-dflat-0.6.md quote these lines, and a test looks for each quotation.

import Dflat
import FlatBuffersCore
import Golden_post
import SQLiteDflat

struct NewSpellings {
  let dflat: Workspace

  // MARK: Accessors and bytes

  func color(in byteBuffer: ByteBuffer) -> ColorValue? {
    let reader: PostReader? = PostReader(byteBuffer)
    return reader?.color
  }

  func bytes(_ post: Post) throws -> ByteBuffer {
    var fbb = FlatBufferBuilder()
    let offset: Offset = post.to(flatBufferBuilder: &fbb)
    try fbb.finish(offset)
    return fbb.finishedBuffer()
  }

  func size<T: FlatBuffersEncodable>(_ value: T) throws -> Int { try value.toData().count }

  func sizeOfAny<T: InfallibleFlatBuffersEncodable>(_ value: T) -> Int { value.toData().count }

  // MARK: Queries

  func isHigh<T: Expr>(_ expr: T) -> AnySQLiteExpr<Bool, Post> where T.Element == Post, T.ResultType == Int32 {
    AnySQLiteExpr(expr) > 100
  }

  func evaluate<Q: Expr>(_ query: Q, on object: Q.Element) -> Bool?
  where Q.ResultType == Bool, Q.Element: FlatBuffersEncodable {
    query.evaluate(object: object)
  }

  func isSatisfied(_ query: AnySQLiteExpr<Bool, Post>, by post: Post) -> Bool {
    query.evaluate(post)
  }

  func isNoText() -> AnySQLiteExpr<Bool, Post> {
    AnySQLiteExpr(!(Post.content.match(TextContent.self)) || Post.content.isNull)
  }

  func isBefore(_ lhs: Bool, _ rhs: Bool) -> Bool { !lhs && rhs }

  func tableName() -> String { Post._record.table }

  // MARK: Swift 6 mode

  func touch(done: @escaping @Sendable (Bool) -> Void) {
    dflat.performChanges([Post.self], changesHandler: { _ in }, completionHandler: done)
  }

  func save(_ post: Post) async -> Bool {
    await dflat.performChanges([Post.self]) { $0.try(submit: PostChangeRequest.upsertRequest(post)) }
  }

  func count() async throws -> Int {
    try await dflat.performChanges([Post.self]) { _ in
      return dflat.fetch(for: Post.self).all().count
    }
  }
}

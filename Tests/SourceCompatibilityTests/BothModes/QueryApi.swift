// Queries of Dflat 0.6, as its users write them. The page Documentation/api-of-dflat-0.6.md quotes these lines, and a test
// looks for what it quotes. This file is not modernised.

import Dflat
import FlatBuffersCore
import Golden_post
import SQLiteDflat

struct QueryApi {
  let dflat: Workspace

  // MARK: Operators

  func compared(_ n: Int32, _ flag: Bool) -> [AnySQLiteExpr<Bool, Post>] {
    [
      AnySQLiteExpr(Post.priority == n), AnySQLiteExpr(n == Post.priority), AnySQLiteExpr(Post.title == Post.tag),
      AnySQLiteExpr(Post.priority != n), AnySQLiteExpr(n != Post.priority), AnySQLiteExpr(Post.title != Post.tag),
      AnySQLiteExpr(Post.priority < n), AnySQLiteExpr(n < Post.priority), AnySQLiteExpr(Post.title < Post.tag),
      AnySQLiteExpr(Post.priority <= n), AnySQLiteExpr(n <= Post.priority), AnySQLiteExpr(Post.title <= Post.tag),
      AnySQLiteExpr(Post.priority > n), AnySQLiteExpr(n > Post.priority), AnySQLiteExpr(Post.title > Post.tag),
      AnySQLiteExpr(Post.priority >= n), AnySQLiteExpr(n >= Post.priority), AnySQLiteExpr(Post.title >= Post.tag),
      AnySQLiteExpr(Post.priority == n && Post.color == .red), AnySQLiteExpr(Post.priority == n && flag),
      AnySQLiteExpr(flag && Post.priority == n),
      AnySQLiteExpr(Post.priority == n || Post.color == .red), AnySQLiteExpr(Post.priority == n || flag),
      AnySQLiteExpr(flag || Post.priority == n),
      AnySQLiteExpr(!(Post.priority == n)),
      AnySQLiteExpr(Post.priority + n == 5), AnySQLiteExpr(n + Post.priority == 5),
      AnySQLiteExpr(Post.priority + Post.priority == 4),
      AnySQLiteExpr(Post.priority - n == 0), AnySQLiteExpr(n - Post.priority == 0),
      AnySQLiteExpr(Post.priority - Post.priority == 0),
      AnySQLiteExpr(Post.priority % n == 0), AnySQLiteExpr(n % Post.priority == 0),
      AnySQLiteExpr(Post.priority % Post.priority == 0),
      AnySQLiteExpr(Post.color.in([.red, .blue])), AnySQLiteExpr(Post.color.notIn([.red])),
      AnySQLiteExpr(Post.tag.isNull), AnySQLiteExpr(Post.tag.isNotNull),
    ]
  }

  // MARK: Types of expressions

  static let priority: FieldExpr<Int32, Post> = Post.priority
  static let equal: EqualToExpr<FieldExpr<Int32, Post>, ValueExpr<Int32, Post>, Post> = Post.priority == 7
  static let different: NotEqualToExpr<FieldExpr<Int32, Post>, ValueExpr<Int32, Post>, Post> = Post.priority != 7
  static let less: LessThanExpr<FieldExpr<Int32, Post>, ValueExpr<Int32, Post>, Post> = Post.priority < 7
  static let atMost: LessThanOrEqualToExpr<FieldExpr<Int32, Post>, ValueExpr<Int32, Post>, Post> = Post.priority <= 7
  static let both: AndExpr<IsNullExpr<FieldExpr<String, Post>, Post>, ValueExpr<Bool, Post>, Post> =
    Post.tag.isNull && true
  static let either: OrExpr<IsNotNullExpr<FieldExpr<String, Post>, Post>, ValueExpr<Bool, Post>, Post> =
    Post.tag.isNotNull || false
  static let negated: NotExpr<InExpr<FieldExpr<Color, Post>, Post>, Post> = !Post.color.in([.red])
  static let outside: NotInExpr<FieldExpr<Color, Post>, Post> = Post.color.notIn([.red])
  static let sum: AdditionExpr<FieldExpr<Int32, Post>, ValueExpr<Int32, Post>, Post> = Post.priority + 1
  static let difference: SubtractionExpr<FieldExpr<Int32, Post>, ValueExpr<Int32, Post>, Post> = Post.priority - 1
  static let remainder: ModExpr<FieldExpr<Int32, Post>, ValueExpr<Int32, Post>, Post> = Post.priority % 2

  // MARK: Generic code

  func count<T: Expr & SQLiteExpr>(_ query: T) -> Int where T.ResultType == Bool, T.Element == Post {
    dflat.fetch(for: Post.self).where(query, limit: .limit(10), orderBy: [Post.title.ascending]).count
  }

  func negated<T: Expr & SQLiteExpr>(_ query: T, and flag: Bool) -> AnySQLiteExpr<Bool, Post>
  where T.ResultType == Bool, T.Element == Post {
    AnySQLiteExpr(!query && flag || (flag && query))
  }

  func isEither<L: Expr, R: Expr>(_ lhs: L, _ rhs: R, of post: Post) -> Bool?
  where L.ResultType == Bool, R.ResultType == Bool, L.Element == Post, R.Element == Post {
    (lhs || rhs).evaluate(object: post)
  }

  func isMissing<T: Expr>(_ expr: T) -> IsNullExpr<T, Post> where T.Element == Post { expr.isNull }
  func isThere<T: Expr>(_ expr: T) -> IsNotNullExpr<T, Post> where T.Element == Post { expr.isNotNull }

  func only<T: Expr>(_ expr: T, _ values: [T.ResultType]) -> InExpr<T, Post>
  where T.Element == Post, T.ResultType: DflatFriendlyValue {
    expr.in(values)
  }

  func without<T: Expr>(_ expr: T, _ values: [T.ResultType]) -> NotInExpr<T, Post>
  where T.Element == Post, T.ResultType: DflatFriendlyValue {
    expr.notIn(values)
  }

  func posts<T: SQLiteValue>(where field: FieldExpr<T, Post>, is value: T) -> FetchedResult<Post> {
    dflat.fetch(for: Post.self).where(field == value)
  }

  static func rank<T: DflatFriendlyValue>(_ values: [T]) -> [T: Int] {
    Dictionary(uniqueKeysWithValues: Set(values).sorted().enumerated().map { ($1, $0) })
  }

  // MARK: Evaluating on an object

  func value<T: DflatFriendlyValue>(of field: FieldExpr<T, Post>, for post: Post) -> T? {
    field.evaluate(object: post)
  }

  func value<T: DflatFriendlyValue>(of field: FieldExpr<T, Post>, in byteBuffer: ByteBuffer) -> T? {
    field.evaluate(byteBuffer: byteBuffer)
  }

  func isUrgent(_ post: Post) -> Bool? {
    (Post.priority > 100 && Post.tag != "done").evaluate(object: post)
  }

  // MARK: Orders

  func orders(_ titles: [String]) -> [OrderBy<Post>] {
    [
      Post.priority.ascending, Post.title.descending, titles.firstIndex(of: Post.title),
      titles.lastIndex(of: Post.title),
      titles[1...].firstIndex(of: Post.title),
    ]
  }

  func describe(_ order: OrderBy<Post>) -> String {
    let sortingOrder: SortingOrder = order.sortingOrder
    switch sortingOrder {
    case .ascending: return order.name + " up"
    case .descending: return order.name + " down"
    case .same: return order.name
    }
  }

  func sorted(_ posts: [Post], by order: OrderBy<Post>) -> [Post] {
    posts.sorted { order.areInSortingOrder($0, $1) == order.sortingOrder }
  }

  func names() -> [String] { [Post.priority.name, Post.title.name, Post.content._type.name] }

  // MARK: Unions

  func unions() -> [AnySQLiteExpr<Bool, Post>] {
    [
      AnySQLiteExpr(Post.content.match(TextContent.self)),
      AnySQLiteExpr(Post.content.as(TextContent.self).text == "hello"),
      AnySQLiteExpr(Post.content._type == 2), AnySQLiteExpr(Post.content._type.isNull),
    ]
  }
}

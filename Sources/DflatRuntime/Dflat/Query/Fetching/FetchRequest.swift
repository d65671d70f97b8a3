import FlatBuffersCore
import Foundation

/// The maximum number of objects that a fetch returns: a number, or none.
///
/// ```swift
/// func latest(_ limit: Limit) -> FetchedResult<Post> { workspace.fetch(for: Post.self).all(limit: limit) }
/// let some = latest(10)
/// let all = latest(.noLimit)
/// ```
///
/// A limit of 0 finds nothing, and reads nothing. Check a number that the program computes: a negative one is no limit.
///
/// See also: ``QueryBuilder``, Documentation/using-the-store.md (Limits and pages).
public enum Limit: Hashable, Sendable {
  /// All objects.
  case noLimit
  /// At most this number of objects. A negative number is no limit, as in SQL.
  case limit(Int)

  /// The maximum number, not negative; `Int.max` without a limit.
  package var count: Int {
    switch self {
    case .limit(let count) where count >= 0: count
    case .limit, .noLimit: .max
    }
  }
}

/// Makes `limit: 10` mean `limit: .limit(10)`.
extension Limit: ExpressibleByIntegerLiteral {
  /// Creates a limit of at most `value` objects.
  public init(integerLiteral value: Int) { self = .limit(value) }
}

/// A key by which objects are ordered.
@usableFromInline
package struct FetchKey: Hashable, Sendable {
  package let node: QueryNode
  package let isDescending: Bool
}

/// The predicate, order, limit and start of a fetch. It is not generic over the object's type, because each fetch would
/// have to look up the generic type's metadata.
@usableFromInline
package struct FetchRequest: Sendable {
  package var predicate: QueryNode?
  package var limit: Limit
  package var orderBy: [FetchKey]
  /// The object after which the result starts, in the order; nil to start with the first object.
  package var start: PageStart?

  package init(predicate: QueryNode?, limit: Limit = .noLimit) {
    self.predicate = predicate
    self.limit = limit
    orderBy = []
    start = nil
  }

  // Inlined where `Element` is known, like the methods that users call: otherwise each fetch would look up the
  // metadata of an array.
  @inlinable
  package init<Element>(
    predicate: QueryNode?, limit: Limit, orderBy: [OrderBy<Element>]
  ) {
    self.init(predicate, limit, orderBy.isEmpty ? [] : FetchRequest.keys(orderBy))
  }

  /// Creates a request. It is not generic, so the values are moved into their properties.
  @usableFromInline
  init(_ predicate: QueryNode?, _ limit: Limit, _ orderBy: [FetchKey]) {
    self.predicate = predicate
    self.limit = limit
    self.orderBy = orderBy
    start = nil
  }

  @usableFromInline
  static func keys<Element>(_ orderBy: [OrderBy<Element>]) -> [FetchKey] {
    orderBy.map { FetchKey(node: $0.node, isDescending: $0.isDescending) }
  }

  /// Returns the primary key that the request asks for; nil unless it asks for one value of a primary key of one
  /// field, and nothing else. Such a fetch needs no plan.
  package func primaryKey(of record: RecordDescription) -> FieldValue? {
    guard start == nil, let (field, comparison, value) = predicate?.fieldComparison, comparison == .equal,
      record.primaryKeys.count == 1, record.primaryKeys[0] == field
    else { return nil }
    return value
  }
}

/// The object after which a page starts, encoded as a row, so that it is compared in the order as rows are.
///
/// A row may hold values that an object cannot represent, such as the number of an enum case that this version does not
/// know. Rows are ordered by the stored values, so the first fetch of the page replaces the object's bytes by those of
/// its row. Later fetches and the standing query of the page start at the same position, whatever becomes of the row.
///
/// It is a class, because requests are copied often and few have a start, and because all copies of a request share
/// the row that its first fetch has read.
package final class PageStart: @unchecked Sendable {
  // Unchecked because the lock guards the only variable, and nobody changes the bytes that the tables refer to.

  package let rowid: Int64
  /// The object's bytes. They are kept, since a fetch of another thread may point to them while `resolve` is called.
  private let encoded: FlatBufferTable
  /// The bytes that the start has for good: those of the row or the object's; nil until `resolve` was called.
  private var resolved: FlatBufferTable?
  private let lock = NSLock()
  /// Reads the object of a row and writes it again.
  private let rewrite: @Sendable (FlatBufferTable) throws(StoreError) -> ByteBuffer

  /// Encodes an object.
  ///
  /// - Throws: `StoreError.failed` if the object is too large for a row.
  package init<Element: Atom & FlatBuffersEncodable>(_ object: Element) throws(StoreError) {
    // Never nil: the root was just written.
    encoded = FlatBufferTable(rootOf: try PageStart.write(object)) ?? .empty
    rowid = object._rowid
    rewrite = { row throws(StoreError) in try PageStart.write(Element(row, _rowid: 0)) }
    // An object that was never stored has no row.
    if rowid == 0 { resolved = encoded }
  }

  private static func write(_ object: some FlatBuffersEncodable) throws(StoreError) -> ByteBuffer {
    do {
      return try object.rowBytes()
    } catch {
      throw .failed(error)
    }
  }

  /// The start as a row. Pointers to its bytes are valid as long as the start.
  package var row: FlatBufferTable { lock.withLock { resolved } ?? encoded }

  /// Whether the row does not change any more.
  package var isResolved: Bool { lock.withLock { resolved != nil } }

  /// Takes the bytes of the stored row, if the row still holds the same object; else keeps those of the object. Only the
  /// first call has an effect.
  ///
  /// - Parameter bytes: the bytes of the row; nil if there is no such row.
  package func resolve(by bytes: UnsafeRawBufferPointer?) throws(StoreError) {
    var stored: FlatBufferTable?
    if let bytes { stored = try self.stored(in: bytes) }
    let row = stored ?? encoded
    lock.withLock { if resolved == nil { resolved = row } }
  }

  /// Returns a copy of a row; nil if it does not hold the same object.
  private func stored(in bytes: UnsafeRawBufferPointer) throws(StoreError) -> FlatBufferTable? {
    guard let stored = FlatBufferTable(rootOf: ByteBuffer(Array(bytes))) else { return nil }
    let budget = ReadingBudget()
    defer { budget.end() }
    guard let row = FlatBufferTable(rootOf: bytes, within: budget) else { return nil }
    let rewritten = try rewrite(row)
    let isSame = rewritten.withUnsafeBytes { mine in encoded.window.buffer.withUnsafeBytes { $0.elementsEqual(mine) } }
    return isSame ? stored : nil
  }
}

/// A store that executes the fetches of a `QueryBuilder`.
package protocol FetchSource: AnyObject, Sendable {
  func fetch<Element: Atom>(_ request: FetchRequest) throws(StoreError) -> FetchedResult<Element>

  /// Returns the number of objects that a fetch would return. It ignores the order of the request.
  func count(_ request: FetchRequest, of record: RecordDescription, type: Any.Type) throws(StoreError) -> Int

  /// Returns how a fetch would be answered.
  ///
  /// - Parameter type: the name of the objects' type.
  func explain(_ request: FetchRequest, of record: RecordDescription, type: String) throws(StoreError) -> QueryPlan

  /// Reports a failure that is not thrown to the caller.
  func handle(_ failure: StoreError)
}

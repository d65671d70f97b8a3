import FlatBuffersCore

// A query is evaluated on an object as on a row of a store: the object is encoded, and the query's fields are read
// from the bytes. So the answer is the store's, including NULLs, overflows and the order of strings.

extension Expr where ResultType == Bool, Element: FlatBuffersEncodable {
  /// Returns whether `object` satisfies the query: whether a fetch would find it if it were stored.
  ///
  /// ```swift
  /// let urgent = Post.priority > 2 && Post.tag != nil
  /// print(posts.filter { urgent.evaluate($0) }.count)
  /// ```
  ///
  /// NULL counts as false, as in a fetch. An object that is too large or nested too deep to be stored satisfies no
  /// query.
  ///
  /// - Note: If this version of the schema does not know an enum's number or a union's member, the object has the
  ///   default or nil in its place. A fetch sees the number and the member.
  /// - Complexity: that of encoding the object, plus the size of the query. It may be called on any thread.
  public func evaluate(_ object: Element) -> Bool { evaluate(object: object) == true }
}

extension Expr where ResultType: QueryValue, Element: FlatBuffersEncodable {
  /// Returns the value for `object`, as a store would compute it from the object's row; nil if it is NULL.
  ///
  /// The result is also nil if `ResultType` cannot represent the value, such as a sum out of its range. (A comparison
  /// uses the whole sum.) It is nil for an object that is too large or nested too deep to be stored.
  public func evaluate(object: Element) -> ResultType? {
    guard let row = try? object.rowBytes() else { return nil }
    return evaluate(byteBuffer: row)
  }
}

extension QueryExpression where Value: QueryValue, Element: FlatBuffersEncodable {
  /// Returns the values for `objects`, each as `evaluate(object:)` does: nil for an object that is too large or nested too deep to be
  /// stored.
  func values(of objects: some Sequence<Element>) -> [Value?] {
    let program = QueryProgram(_node)
    return objects.map { object in
      let row = try? object.rowBytes()
      return withExtendedLifetime((program, row)) {
        program.withValue(in: row) { Value(_fieldValue: FieldValue($0)) }
      }
    }
  }
}

extension Expr where ResultType: QueryValue {
  /// Returns the value for the object in `byteBuffer`, a FlatBuffer whose root is an `Element`; nil if it is NULL, or
  /// `ResultType` cannot represent it.
  ///
  /// No object is created. The call is safe on any bytes: fields that are absent or damaged have their default.
  public func evaluate(byteBuffer: ByteBuffer) -> ResultType? {
    let program = QueryProgram(_expression._node)
    return withExtendedLifetime((program, byteBuffer)) {
      program.withValue(in: byteBuffer) { ResultType(_fieldValue: FieldValue($0)) }
    }
  }
}

extension OrderBy where Element: FlatBuffersEncodable {
  /// Compares two objects by the key, in ascending order whatever the key's direction.
  ///
  /// Absent values come first, and so do objects that are too large or nested too deep to be stored. Two objects are
  /// in the order of a fetch if the result is `sortingOrder` or `.same`.
  ///
  /// - Complexity: that of encoding both objects.
  public func areInSortingOrder(_ lhs: Element, _ rhs: Element) -> SortingOrder {
    let program = QueryProgram(node)
    let rows = (try? lhs.rowBytes(), try? rhs.rowBytes())
    let order = withExtendedLifetime((program, rows)) {
      program.withValue(in: rows.0) { lhs in program.withValue(in: rows.1) { RowValue.order(lhs, $0) } }
    }
    return order < 0 ? .ascending : order == 0 ? .same : .descending
  }
}

extension FlatBuffersEncodable {
  /// Encodes the value as a store does: as the root of a FlatBuffer without a file identifier.
  func rowBytes() throws(FlatBufferError) -> ByteBuffer {
    var builder = FlatBufferBuilder()
    let root = to(flatBufferBuilder: &builder)
    try builder.finish(root)
    return builder.finishedBuffer()
  }
}

extension QueryProgram {
  /// Calls `body` with the program's result for the object in `bytes`, or with NULL if `bytes` is nil. A text in the
  /// result is valid until `body` returns.
  fileprivate func withValue<Result>(in bytes: ByteBuffer?, _ body: (RowValue) -> Result) -> Result {
    guard let bytes else { return body(.null) }
    return withValue(for: FlatBufferTable(rootOf: bytes) ?? .empty, body)
  }
}

extension FieldValue {
  /// Creates a copy of a row's value, including its text or bytes.
  init(_ value: RowValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .unsigned(let value): self = .unsigned(value)
    // No type of a query's values can represent it.
    case .wide: self = .null
    case .real(let value): self = .real(value)
    case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
    case .bytes(let bytes): self = .bytes(Array(bytes))
    }
  }
}

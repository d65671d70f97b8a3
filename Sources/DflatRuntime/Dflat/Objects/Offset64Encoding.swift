import FlatBuffersCore

/// A table of the data model that has, or whose tables have, strings or vectors with 64-bit offsets. Generated types
/// conform to it.
///
/// Objects with 64-bit offsets stand behind all others in a buffer, so they are written first. Such a table is
/// written in two passes: see `FlatBufferBuilder.start64BitObjects()`.
public protocol FlatBuffersOffset64Encodable: FlatBuffersEncodable {
  /// Writes the strings and vectors with 64-bit offsets of this table and of all that it holds: the first pass.
  func _write64BitObjects(to builder: inout FlatBufferBuilder)

  /// Writes everything else, and returns the table's offset: the second pass.
  func _writeTable(to builder: inout FlatBufferBuilder) -> Offset
}

extension FlatBuffersOffset64Encodable {
  /// Writes the table and everything that it refers to, and returns its offset.
  ///
  /// - Precondition: nothing has been written to the builder but objects with 64-bit offsets. To write several such tables,
  ///   use `create(tables:)`.
  public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    guard let mark = builder.start64BitObjects() else { return _writeTable(to: &builder) }
    _write64BitObjects(to: &builder)
    let offset = _writeTable(to: &builder)
    builder.end64BitObjects(mark)
    return offset
  }
}

extension FlatBufferBuilder {
  /// Writes values as tables, and a vector of them.
  ///
  /// - Precondition: nothing has been written but objects with 64-bit offsets, unless an enclosing object is being written.
  public mutating func create<Table: FlatBuffersOffset64Encodable>(tables values: [Table]) -> Offset {
    let mark = start64BitObjects()
    if mark != nil {
      for value in values { value._write64BitObjects(to: &self) }
    }
    let vectorMark = startOffsets()
    for value in values { append(value._writeTable(to: &self)) }
    let offset = endOffsets(from: vectorMark)
    if let mark { end64BitObjects(mark) }
    return offset
  }
}

/// The methods by which generated code writes strings and vectors with 64-bit offsets, in the first pass.
///
/// Each method adds the offset to the builder's list of such offsets: `null` for an empty vector, so that the field
/// stays absent, unless the vector is `required`.
extension FlatBufferBuilder {
  /// Writes an `(offset64)` string.
  public mutating func encodeOffset64(string: String?) { keep(createOffset64(string)) }

  /// Writes an `(offset64)` vector of scalars.
  @inlinable
  public mutating func encodeOffset64<Value: FlatBufferScalar>(
    numbers: [Value], alignment: Int = 1, required: Bool = false
  ) {
    keep(numbers.isEmpty && !required ? .null : createOffset64(vector: numbers, alignment: alignment))
  }

  /// Writes an `(offset64)` vector of structs.
  @inlinable
  public mutating func encodeOffset64<Value: FlatBufferStructEncodable>(
    structs: [Value], alignment: Int = 1, required: Bool = false
  ) {
    keep(structs.isEmpty && !required ? .null : createOffset64(vector: structs.map(\._value), alignment: alignment))
  }

  /// Writes a `(vector64)` vector of scalars.
  @inlinable
  public mutating func encodeVector64<Value: FlatBufferScalar>(
    numbers: [Value], alignment: Int = 1, required: Bool = false
  ) {
    keep(numbers.isEmpty && !required ? .null : createVector64(numbers, alignment: alignment))
  }

  /// Writes a `(vector64)` vector of structs.
  @inlinable
  public mutating func encodeVector64<Value: FlatBufferStructEncodable>(
    structs: [Value], alignment: Int = 1, required: Bool = false
  ) {
    keep(structs.isEmpty && !required ? .null : createVector64(structs.map(\._value), alignment: alignment))
  }
}

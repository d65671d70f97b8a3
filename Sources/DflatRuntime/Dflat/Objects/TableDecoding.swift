import FlatBuffersCore

/// A union that is read from its type code and its member. Generated types for unions conform to it.
public protocol FlatBufferUnionDecodable: NonisolatedByDefault {
  /// The view of the union in a buffer.
  associatedtype _UnionReader: FlatBufferUnionView

  /// Reads the union; nil if it is absent, or this version of the schema does not know its member.
  init?(_ reader: _UnionReader?)
}

/// The methods by which generated code reads fields into the data model.
///
/// They are safe on any bytes: nothing outside the buffer is read, and damaged parts read as absent. Those without
/// 64-bit offsets are not inlined: a module then has one copy for each type instead of one for each field, which would
/// slow down the Swift compiler. A call is cheap compared to the allocations that most of them make.
extension FlatBufferTable {
  // Not inlined for the benchmark row "100 tables, structs and unions, with a store: swiftc -O, and data model": the
  // data model calls these methods for each field.
  /// Returns the scalar in the field at `slot`; `default` if it is absent.
  @inlinable @inline(never)
  public func decodeScalar<Value: FlatBufferScalar>(at slot: VTableOffset, default: Value) -> Value {
    scalar(at: slot, default: `default`)
  }

  /// Returns the scalar in the field at `slot`; nil if it is absent.
  @inlinable @inline(never)
  public func decodeOptionalScalar<Value: FlatBufferScalar>(at slot: VTableOffset) -> Value? {
    optionalScalar(at: slot)
  }

  /// Returns the enum case whose raw value is in the field at `slot`; `default` if the field is absent, or this
  /// version of the schema has no such case.
  @inlinable @inline(never)
  public func decodeEnum<Value: RawRepresentable>(at slot: VTableOffset, default: Value) -> Value
  where Value.RawValue: FlatBufferScalar {
    guard let number = optionalScalar(Value.RawValue.self, at: slot) else { return `default` }
    return Value(rawValue: number) ?? `default`
  }

  /// Returns the enum case whose raw value is in the field at `slot`; nil if the field is absent, or this version of
  /// the schema has no such case.
  @inlinable @inline(never)
  public func decodeOptionalEnum<Value: RawRepresentable>(at slot: VTableOffset) -> Value?
  where Value.RawValue: FlatBufferScalar {
    guard let number = optionalScalar(Value.RawValue.self, at: slot) else { return nil }
    return Value(rawValue: number)
  }

  /// Returns the enum cases of the vector in the field at `slot`, with `default` for raw values that no case of this
  /// version of the schema has.
  @inlinable @inline(never)
  public func decodeEnums<Value: RawRepresentable>(at slot: VTableOffset, default: Value) -> [Value]
  where Value.RawValue: FlatBufferScalar {
    (copyableVector(at: slot, size: MemoryLayout<Value.RawValue>.size) as FlatBufferVector<Value.RawValue>).map {
      Value(rawValue: $0) ?? `default`
    }
  }

  /// Returns the scalars in the vector in the field at `slot`; none if it is absent or the reading budget is used up.
  @inlinable @inline(never)
  public func decodeNumbers<Value: FlatBufferScalar>(at slot: VTableOffset) -> [Value] {
    (copyableVector(at: slot, size: MemoryLayout<Value>.size) as FlatBufferVector<Value>).array
  }

  /// Returns the strings in the vector in the field at `slot`; none if it is absent or the reading budget is used up.
  public func decodeStrings(at slot: VTableOffset) -> [String] {
    (copyableVector(at: slot, size: MemoryLayout<String>.size) as FlatBufferVector<String>).array
  }

  /// Returns the struct in the field at `slot`; nil if it is absent.
  @inlinable @inline(never)
  public func decodeStruct<Value: FlatBufferStructDecodable>(at slot: VTableOffset) -> Value? {
    structure(at: slot, size: Value.byteSize).map { Value($0) }
  }

  /// Returns the structs in the vector in the field at `slot`; none if it is absent or the reading budget is used up.
  /// `view` is their view type.
  @inlinable @inline(never)
  public func decodeStructs<View: FlatBufferStructView, Value: FlatBufferStructDecodable>(
    of view: View.Type, at slot: VTableOffset
  ) -> [Value] {
    (copyableVector(at: slot, size: Value.byteSize) as FlatBufferVector<View>).map { Value($0._structure) }
  }

  /// Returns the scalars in the `(offset64)` vector in the field at `slot`; none if it is absent or the reading
  /// budget is used up.
  @inlinable
  public func decodeNumbers<Value: FlatBufferScalar>(offset64At slot: VTableOffset) -> [Value] {
    (copyableVector(offset64At: slot, size: MemoryLayout<Value>.size) as FlatBufferVector<Value>).array
  }

  /// Returns the scalars in the `(vector64)` vector in the field at `slot`; none if it is absent or the reading
  /// budget is used up.
  @inlinable
  public func decodeNumbers<Value: FlatBufferScalar>(vector64At slot: VTableOffset) -> [Value] {
    (copyableVector(vector64At: slot, size: MemoryLayout<Value>.size) as FlatBufferVector<Value>).array
  }

  /// Returns the structs in the `(offset64)` vector in the field at `slot`; none if it is absent or the reading
  /// budget is used up. `view` is their view type.
  @inlinable
  public func decodeStructs<View: FlatBufferStructView, Value: FlatBufferStructDecodable>(
    of view: View.Type, offset64At slot: VTableOffset
  ) -> [Value] {
    (copyableVector(offset64At: slot, size: Value.byteSize) as FlatBufferVector<View>).map { Value($0._structure) }
  }

  /// Returns the structs in the `(vector64)` vector in the field at `slot`; none if it is absent or the reading
  /// budget is used up. `view` is their view type.
  @inlinable
  public func decodeStructs<View: FlatBufferStructView, Value: FlatBufferStructDecodable>(
    of view: View.Type, vector64At slot: VTableOffset
  ) -> [Value] {
    (copyableVector(vector64At: slot, size: Value.byteSize) as FlatBufferVector<View>).map { Value($0._structure) }
  }

  /// Returns the table in the field at `slot`; nil if it is absent or the reading budget is used up.
  @inlinable @inline(never)
  public func decodeTable<Value: FlatBufferTableDecodable>(at slot: VTableOffset) -> Value? {
    guard let table = table(at: slot), chargeTable() else { return nil }
    return Value(table)
  }

  /// Returns the tables in the vector in the field at `slot`; none if it is absent or the reading budget is used up.
  @inlinable @inline(never)
  public func decodeTables<Value: FlatBufferTableDecodable>(at slot: VTableOffset) -> [Value] {
    copyableTables(at: slot).map { Value($0) }
  }

  /// Returns the union whose member is in the field at `slot`; nil if it is absent, or this version of the schema
  /// does not know its member.
  @inlinable @inline(never)
  public func decodeUnion<Value: FlatBufferUnionDecodable>(at slot: VTableOffset) -> Value? {
    guard let union: Value._UnionReader = union(at: slot), chargeTable() else { return nil }
    return Value(union)
  }

  /// Returns the unions of the vector in the field at `slot`, without those whose member this version of the schema
  /// does not know.
  @inlinable @inline(never)
  public func decodeUnions<Value: FlatBufferUnionDecodable>(at slot: VTableOffset) -> [Value] {
    (copyableUnions(at: slot) as FlatBufferUnionVector<Value._UnionReader>).compactMap { Value($0) }
  }
}

extension FlatBufferTable {
  /// Creates the root of bytes that an encoder has written. It is valid as long as the bytes are.
  package init(ofEncoded bytes: UnsafeRawBufferPointer) {
    // Only an object too large to be finished has no root.
    self = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) ?? .empty
  }
}

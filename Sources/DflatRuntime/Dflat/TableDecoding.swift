import FlatBuffersCore

/// A union that is read from its type code and its member: generated types for unions.
public protocol FlatBufferUnionDecodable {
  /// The accessors' view of the union.
  associatedtype _UnionReader: FlatBufferUnionView

  /// Reads the union; nil when it is absent, or a member that this version does not know.
  init?(_ reader: _UnionReader?)
}

/// How generated code reads into the data model what is more than a number.
///
/// None of these is inlined. So a module has one copy of each for each type that is read, and not one for each field, which
/// would take the Swift compiler long; and beside the memory that most of them allocate, a call costs next to nothing.
/// Whatever the bytes say, nothing outside the buffer is read: what cannot be read is absent.
extension FlatBufferTable {
  /// The case whose number is in the field of `slot`; `default` when it is absent, or one that this version does not know.
  @inlinable @inline(never)
  public func decodeEnum<Value: RawRepresentable>(at slot: VTableOffset, default: Value) -> Value
  where Value.RawValue: FlatBufferScalar {
    guard let number = optionalScalar(Value.RawValue.self, at: slot) else { return `default` }
    return Value(rawValue: number) ?? `default`
  }

  /// The case whose number is in the field of `slot`; nil when it is absent, or one that this version does not know.
  @inlinable @inline(never)
  public func decodeOptionalEnum<Value: RawRepresentable>(at slot: VTableOffset) -> Value?
  where Value.RawValue: FlatBufferScalar {
    guard let number = optionalScalar(Value.RawValue.self, at: slot) else { return nil }
    return Value(rawValue: number)
  }

  /// The cases whose numbers are in the vector in the field of `slot`; `default` for those that this version does not know.
  @inlinable @inline(never)
  public func decodeEnums<Value: RawRepresentable>(at slot: VTableOffset, default: Value) -> [Value]
  where Value.RawValue: FlatBufferScalar {
    (copyableVector(at: slot, size: MemoryLayout<Value.RawValue>.size) as FlatBufferVector<Value.RawValue>).map {
      Value(rawValue: $0) ?? `default`
    }
  }

  /// The numbers in the vector in the field of `slot`.
  @inlinable @inline(never)
  public func decodeNumbers<Value: FlatBufferScalar>(at slot: VTableOffset) -> [Value] {
    (copyableVector(at: slot, size: MemoryLayout<Value>.size) as FlatBufferVector<Value>).array
  }

  /// The strings in the vector in the field of `slot`.
  public func decodeStrings(at slot: VTableOffset) -> [String] {
    (copyableVector(at: slot, size: MemoryLayout<String>.size) as FlatBufferVector<String>).array
  }

  /// The struct in the field of `slot`; nil when it is absent.
  @inlinable @inline(never)
  public func decodeStruct<Value: FlatBufferStructDecodable>(at slot: VTableOffset) -> Value? {
    structure(at: slot, size: Value.byteSize).map { Value($0) }
  }

  /// The structs in the vector in the field of `slot`, of which `view` is the accessors' view.
  @inlinable @inline(never)
  public func decodeStructs<View: FlatBufferStructView, Value: FlatBufferStructDecodable>(
    of view: View.Type, at slot: VTableOffset
  ) -> [Value] {
    (copyableVector(at: slot, size: Value.byteSize) as FlatBufferVector<View>).map { Value($0._structure) }
  }

  /// The table in the field of `slot`; nil when it is absent.
  @inlinable @inline(never)
  public func decodeTable<Value: FlatBufferTableDecodable>(at slot: VTableOffset) -> Value? {
    guard let table = table(at: slot), chargeTable() else { return nil }
    return Value(table)
  }

  /// The tables in the vector in the field of `slot`.
  @inlinable @inline(never)
  public func decodeTables<Value: FlatBufferTableDecodable>(at slot: VTableOffset) -> [Value] {
    copyableTables(at: slot).map { Value($0) }
  }

  /// The union whose member is in the field of `slot`; nil when it is absent, or one that this version does not know.
  @inlinable @inline(never)
  public func decodeUnion<Value: FlatBufferUnionDecodable>(at slot: VTableOffset) -> Value? {
    guard let union: Value._UnionReader = union(at: slot), chargeTable() else { return nil }
    return Value(union)
  }

  /// The unions whose members are in the field of `slot`; nil for those that this version does not know.
  @inlinable @inline(never)
  public func decodeUnions<Value: FlatBufferUnionDecodable>(at slot: VTableOffset) -> [Value?] {
    (copyableUnions(at: slot) as FlatBufferUnionVector<Value._UnionReader>).map { Value($0) }
  }
}

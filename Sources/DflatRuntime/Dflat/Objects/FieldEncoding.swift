import FlatBuffersCore

/// A struct of the data model. Generated types for structs conform to it.
public protocol FlatBufferStructEncodable: FlatBuffersEncodable {
  /// The type as which the struct is written.
  associatedtype _StructValue: FlatBufferStructWritable

  /// The struct as a value that can be written.
  var _value: _StructValue { get }

  /// Records an error in `builder` if a field of the struct has a value that it cannot hold.
  func _check(in builder: inout FlatBufferBuilder)
}

extension FlatBufferStructEncodable {
  /// Does nothing: most structs have no such field.
  @inlinable
  public func _check(in builder: inout FlatBufferBuilder) {}

  /// Writes the struct outside of a table.
  public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    _check(in: &builder)
    return builder.create(_value)
  }
}

/// The methods by which generated code writes the values that fields of the data model refer to.
///
/// Each returns `Offset.null` for nil or an empty array, so that the field stays absent, unless the vector is
/// `required`. None is inlined: a module then has one copy for each type instead of one for each field. The `alignment` of
/// a vector's elements is larger than that of their type only with `(force_align)`.
extension FlatBufferBuilder {
  // Not inlined for the benchmark row "100 tables, structs and unions, with a store: swiftc -O, and data model": the
  // data model calls these methods for each field.
  /// Writes a table, or the member of a union.
  @inlinable @inline(never)
  public mutating func encode(_ value: (some FlatBuffersEncodable)?) -> Offset {
    guard let value else { return .null }
    return value.to(flatBufferBuilder: &self)
  }

  /// Writes a vector of scalars.
  @inlinable @inline(never)
  public mutating func encode<Value: FlatBufferScalar>(
    numbers: [Value], alignment: Int = 1, required: Bool = false
  ) -> Offset {
    numbers.isEmpty && !required ? .null : create(vector: numbers, alignment: alignment)
  }

  /// Writes a vector of the raw values of enum cases.
  @inlinable @inline(never)
  public mutating func encode<Value: RawRepresentable>(
    enums: [Value], alignment: Int = 1, required: Bool = false
  ) -> Offset where Value.RawValue: FlatBufferScalar {
    enums.isEmpty && !required ? .null : create(vector: enums.map(\.rawValue), alignment: alignment)
  }

  /// Writes a vector of strings.
  public mutating func encode(strings: [String], required: Bool = false) -> Offset {
    strings.isEmpty && !required ? .null : create(vector: strings)
  }

  /// Writes a vector of structs.
  @inlinable @inline(never)
  public mutating func encode<Value: FlatBufferStructEncodable>(
    structs: [Value], alignment: Int = 1, required: Bool = false
  ) -> Offset {
    structs.isEmpty && !required ? .null : create(vector: structs.map(\._value), alignment: alignment)
  }

  /// Writes a vector of tables.
  public mutating func encode(tables: [some FlatBuffersEncodable], required: Bool = false) -> Offset {
    tables.isEmpty && !required ? .null : create(tables: tables)
  }

  /// Writes unions as a vector of type codes and a vector of members.
  public mutating func encode(
    unions: [some FlatBuffersUnionEncodable], required: Bool = false
  ) -> (types: Offset, members: Offset) {
    unions.isEmpty && !required ? (.null, .null) : create(unions: unions)
  }
}

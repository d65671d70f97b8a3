import FlatBuffersCore

/// A struct of the data model, which is written as a value of the accessors: generated types for structs.
public protocol FlatBufferStructEncodable: FlatBuffersEncodable {
  /// What is written.
  associatedtype _StructValue: FlatBufferStructWritable

  /// The struct as it is written.
  var _value: _StructValue { get }
}

extension FlatBufferStructEncodable {
  /// Writes the struct by itself.
  public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset { builder.create(_value) }
}

/// How generated code writes the vectors of the data model, those of tables and unions apart.
///
/// None of these is inlined, so that a module has one copy of each for each type rather than for each field.
extension FlatBufferBuilder {
  /// Writes a vector of numbers; none for no numbers, unless one is `required`.
  @inlinable @inline(never)
  public mutating func encode<Value: FlatBufferScalar>(numbers: [Value], required: Bool = false) -> Offset {
    numbers.isEmpty && !required ? .null : create(vector: numbers)
  }

  /// Writes a vector of the numbers of cases; none for no cases, unless one is `required`.
  @inlinable @inline(never)
  public mutating func encode<Value: RawRepresentable>(enums: [Value], required: Bool = false) -> Offset
  where Value.RawValue: FlatBufferScalar {
    enums.isEmpty && !required ? .null : create(vector: enums.map(\.rawValue))
  }

  /// Writes a vector of strings; none for no strings, unless one is `required`.
  public mutating func encode(strings: [String], required: Bool = false) -> Offset {
    strings.isEmpty && !required ? .null : create(vector: strings)
  }

  /// Writes a vector of structs; none for no structs, unless one is `required`.
  @inlinable @inline(never)
  public mutating func encode<Value: FlatBufferStructEncodable>(structs: [Value], required: Bool = false) -> Offset {
    structs.isEmpty && !required ? .null : create(vector: structs.map(\._value))
  }

  /// Writes a vector of tables; none for no tables, unless one is `required`.
  public mutating func encode(tables: [some FlatBuffersEncodable], required: Bool = false) -> Offset {
    tables.isEmpty && !required ? .null : create(tables: tables)
  }

  /// Writes unions as a vector of type codes and one of members; none for no unions, unless they are `required`.
  public mutating func encode(
    unions: [(some FlatBuffersUnionEncodable)?], required: Bool = false
  ) -> (types: Offset, members: Offset) {
    unions.isEmpty && !required ? (.null, .null) : create(unions: unions)
  }
}

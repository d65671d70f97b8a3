import FBSSchema

/// The byte layouts of a schema's objects, for reading, verifying or writing them without generated code.
///
/// The members of a table are in the order of their ids, with the type of a union before the union. Those of a struct
/// are in the order of the text.
public struct SchemaLayouts: Sendable {
  /// The schema.
  public let schema: Schema
  /// The layout of each table, at the table's index in the schema.
  public let tables: [TableLayout]
  /// The layout of each struct, at the struct's index in the schema.
  public let structs: [StructLayout]
  private let enums: [NumberNames]
  private let unions: [NumberNames]

  /// Creates the layouts of a valid schema.
  public init(_ schema: Schema) {
    self.schema = schema
    enums = schema.enums.map { definition in
      NumberNames(
        definition.names.map { ($0.number, $0.name) }, isUnsigned: definition.underlyingType == .uint64,
        isBitFlags: definition.isBitFlags)
    }
    unions = schema.unions.map { definition in
      NumberNames(
        [(0, "NONE")] + definition.members.map { ($0.code, $0.name) },
        isUnsigned: definition.underlyingType == .uint64, isBitFlags: false)
    }
    tables = schema.tables.map { TableLayout($0, schema) }
    structs = schema.structs.map { StructLayout($0, schema) }
  }

  /// The layout of the table that `id` names.
  public subscript(id: TableID) -> TableLayout { tables[id.index] }
  /// The layout of the struct that `id` names.
  public subscript(id: StructID) -> StructLayout { structs[id.index] }

  /// Returns the names of a type's numbers: the names of an enum's values or of a union's members; nil if the numbers
  /// have none.
  package func names(of type: NumberType) -> NumberNames? {
    switch type.names {
    case .enumeration(let id): enums[id.index]
    case .union(let id): unions[id.index]
    case nil: nil
    }
  }

  /// Returns the table with a qualified name, spelled as in schemas; nil if there is none.
  public func table(named name: String) -> TableID? {
    schema.tables.firstIndex { $0.name.description == name }.map { TableID($0) }
  }
}

/// A number type, and the source of its numbers' names.
public struct NumberType: Hashable, Sendable {
  /// The sources of numbers' names.
  public enum Names: Hashable, Sendable {
    /// The values of an enum.
    case enumeration(EnumID)
    /// The members of a union: the number is a type code.
    case union(UnionID)
  }

  /// The scalar type of the numbers.
  public let scalar: ScalarType
  /// The source of the numbers' names; nil if they have none.
  public let names: Names?
  /// The mapping of the numbers to other values, such as dates; nil if they are plain numbers.
  public let mapping: ValueMapping?

  package init(_ scalar: ScalarType, _ names: Names? = nil, mapping: ValueMapping? = nil) {
    self.scalar = scalar
    self.names = names
    self.mapping = mapping
  }
}

/// The type of a table's member.
public indirect enum MemberType: Hashable, Sendable {
  /// A number, bool, enum or type code.
  case number(NumberType)
  /// A string.
  case string
  /// A struct.
  case structure(StructID)
  /// A table.
  case table(TableID)
  /// A union. Its type code is the member before.
  case union(UnionID)
  /// A vector of elements of another type.
  case vector(of: MemberType)
  /// Bytes that hold a FlatBuffer of their own, whose root is a table.
  case nested(TableID)
  /// Bytes that hold a FlexBuffer.
  case flexible
}

import FBSSchema

/// How the objects of a schema stand in bytes, ready for whoever reads, checks or writes them without generated code.
///
/// Members of a table are in the order of their ids, where the type of a union stands before the union; those of a struct
/// in the order of the text.
public struct SchemaLayouts: Sendable {
  /// The schema.
  public let schema: Schema
  /// The tables, at the indexes of the schema's.
  public let tables: [TableLayout]
  /// The structs, at the indexes of the schema's.
  public let structs: [StructLayout]
  private let enums: [NumberNames]
  private let unions: [NumberNames]

  /// The layouts of a valid schema.
  public init(_ schema: Schema) {
    self.schema = schema
    let names = DefinitionNames(schema)
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
    tables = schema.tables.map { TableLayout($0, schema, names) }
    structs = schema.structs.map { StructLayout($0, schema) }
  }

  /// The layout of the table that `id` names.
  public subscript(id: TableID) -> TableLayout { tables[id.index] }
  /// The layout of the struct that `id` names.
  public subscript(id: StructID) -> StructLayout { structs[id.index] }

  /// The names that stand for numbers of a type: those of its enum, or of its union's members.
  package func names(of type: NumberType) -> NumberNames? {
    switch type.names {
    case .enumeration(let id): enums[id.index]
    case .union(let id): unions[id.index]
    case nil: nil
    }
  }

  /// The table with a name as schemas write it, with its namespace.
  public func table(named name: String) -> TableID? {
    schema.tables.firstIndex { $0.name.description == name }.map { TableID($0) }
  }
}

/// A number type, and whose names stand for its numbers.
public struct NumberType: Hashable, Sendable {
  /// Who gives numbers their names.
  public enum Names: Hashable, Sendable {
    /// The values of an enum.
    case enumeration(EnumID)
    /// The members of a union: the number is a type code.
    case union(UnionID)
  }

  /// The type.
  public let scalar: ScalarType
  /// Whose names stand for its numbers. Nothing if they have none.
  public let names: Names?
  /// What its numbers stand for, such as dates.
  public let mapping: ValueMapping?

  package init(_ scalar: ScalarType, _ names: Names? = nil, mapping: ValueMapping? = nil) {
    self.scalar = scalar
    self.names = names
    self.mapping = mapping
  }
}

/// What a member of a table is.
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
  /// A vector of any of these.
  case vector(of: MemberType)
  /// Bytes that hold a FlatBuffer of their own, whose root is a table.
  case nested(TableID)
  /// Bytes that hold a FlexBuffer.
  case flexible
}

import FBSDiagnostics
import FBSParser

/// An enum: named whole numbers.
public struct EnumDefinition: Sendable {
  /// A value of an enum: a name with its number.
  public struct Value: Sendable {
    /// The name of the value.
    public let name: String
    /// The number: for `bit_flags` the mask, not the bit's index. Unsigned numbers above `Int64.max` have their bit pattern.
    public let number: Int64
    /// Documentation, attributes and ranges.
    public let declaration: Declaration

    /// Creates a value of an enum.
    public init(name: String, number: Int64, declaration: Declaration) {
      self.name = name
      self.number = number
      self.declaration = declaration
    }
  }

  /// The name of the enum.
  public let name: QualifiedName
  /// The type of the numbers: any whole number type.
  public let underlyingType: ScalarType
  /// Whether values are sets of bits.
  public let isBitFlags: Bool
  /// The values, in the order of the text, one for each number. If several names have the same number, the first name
  /// is here, and the others are in `aliases`.
  public let values: [Value]
  /// The names whose number another name in `values` has, in the order of the text.
  public let aliases: [Value]
  /// Documentation, attributes and ranges.
  public let declaration: Declaration

  /// All names: those in `values`, then the aliases.
  public var names: [Value] { aliases.isEmpty ? values : values + aliases }

  /// Creates an enum.
  public init(
    name: QualifiedName, underlyingType: ScalarType, isBitFlags: Bool, values: [Value], aliases: [Value] = [],
    declaration: Declaration
  ) {
    self.name = name
    self.underlyingType = underlyingType
    self.isBitFlags = isBitFlags
    self.values = values
    self.aliases = aliases
    self.declaration = declaration
  }
}

/// A union: one of several types, told apart by a type code. `NONE` (0) is not among the members.
public struct UnionDefinition: Sendable {
  /// The type of a union's member.
  public enum MemberType: Hashable, Sendable {
    /// A table.
    case table(TableID)
    /// A struct.
    case structure(StructID)
    /// A string.
    case string
  }

  /// A member of a union.
  public struct Member: Sendable {
    /// The name: the alias, or the type's name (`N_M_A` for `N.M.A`).
    public let name: String
    /// The type code: at least 1, and at most 255 unless the union names a type for its codes. Numbers above `Int64.max` have
    /// their bit pattern.
    public let code: Int64
    /// The type code in decimal. No code is negative: a negative `code` stands for a number above `Int64.max`.
    public var codeText: String { String(UInt64(bitPattern: code)) }
    /// The type of the member.
    public let type: MemberType
    /// Documentation, attributes and ranges.
    public let declaration: Declaration

    /// Creates a member of a union.
    public init(name: String, code: Int64, type: MemberType, declaration: Declaration) {
      self.name = name
      self.code = code
      self.type = type
      self.declaration = declaration
    }
  }

  /// The name of the union.
  public let name: QualifiedName
  /// The type of the codes, if the union names one, as newer FlatBuffers lets it.
  public let writtenType: ScalarType?
  /// The members, in the order of the text.
  public let members: [Member]
  /// Documentation, attributes and ranges.
  public let declaration: Declaration

  /// The type of the codes: any whole number type.
  public var underlyingType: ScalarType { writtenType ?? .uint8 }

  /// Creates a union.
  public init(name: QualifiedName, writtenType: ScalarType? = nil, members: [Member], declaration: Declaration) {
    self.name = name
    self.writtenType = writtenType
    self.members = members
    self.declaration = declaration
  }
}

/// A struct: fields of fixed size, stored in line.
public struct StructDefinition: Sendable {
  /// The type of a struct's field.
  public enum FieldType: Hashable, Sendable {
    /// A number or bool.
    case scalar(ScalarType)
    /// An enum.
    case enumeration(EnumID)
    /// Another struct.
    case structure(StructID)
    /// A fixed array of numbers or bools.
    indirect case array(of: FieldType, count: Int)
  }

  /// A field of a struct.
  public struct Field: Sendable {
    /// The name of the field.
    public let name: String
    /// The type of the field.
    public let type: FieldType
    /// The byte offset in the struct.
    public let offset: Int
    /// The size of the field's struct in bytes, if the struct counts as one value; see `StructDefinition.byteCount`.
    public let byteCount: Int?
    /// Documentation, attributes and ranges.
    public let declaration: Declaration

    /// Creates a field.
    public init(name: String, type: FieldType, offset: Int, byteCount: Int? = nil, declaration: Declaration) {
      self.name = name
      self.type = type
      self.offset = offset
      self.byteCount = byteCount
      self.declaration = declaration
    }
  }

  /// The name of the struct.
  public let name: QualifiedName
  /// The struct's fields, in the order of the text.
  public let fields: [Field]
  /// The size in bytes, padding included.
  public let size: Int
  /// The alignment in bytes: a power of two.
  public let alignment: Int
  /// Documentation, attributes and ranges.
  public let declaration: Declaration

  /// The number of bytes, if the struct is one fixed array of `ubyte`; nil for any other struct, and for one that `force_align`
  /// aligns.
  ///
  /// Such a struct is a value: it can be compared as a whole, and be a key.
  public var byteCount: Int? {
    guard fields.count == 1, case .array(of: .scalar(.uint8), let count) = fields[0].type, alignment == 1 else {
      return nil
    }
    return count
  }

  /// Creates a struct.
  public init(name: QualifiedName, fields: [Field], size: Int, alignment: Int, declaration: Declaration) {
    self.name = name
    self.fields = fields
    self.size = size
    self.alignment = alignment
    self.declaration = declaration
  }
}

/// A table: fields that may be absent, found through a vtable.
public struct TableDefinition: Sendable {
  /// The name of the table.
  public let name: QualifiedName
  /// The fields, in the order of the text. The hidden type field of a union field is not among them.
  public let fields: [FieldDefinition]
  /// The number of slots in a vtable with all fields, also the deprecated and hidden ones.
  public let slotCount: Int
  /// All of its text, from the keyword to the closing brace.
  public let range: SourceRange
  /// Documentation, attributes and ranges.
  public let declaration: Declaration
  /// Whether the primary key has several fields.
  let hasCompositeKey: Bool

  /// Creates a table.
  public init(
    name: QualifiedName, fields: [FieldDefinition], slotCount: Int, range: SourceRange, declaration: Declaration
  ) {
    self.name = name
    self.fields = fields
    self.slotCount = slotCount
    self.range = range
    self.declaration = declaration
    hasCompositeKey = fields.count(where: \.isPrimary) > 1
  }

  /// The fields of the primary key, in the order of the text.
  public var primaryKey: [FieldDefinition] { fields.filter(\.isPrimary) }

  /// The version of `(v: "...")`.
  public var version: String? {
    guard case .string(let version) = declaration.attribute("v")?.value else { return nil }
    return version
  }
}

/// A field of a table.
public struct FieldDefinition: Sendable {
  /// The result of reading an absent field.
  public enum Presence: Hashable, Sendable {
    /// A scalar or enum: the default.
    case defaulted(ScalarValue)
    /// Any type: nothing.
    case optional
    /// A string: `""`, or the default in the schema. A vector: `[]`.
    case defaultedObject(String)
    /// The field is never absent.
    case required
  }

  // Shared, because passes over all fields of a large schema read little of each: copying it would take longer.
  private let content: Content

  private final class Content: Sendable {
    let name: String
    let type: FieldType
    let id: Int
    let presence: Presence
    let unroundedDefault: Double?
    let isDeprecated: Bool
    let isPrimary: Bool
    let byteCount: Int?
    let nestedType: DefinitionID?
    let indexes: [IndexKind]
    let declaration: Declaration

    init(
      name: String, type: FieldType, id: Int, presence: Presence, unroundedDefault: Double?, isDeprecated: Bool,
      isPrimary: Bool, byteCount: Int?, nestedType: DefinitionID?, declaration: Declaration
    ) {
      self.name = name
      self.type = type
      self.id = id
      self.presence = presence
      self.unroundedDefault = unroundedDefault
      self.isDeprecated = isDeprecated
      self.isPrimary = isPrimary
      self.byteCount = byteCount
      self.nestedType = nestedType
      indexes = IndexKind.all(of: type, byteCount: byteCount, declaration)
      self.declaration = declaration
    }
  }

  /// The name of the field.
  public var name: String { content.name }
  /// The type of the field.
  public var type: FieldType { content.type }
  /// The id: the number of its vtable slot. A union's hidden type field has the id before.
  public var id: Int { content.id }
  /// The result of reading the field when it is absent.
  public var presence: Presence { content.presence }
  /// The default of a float before it was rounded to the type; nil if rounding did not change it. `presence` has the
  /// rounded one.
  public var unroundedDefault: Double? { content.unroundedDefault }
  /// Whether it is `(deprecated)`: its slot is kept, and no API shows it.
  public var isDeprecated: Bool { content.isDeprecated }
  /// Whether it is `(primary)`.
  public var isPrimary: Bool { content.isPrimary }
  /// The size in bytes of the struct that is the type, or the type of the vector's elements, if the struct counts as
  /// one value; see `StructDefinition.byteCount`.
  public var byteCount: Int? { content.byteCount }
  /// The table or struct that `nested_flatbuffer` names; nil without the attribute.
  public var nestedType: DefinitionID? { content.nestedType }
  /// The table that `nested_flatbuffer` names; nil if it names none, or a struct, which cannot be the root of a buffer.
  public var nestedTable: TableID? { if case .table(let id)? = nestedType { id } else { nil } }
  /// The kinds of indexes that the attributes ask for and that the field can have: none, one, or one of values and one of folded
  /// texts. Whether a store makes them, `IndexedField` tells.
  public var indexes: [IndexKind] { content.indexes }
  /// Documentation, attributes and ranges.
  public var declaration: Declaration { content.declaration }

  /// Creates a field.
  public init(
    name: String, type: FieldType, id: Int, presence: Presence, unroundedDefault: Double? = nil,
    isDeprecated: Bool = false, isPrimary: Bool = false, byteCount: Int? = nil, nestedType: DefinitionID? = nil,
    declaration: Declaration
  ) {
    content = Content(
      name: name, type: type, id: id, presence: presence, unroundedDefault: unroundedDefault,
      isDeprecated: isDeprecated, isPrimary: isPrimary, byteCount: byteCount, nestedType: nestedType,
      declaration: declaration)
  }

  /// Whether it is a vector whose length is a 64-bit number: `(vector64)`.
  public var hasWideLength: Bool { declaration.has("vector64") }

  /// Whether its slot holds a 64-bit offset: `(offset64)`, or `(vector64)`, which implies it.
  public var hasWideOffset: Bool { hasWideLength || declaration.has("offset64") }

  /// The offset of its slot in the vtable, in bytes.
  public var vtableOffset: Int { 4 + 2 * id }
}

/// The type of a table's field.
public enum FieldType: Hashable, Sendable {
  /// A number or bool.
  case scalar(ScalarType)
  /// An enum.
  case enumeration(EnumID)
  /// A string.
  case string
  /// A struct.
  case structure(StructID)
  /// A table.
  case table(TableID)
  /// A union: its value in this field's slot, its type code in the one before.
  case union(UnionID)
  /// A vector.
  case vector(of: ElementType)
}

/// The type of a vector's elements.
public enum ElementType: Hashable, Sendable {
  /// A number or bool.
  case scalar(ScalarType)
  /// An enum.
  case enumeration(EnumID)
  /// A string.
  case string
  /// A struct.
  case structure(StructID)
  /// A table.
  case table(TableID)
  /// A union: a vector of values, with a vector of type codes in the slot before.
  case union(UnionID)
}

/// A number type, or bool.
public enum ScalarType: String, Hashable, CaseIterable, Sendable {
  case bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double

  /// The size in bytes, which is also the alignment.
  public var size: Int {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double: 8
    }
  }

  /// Whether it holds whole numbers. A bool does not count.
  public var isInteger: Bool {
    switch self {
    case .bool, .float, .double: false
    default: true
    }
  }

  /// Whether it is a floating-point type.
  public var isFloatingPoint: Bool { self == .float || self == .double }
}

/// A value of a scalar type.
public enum ScalarValue: Hashable, Sendable {
  /// A bool.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A whole number above `Int64.max`.
  case unsigned(UInt64)
  /// A floating-point number.
  case real(Double)
}

import FBSSchema

/// The byte layout of a table.
public struct TableLayout: Sendable {
  /// A member of a table.
  public struct Member: Sendable {
    /// The name. The member with a union's type is named like the union, followed by `_type`.
    public let name: String
    /// The type of the member.
    public let type: MemberType
    /// The offset of the member's slot in the vtable, in bytes.
    public let slot: Int
    /// The default of a number, as bits in the form of `NumberBits`; nil for other types, and for numbers without a
    /// default.
    public let defaultBits: UInt64?
    /// The default of a string in UTF-8; nil for other types, and for strings without a default.
    let defaultText: [UInt8]?
    /// Whether the member is never absent.
    public let isRequired: Bool
    /// Whether the member is `(deprecated)`.
    public let isDeprecated: Bool
    /// Whether vectors of the table are sorted by the member.
    public let isKey: Bool
    /// Whether equal strings are written once: `(shared)`.
    public let isShared: Bool
    /// The algorithm that turns text into a number: the value of `(hash)`; nil without one.
    public let hash: String?
    /// The alignment of a vector's elements set by `(force_align)`; nil without it.
    public let vectorAlignment: Int?
    /// Whether the member's slot holds an offset of 64 bits.
    public let hasWideOffset: Bool
    /// Whether the member is a vector whose length has 64 bits.
    public let hasWideLength: Bool
    /// Whether the member is a struct, or a vector of structs, that stands for a UUID.
    package let isUUID: Bool
    /// Whether the member is a string, or a vector of strings, that stands for a UUID.
    package let isUUIDText: Bool
  }

  /// The name of the table.
  public let name: QualifiedName
  /// The members, in the order of their ids.
  public let members: [Member]
  /// The member by which vectors are sorted; nil if there is none.
  public let key: Int?
  /// Whether fields are written in the order of their ids: `(original_order)`. Otherwise the largest come first.
  let keepsOrder: Bool
  private let indexes: [String: Int]

  /// Returns the index of the member with a name; nil if there is none.
  public func member(named name: String) -> Int? { indexes[name] }

  init(_ table: TableDefinition, _ schema: Schema) {
    var members: [Member] = []
    for field in table.fields.sorted(by: { $0.id < $1.id }) {
      let code: MemberType? =
        switch field.type {
        case .union(let id): .number(NumberType(schema[id].underlyingType, .union(id)))
        case .vector(of: .union(let id)): .vector(of: .number(NumberType(schema[id].underlyingType, .union(id))))
        default: nil
        }
      if let code { members.append(Member(codeOf: field, code)) }
      members.append(Member(field, .of(field, schema)))
    }
    name = table.name
    self.members = members
    key = members.firstIndex { $0.isKey }
    keepsOrder = table.declaration.has("original_order")
    indexes = Dictionary(members.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension TableLayout.Member {
  init(_ field: FieldDefinition, _ type: MemberType) {
    func text(_ attribute: String) -> String? {
      switch field.declaration.attribute(attribute)?.value {
      case .string(let text): text
      case .integer(let number): String(number)
      case nil: nil
      }
    }
    name = field.name
    self.type = type
    slot = field.vtableOffset
    defaultBits =
      switch (type, field.presence) {
      case (.number(let number), .defaulted(let value)): NumberBits.bits(of: value, as: number.scalar)
      default: nil
      }
    defaultText =
      if case .string = type, case .defaultedObject(let text) = field.presence { Array(text.utf8) } else { nil }
    isRequired = field.presence == .required
    isDeprecated = field.isDeprecated
    isKey = field.declaration.has("key")
    isShared = field.declaration.has("shared")
    hash = text("hash")
    vectorAlignment = text("force_align").flatMap { Int($0) }
    hasWideOffset = field.hasWideOffset
    hasWideLength = field.hasWideLength
    isUUID = field.byteCount != nil && field.mapping == .uuid
    isUUIDText = field.byteCount == nil && field.mapping == .uuid
  }

  /// Creates the hidden member with the type code of a union, or the codes of a vector of unions.
  init(codeOf field: FieldDefinition, _ type: MemberType) {
    name = field.name + "_type"
    self.type = type
    slot = field.vtableOffset - 2
    defaultBits = if case .number = type { 0 } else { nil }
    defaultText = nil
    isRequired = false
    isDeprecated = field.isDeprecated
    isKey = false
    isShared = false
    hash = nil
    vectorAlignment = nil
    hasWideOffset = false
    hasWideLength = false
    isUUID = false
    isUUIDText = false
  }
}

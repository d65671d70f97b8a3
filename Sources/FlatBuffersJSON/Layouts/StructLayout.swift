import FBSSchema

/// The byte layout of a struct.
public struct StructLayout: Sendable {
  /// A member of a struct.
  public struct Member: Sendable {
    /// The type of a member.
    public enum MemberType: Hashable, Sendable {
      /// A number, bool or enum.
      case number(NumberType)
      /// Another struct.
      case structure(StructID)
      /// A fixed array of numbers or structs.
      indirect case array(of: MemberType, count: Int)
    }

    /// The name of the member.
    public let name: String
    /// The type of the member.
    public let type: MemberType
    /// The offset in the struct, in bytes.
    public let offset: Int
    /// The algorithm that turns text into a number: the value of `(hash)`; nil without one.
    let hash: String?
    /// Whether the member is a struct that stands for a UUID.
    package let isUUID: Bool
  }

  /// The name of the struct.
  public let name: QualifiedName
  /// The members, in the order of the text.
  public let members: [Member]
  /// The size in bytes.
  public let size: Int
  /// The alignment in bytes.
  public let alignment: Int
  /// The member by which vectors are sorted; nil if there is none.
  let key: Int?

  init(_ structure: StructDefinition, _ schema: Schema) {
    name = structure.name
    members = structure.fields.map { field in
      var hash: String?
      if case .string(let text) = field.declaration.attribute("hash")?.value { hash = text }
      return Member(
        name: field.name, type: Member.MemberType(field.type, schema, field.mapping), offset: field.offset, hash: hash,
        isUUID: field.byteCount != nil && field.mapping == .uuid)
    }
    size = structure.size
    alignment = structure.alignment
    key = structure.fields.firstIndex { $0.declaration.has("key") }
  }
}

extension StructLayout.Member.MemberType {
  init(_ type: StructDefinition.FieldType, _ schema: Schema, _ mapping: ValueMapping? = nil) {
    switch type {
    case .scalar(let scalar): self = .number(NumberType(scalar, mapping: mapping))
    case .enumeration(let id): self = .number(NumberType(schema[id].underlyingType, .enumeration(id)))
    case .structure(let id): self = .structure(id)
    case .array(let element, let count): self = .array(of: Self(element, schema), count: count)
    }
  }
}

import FBSDiagnostics
import FBSParser
import FBSSchema

/// A type or service of one version, described in words, so that two versions can be compared without knowing what each
/// kind means.
struct DescribedType {
  /// A field, value, member or method.
  struct Member {
    let name: String
    /// The kind, in a word.
    let kind: String
    /// The number that identifies the member in bytes, with the number's name: the id of a field, the number of an
    /// enum's value. Nil for methods.
    let number: (name: String, text: String)?
    /// The member's type, as schemas write it; empty if it has none.
    let type: String
    /// The default, as it is written; empty if there is none.
    let value: String
    let declaration: Declaration

    /// The member as it is written, without attributes.
    var text: String { name + (type.isEmpty ? "" : ": \(type)") + (value.isEmpty ? "" : " = \(value)") }
  }

  let name: String
  /// The kind, in a word.
  let kind: String
  /// The type of the numbers, for enums and unions. Empty for others.
  let type: String
  let members: [Member]
  let declaration: Declaration
  /// The file that defines the type or service.
  let file: FileID
}

extension DescribedType {
  /// Returns the types and services of the given files of a version, in the order of the files and of their text.
  static func all(in compilation: Compilation) -> [DescribedType] {
    let schema = compilation.schema
    return schema.files.filter(\.isInput).flatMap { file in
      (file.definitions.map { DescribedType($0, compilation) }
        + file.services.map { DescribedType(schema[$0], schema) })
        .sorted { $0.declaration.nameRange.start < $1.declaration.nameRange.start }
    }
  }

  private init(_ service: ServiceDefinition, _ schema: Schema) {
    name = service.name.description
    kind = "rpc_service"
    type = ""
    declaration = service.declaration
    file = service.declaration.nameRange.file
    members = service.methods.map {
      Member(
        name: "\($0.name)(\(schema[$0.request].name))", kind: "method", number: nil,
        type: schema[$0.response].name.description, value: "", declaration: $0.declaration)
    }
  }

  private init(_ id: DefinitionID, _ compilation: Compilation) {
    let schema = compilation.schema
    declaration = schema.declaration(of: id)
    name = schema.name(of: id).description
    file = declaration.nameRange.file
    kind = id.kind
    func written(_ range: SourceRange?) -> String {
      range.map { String(decoding: compilation.sources[$0.file].bytes[$0.start..<$0.end], as: UTF8.self) } ?? ""
    }
    switch id {
    case .table(let id):
      type = ""
      members = schema[id].fields.map {
        Member(
          name: $0.name, kind: "field", number: ("id", String($0.id)), type: $0.type.text(in: schema),
          value: written($0.declaration.valueRange), declaration: $0.declaration)
      }
    case .structure(let id):
      type = ""
      members = schema[id].fields.map {
        Member(
          name: $0.name, kind: "field", number: ("offset", String($0.offset)), type: $0.type.text(in: schema),
          value: "",
          declaration: $0.declaration)
      }
    case .enumeration(let id):
      type = schema[id].underlyingType.schemaName
      members = schema[id].names.map {
        Member(
          name: $0.name, kind: "value", number: ("number", String($0.number)), type: "", value: "",
          declaration: $0.declaration)
      }
    case .union(let id):
      type = schema[id].underlyingType.schemaName
      members = schema[id].members.map { member in
        let type =
          switch member.type {
          case .table(let id): schema[id].name.description
          case .structure(let id): schema[id].name.description
          case .string: "string"
          }
        return Member(
          name: member.name, kind: "member", number: ("type code", member.codeText),
          type: type == member.name ? "" : type, value: "", declaration: member.declaration)
      }
    }
  }
}

import FBSSchema

/// Generates the reader of a union, which tells members apart by the type code.
struct UnionReaderGenerator {
  private let definition: UnionDefinition
  private let declared: Namer.DeclaredName
  private let name: String
  private let schema: Schema
  private let names: Namer
  private let imported: ImportedTypeNames
  /// The Swift type of the union's type codes.
  private let codeType: String

  init(_ unit: EmissionUnit, _ id: UnionID) {
    schema = unit.schema
    definition = unit.schema[id]
    declared = unit.names.declared(.union(id))
    name = declared.with(Namer.Suffix.reader)
    names = unit.names
    imported = unit.imported
    codeType = imported[definition.codeType]
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(
        "\(definition.name.withArticle.capitalizedFirst) as it stands in a buffer.",
        then: definition.declaration.documentation)
      writer.block("public enum \(name): \(imported[.flatBufferUnionView])") { writer in
        cases(to: &writer)
        writer.blank()
        initializer(to: &writer)
        writer.blank()
        verifier(to: &writer)
        writer.blank()
        codes(to: &writer)
      }
    }
  }

  private func readerName(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .table(let id): names.reader(id)
    case .structure(let id): names.reader(id)
    case .string: imported[.string]
    }
  }

  private func cases(to writer: inout CodeWriter) {
    for member in definition.members {
      writer.documentation(member.declaration.documentation)
      writer.line("case \(names.caseName(member))(\(readerName(member)))")
    }
    writer.line("/// A member that this version does not know, by its type code.")
    writer.line("case unknown(\(codeType))")
  }

  private func initializer(to writer: inout CodeWriter) {
    writer.line("/// Sees `member` as what `code` says it is; nil when that is nothing, or it cannot be read.")
    let parameters: CodeText = "code: \(codeType), member: \(imported[.flatBufferUnionMember])"
    writer.block("@inline(__always) public init?(\(parameters))") { writer in
      writer.line("switch code {")
      writer.line("case 0:")
      writer.line("  return nil")
      for member in definition.members {
        writer.line("case \(member.codeText):")
        let (read, value) =
          switch member.type {
          case .string: ("string", "member")
          case .structure: ("structure(\(readerName(member)).self)", "member")
          case .table: ("table", "\(readerName(member))(member)")
          }
        writer.line("  guard let member = member.\(read) else { return nil }")
        writer.line("  self = .\(names.caseName(member))(\(value))")
      }
      writer.line("default:")
      writer.line("  self = .unknown(code)")
      writer.line("}")
    }
  }

  /// Writes the verifier, which the protocol documents.
  private func verifier(to writer: inout CodeWriter) {
    writer.list(
      "public static func verify(",
      [
        "_ verifier: inout \(imported[.flatBufferVerifier])", "code: \(codeType)", "at position: \(imported[.int])",
      ],
      ") throws(\(imported[.flatBufferError])) {")
    writer.indented { writer in
      writer.line("switch code {")
      for member in definition.members {
        switch member.type {
        case .string: writer.line("case \(member.codeText): try verifier.string(at: position)")
        case .structure(let id):
          let layout = "size: \(schema[id].size), alignment: \(schema[id].alignment)"
          writer.line("case \(member.codeText): try verifier.structure(\(layout), at: position)")
        case .table:
          writer.line("case \(member.codeText): try \(readerName(member)).verify(&verifier, at: position)")
        }
      }
      writer.line("default: break")
      writer.line("}")
    }
    writer.line("}")
  }

  private func codes(to writer: inout CodeWriter) {
    writer.line("/// The type codes of the members, for writing them.")
    writer.block("public enum Code") { writer in
      for member in definition.members {
        writer.line("public static var \(names.caseName(member)): \(codeType) { \(member.codeText) }")
      }
    }
  }
}

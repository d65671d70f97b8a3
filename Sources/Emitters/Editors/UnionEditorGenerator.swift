import FBSSchema

/// Generates a union's editor, which gives the editor of its member.
struct UnionEditorGenerator {
  private let definition: UnionDefinition
  private let declared: Namer.DeclaredName
  private let names: Namer
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: UnionID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.union(id))
    names = unit.names
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    let name = declared.with(Namer.Suffix.editor)
    let codeType = imported[definition.codeType]
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(
        "Changes the member of \(definition.name.withArticle) in place, within a buffer.",
        then: definition.declaration.documentation)
      writer.block("public enum \(name): \(imported[.flatBufferUnionEditorView])") { writer in
        for member in definition.members {
          writer.documentation(member.declaration.documentation)
          writer.line("case \(names.caseName(member))(\(type(member)))")
        }
        writer.line("/// A member that this version does not know, by its type code.")
        writer.line("case unknown(\(codeType))")
        writer.blank()
        writer.line("/// Sees `member` as what `code` says it is; nil when that is nothing, or it cannot be read.")
        writer.block("public init?(code: \(codeType), member: \(imported[.flatBufferUnionMemberEditor]))") { writer in
          writer.line("switch code {")
          writer.line("case 0:")
          writer.line("  return nil")
          for member in definition.members {
            writer.line("case \(member.codeText):")
            writer.line("  guard let member = member.\(read(member)) else { return nil }")
            writer.line("  self = .\(names.caseName(member))(member)")
          }
          writer.line("default:")
          writer.line("  self = .unknown(code)")
          writer.line("}")
        }
      }
    }
  }

  private func type(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .string: imported[.string]
    case .structure(let id): names.editor(id)
    case .table(let id): names.editor(id)
    }
  }

  private func read(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .string: "string"
    case .structure: "structure(\(type(member)).self)"
    case .table: "table(\(type(member)).self)"
    }
  }
}

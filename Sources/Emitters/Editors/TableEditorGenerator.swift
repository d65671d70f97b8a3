import FBSSchema

/// Generates a table's editor, which reads fields and changes them in place.
struct TableEditorGenerator {
  private let definition: TableDefinition
  private let declared: Namer.DeclaredName
  private let fields: [SwiftField]
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.table(id))
    fields = SwiftField.live(definition, in: unit)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    let name = declared.with(Namer.Suffix.editor)
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(
        "Changes \(definition.name.withArticle) in place, within a buffer.",
        then: definition.declaration.documentation)
      writer.block("public struct \(name): \(imported[.flatBufferTableEditorView])") { writer in
        writer.line("public let _editor: \(imported[.flatBufferTableEditor])")
        writer.blank()
        writer.block("public init(_ editor: \(imported[.flatBufferTableEditor]))") { $0.line("_editor = editor") }
        for field in fields {
          guard let type = field.editorType, let read = field.editorRead else { continue }
          writer.blank()
          writer.documentation(field.field.declaration.documentation)
          writer.line("public var \(field.name): \(type) { \(read) }")
          guard let (argument, change) = field.editorChange else { continue }
          writer.line("/// Changes \(field.documentedName); false when it is absent, so that there is no room for it.")
          writer.block("public func mutate(\(field.parameter): \(argument)) -> \(imported[.bool])") { $0.line(change) }
        }
      }
    }
  }
}

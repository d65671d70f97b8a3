import FBSSchema

/// Generates a struct's editor, which reads and sets all fields.
struct StructEditorGenerator {
  private let definition: StructDefinition
  private let declared: Namer.DeclaredName
  private let fields: [SwiftStructField]
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: StructID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.structure(id))
    fields = SwiftStructField.all(definition, in: unit)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    let name = declared.with(Namer.Suffix.editor)
    let value = declared.with(Namer.Suffix.value)
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(
        "Changes \(definition.name.withArticle) in place, within a buffer.",
        then: definition.declaration.documentation)
      writer.block("public struct \(name): \(imported[.flatBufferStructEditorView])") { writer in
        writer.line("public typealias Value = \(value)")
        writer.line("public let _editor: \(imported[.flatBufferStructEditor])")
        writer.blank()
        writer.block("public init(_ editor: \(imported[.flatBufferStructEditor]))") { $0.line("_editor = editor") }
        for field in fields {
          writer.blank()
          writer.documentation(field.field.declaration.documentation)
          guard let set = field.editorSet else {
            writer.line("public var \(field.name): \(field.editorType) { \(field.editorRead) }")
            continue
          }
          writer.block("public var \(field.name): \(field.editorType)") { writer in
            writer.line("get { \(field.editorRead) }")
            writer.line("nonmutating set { \(set) }")
          }
        }
      }
    }
  }
}

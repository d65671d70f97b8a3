import FBSSchema

/// A struct's editor: all its fields can be read and set.
struct StructEditorGenerator {
  private let definition: StructDefinition
  private let fields: [SwiftStructField]

  init(_ unit: EmissionUnit, _ id: StructID) {
    definition = unit.schema[id]
    fields = SwiftStructField.all(definition, in: unit)
  }

  func emit(to writer: inout CodeWriter) {
    let name = SwiftKeywords.escape(definition.name.name + Namer.Suffix.editor)
    let value = SwiftKeywords.escape(definition.name.name + Namer.Suffix.value)
    writer.declaration(in: definition.name.namespace) { writer in
      writer.documentation(
        "Changes \(definition.name.withArticle) where it stands in a buffer.",
        then: definition.declaration.documentation)
      writer.block("public struct \(name): FlatBufferStructEditorView") { writer in
        writer.line("public typealias Value = \(value)")
        writer.line("public let _editor: FlatBufferStructEditor")
        writer.blank()
        writer.block("public init(_ editor: FlatBufferStructEditor)") { $0.line("_editor = editor") }
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

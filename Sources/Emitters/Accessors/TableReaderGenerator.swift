import FBSSchema

/// A table's reader: properties that read in place, a function that writes one, and one that checks one.
struct TableReaderGenerator {
  private let definition: TableDefinition
  private let name: String
  private let fields: [SwiftField]

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    name = SwiftKeywords.escape(definition.name.name + Namer.Suffix.reader)
    fields = SwiftField.live(definition, in: unit)
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: definition.name.namespace) { writer in
      writer.documentation(
        "Reads \(definition.name.withArticle) where it stands in a buffer.", then: definition.declaration.documentation)
      writer.block("public struct \(name): FlatBufferTableView") { writer in
        writer.line("public let _table: FlatBufferTable")
        writer.blank()
        writer.block("public init(_ table: FlatBufferTable)") { $0.line("_table = table") }
        if !fields.isEmpty {
          writer.blank()
        }
        for field in fields {
          writer.documentation(field.field.declaration.documentation)
          writer.line("public var \(field.name): \(field.readerType) { \(field.readerRead) }")
        }
        writer.blank()
        create(to: &writer)
        writer.blank()
        verifier(to: &writer)
      }
    }
  }

  private func create(to writer: inout CodeWriter) {
    // The fields are parameters beside it.
    let builder = fields.contains { $0.name == "builder" } ? "_builder" : "builder"
    writer.line(
      "/// Writes \(definition.name.withArticle). What it refers to (strings, vectors, tables) is written before it.")
    writer.list(
      "public static func create(",
      ["in \(builder): inout FlatBufferBuilder"] + fields.flatMap(\.createParameters),
      ") -> Offset {")
    writer.indented { writer in
      writer.line("\(builder).startTable(fieldCount: \(definition.slotCount))")
      for statement in fields.flatMap({ $0.createStatements(builder: builder) }) {
        writer.line(statement)
      }
      writer.line("return \(builder).endTable()")
    }
    writer.line("}")
  }

  private func verifier(to writer: inout CodeWriter) {
    writer.line("/// Checks the table at `position`, and all that it refers to.")
    writer.block(
      "public static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError)"
    ) { writer in
      writer.line(
        fields.isEmpty
          ? "_ = try verifier.beginTable(at: position)" : "let table = try verifier.beginTable(at: position)")
      for field in fields {
        writer.line(field.verifyStatement)
      }
      writer.line("verifier.endTable()")
    }
  }
}

import FBSSchema

/// Generates a table's reader: properties that read in place, a function that writes a table, and one that verifies it.
struct TableReaderGenerator {
  private let definition: TableDefinition
  private let declared: Namer.DeclaredName
  private let name: String
  private let fields: [SwiftField]
  private let derived: DerivedNames
  private let root: SchemaFile?
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.table(id))
    name = declared.with(Namer.Suffix.reader)
    fields = SwiftField.live(definition, in: unit)
    derived = DerivedNames(beside: fields, of: declared)
    root = unit.file.rootTable == id ? unit.file : nil
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      let hasStrings = fields.contains { derived.utf8(of: $0) != nil }
      let bytes = hasStrings ? "; `…UTF8` are the bytes of strings, without a copy" : ""
      writer.documentation(
        "Reads \(definition.name.withArticle) in place, within a buffer\(bytes).",
        then: definition.declaration.documentation)
      let key = fields.first(where: \.isKey)
      let keyed = key.map { ", \(imported[$0.keyProtocol])" } ?? ""
      writer.block("public struct \(name): \(imported[.flatBufferTableView])\(keyed)") { writer in
        writer.line("public let _table: \(imported[.flatBufferTable])")
        writer.line("public init(_ table: \(imported[.flatBufferTable])) { _table = table }")
        if !fields.isEmpty {
          writer.blank()
        }
        for field in fields {
          writer.documentation(field.field.declaration.documentation)
          // Reading a string copies it, which costs more than a call.
          let attributes = field.field.type == .string ? Attributes.compiledWhereUsed : Attributes.inlined
          writer.line("\(attributes) public var \(field.name): \(field.readerType) { \(field.readerRead) }")
          utf8(of: field, to: &writer)
          nestedRoot(of: field, to: &writer)
        }
        statics(key, to: &writer)
        writer.blank()
        create(to: &writer)
        writer.blank()
        verifier(to: &writer)
      }
    }
  }

  /// Writes the property with a string's bytes, for callers that need no `String`.
  private func utf8(of field: SwiftField, to writer: inout CodeWriter) {
    guard let name = derived.utf8(of: field) else { return }
    let type: CodeText = "\(imported[.flatBufferVector])<\(imported[.uint8])>?"
    writer.line("\(Attributes.inlined) public var \(name): \(type) { _table.bytes(\(field.slotArgument)) }")
  }

  /// Writes the property with the root of the FlatBuffer that is nested in a field.
  private func nestedRoot(of field: SwiftField, to writer: inout CodeWriter) {
    guard let type = field.nestedRoot, let name = derived.root(of: field) else { return }
    writer.line("/// The root of the FlatBuffer in \(field.documentedName).")
    writer.line("public var \(name): \(type)? { _table.nestedRoot(\(field.slotArgument)) }")
  }

  /// Writes the static members.
  private func statics(_ key: SwiftField?, to writer: inout CodeWriter) {
    if let key {
      writer.blank()
      writer.line("/// Vectors are sorted by, and searched for, \(key.documentedName).")
      for member in key.keyMembers(of: name) { writer.line(member) }
    }
    root?.emitStatics(imported, to: &writer)
  }

  private func create(to writer: inout CodeWriter) {
    // The builder's parameter stands beside those of the fields.
    let names = Set(fields.map(\.name))
    var builder = "builder"
    while names.contains(builder) { builder = "_" + builder }
    writer.line(
      "/// Writes \(definition.name.withArticle). What it refers to (strings, vectors, tables) is written before it.")
    writer.list(
      "\(Attributes.compiledWhereUsed) public static func create(",
      ["in \(builder): inout \(imported[.flatBufferBuilder])"] + fields.flatMap(\.createParameters),
      ") -> \(imported[.offset]) {")
    writer.indented { writer in
      SwiftField.writeTable(
        fields, slotCount: definition.slotCount, \.parameterValues, builder: builder, to: &writer)
    }
    writer.line("}")
  }

  /// Writes the verifier, which the protocol documents.
  private func verifier(to writer: inout CodeWriter) {
    let parameters: CodeText = "_ verifier: inout \(imported[.flatBufferVerifier]), at position: \(imported[.int])"
    writer.block("public static func verify(\(parameters)) throws(\(imported[.flatBufferError]))") { writer in
      writer.line("try verifier.beginFields(ofTableAt: position)")
      for field in fields {
        writer.line(field.verifyStatement)
      }
      writer.line("try verifier.endFields()")
    }
  }
}

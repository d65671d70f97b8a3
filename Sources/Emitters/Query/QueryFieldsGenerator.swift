import FBSSchema

/// Generates the query fields of a table: fields for queries of the table itself, if it is a root, and fields for
/// queries of objects that hold such a table.
struct QueryFieldsGenerator {
  private let definition: TableDefinition
  private let modelName: String
  private let isRoot: Bool
  private let fields: [SwiftField]
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    modelName = unit.names.model(id)
    isRoot = unit.isRoot(id)
    fields = SwiftField.live(definition, in: unit)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("extension \(modelName)") { writer in
      if isRoot {
        for field in fields {
          property(field, to: &writer)
        }
        if !fields.isEmpty {
          writer.blank()
        }
      }
      // Written for a root, too: an object of another type may hold one, perhaps in a file that includes this one.
      let properties = fields.map { ($0.name, $0.field.declaration, $0.query(element: "Element", path: "_path")) }
      writer.nestedFields(of: definition.name, properties, imported)
    }
  }

  private func property(_ field: SwiftField, to writer: inout CodeWriter) {
    guard let query = field.query(element: modelName, path: ".root") else { return }
    writer.documentation(field.field.declaration.documentation)
    writer.line("public static let \(field.name) = \(query.type)(\(query.arguments))")
  }
}

/// Generates the query fields of a struct, for queries of objects that hold such a struct.
struct StructFieldsGenerator {
  private let definition: StructDefinition
  private let modelName: String
  private let fields: [SwiftStructField]
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: StructID) {
    definition = unit.schema[id]
    modelName = unit.names.model(id)
    fields = SwiftStructField.all(definition, in: unit)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    let properties = fields.map { ($0.name, $0.field.declaration, $0.query(element: "Element", path: "_path")) }
    writer.blank()
    writer.block("extension \(modelName)") { $0.nestedFields(of: definition.name, properties, imported) }
  }
}

extension CodeWriter {
  /// Writes the type whose properties are the fields of a table or struct within an object.
  fileprivate mutating func nestedFields(
    of name: QualifiedName,
    _ properties: [(name: String, declaration: Declaration, query: (type: CodeText, arguments: CodeText)?)],
    _ imported: ImportedTypeNames
  ) {
    line("/// The fields of \(name.withArticle) within an `Element`, for use in a query.")
    block("public struct Fields<Element: \(imported[.atom])>: \(imported[.nestedFields])") { writer in
      writer.line("public let _path: \(imported[.fieldPath])")
      writer.line("public init(_ path: \(imported[.fieldPath])) { _path = path }")
      if properties.contains(where: { $0.query != nil }) {
        writer.blank()
      }
      for property in properties {
        guard let query = property.query else { continue }
        writer.documentation(property.declaration.documentation)
        let declaration = "\(Attributes.compiledWhereUsed) public var \(property.name)"
        writer.line("\(declaration): \(query.type) { .init(\(query.arguments)) }")
      }
    }
  }
}

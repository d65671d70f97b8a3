import FBSSchema

/// Describes the types of one file in Markdown: a heading for each, its documentation, and a table of its parts.
struct SchemaTables {
  private let unit: EmissionUnit
  private var schema: Schema { unit.schema }

  init(_ unit: EmissionUnit) {
    self.unit = unit
  }

  func emit(to writer: inout CodeWriter) {
    for definition in unit.file.definitions {
      let declaration = schema.declaration(of: definition)
      head(kind(definition), schema.name(of: definition), declaration, to: &writer)
      switch definition {
      case .enumeration(let id):
        table(["Value", "Number", "Attributes", "Description"], to: &writer) {
          schema[id].names.map { value in
            [MarkdownText.code(value.name), schema[id].literal(value)] + notes(value.declaration)
          }
        }
      case .structure(let id):
        table(["Field", "Type", "Offset", "Attributes", "Description"], to: &writer) {
          schema[id].fields.map { field in
            [
              MarkdownText.code(field.name), MarkdownText.code(SchemaTypeName(schema).of(field.type)),
              String(field.offset),
            ] + notes(field.declaration)
          }
        }
      case .table(let id):
        table(["Id", "Field", "Type", "Default", "Attributes", "Description"], to: &writer) {
          schema[id].fields.map { field in
            [
              String(field.id), MarkdownText.code(field.name),
              MarkdownText.code(SchemaTypeName(schema).of(field.type)), value(of: field),
            ] + notes(field.declaration)
          }
        }
      case .union(let id):
        table(["Member", "Type", "Code", "Attributes", "Description"], to: &writer) {
          schema[id].members.map { member in
            [
              MarkdownText.code(member.name), MarkdownText.code(SchemaTypeName(schema).of(member.type)),
              member.codeText,
            ] + notes(member.declaration)
          }
        }
      }
    }
    for id in unit.file.services {
      head("Service", schema[id].name, schema[id].declaration, to: &writer)
      table(["Method", "Takes", "Gives", "Attributes", "Description"], to: &writer) {
        schema[id].methods.map { method in
          [
            MarkdownText.code(method.name), MarkdownText.code(schema[method.request].name.description),
            MarkdownText.code(schema[method.response].name.description),
          ] + notes(method.declaration)
        }
      }
    }
  }

  private func kind(_ definition: DefinitionID) -> String {
    switch definition {
    case .enumeration(let id):
      "\(schema[id].isBitFlags ? "Bit flags" : "Enum") of \(schema[id].underlyingType.rawValue)"
    case .structure(let id): "Struct of \(schema[id].size) bytes"
    case .table(let id): id == unit.file.rootTable ? "Root table" : "Table"
    case .union: "Union"
    }
  }

  private func head(_ kind: String, _ name: QualifiedName, _ declaration: Declaration, to writer: inout CodeWriter) {
    writer.blank()
    writer.line("## \(MarkdownText.plain(name.description))")
    writer.blank()
    let attributes = attributes(declaration)
    writer.line(kind + (attributes.isEmpty ? "." : ": \(attributes)."))
    if !declaration.documentation.isEmpty {
      writer.blank()
      writer.line(MarkdownText.plain(documentation: declaration.documentation))
    }
    writer.blank()
  }

  private func table(_ columns: [String], to writer: inout CodeWriter, rows: () -> [[String]]) {
    let rows = rows()
    guard !rows.isEmpty else {
      writer.line("It is empty.")
      return
    }
    // Empty columns are left out.
    let used = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
    writer.line("| \(used.map { columns[$0] }.joined(separator: " | ")) |")
    writer.line("|" + String(repeating: "---|", count: used.count))
    for row in rows {
      writer.line("| \(used.map { row[$0] }.joined(separator: " | ")) |")
    }
  }

  private func notes(_ declaration: Declaration) -> [String] {
    [attributes(declaration), MarkdownText.plain(documentation: declaration.documentation)]
  }

  private func attributes(_ declaration: Declaration) -> String {
    declaration.attributes.map { attribute in
      switch attribute.value {
      case nil: MarkdownText.code(attribute.name)
      case .integer(let value)?: MarkdownText.code("\(attribute.name): \(value)")
      case .string(let value)?: MarkdownText.code("\(attribute.name): \(swiftStringLiteral(value))")
      }
    }.joined(separator: ", ")
  }

  /// Returns the value of an absent field.
  private func value(of field: FieldDefinition) -> String {
    if let text = SchemaDefaultText(schema).of(field) { return MarkdownText.code(text) }
    return field.presence == .required ? "required" : ""
  }
}

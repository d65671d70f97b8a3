import FBSDiagnostics
import FBSParser
import FBSSchema

/// Formats one input's schema as JSON.
struct SchemaJSON {
  private let schema: Schema
  private let file: SchemaFile
  private let scope: SchemaScope

  /// The version of the format. It rises if a reader of the format before would misread this one.
  static let formatVersion = 1

  init(schema: Schema, file: SchemaFile) {
    self.schema = schema
    self.file = file
    scope = SchemaScope(schema, of: file)
  }

  func text() -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("formatVersion", Self.formatVersion)
      writer.member("file", scope.path(of: file))
      writer.member("rootTable", file.rootTable.map { schema[$0].name.description })
      writer.member("fileIdentifier", file.fileIdentifier)
      writer.member("fileExtension", file.fileExtension)
      writer.array("files", scope.files) { write($1, &$0) }
      writer.array("enums", definitions { if case .enumeration(let id) = $0 { id } else { nil } }) {
        write(schema[$1.0], $1.1, &$0)
      }
      writer.array("structs", definitions { if case .structure(let id) = $0 { id } else { nil } }) {
        write(schema[$1.0], $1.1, &$0)
      }
      writer.array("tables", definitions { if case .table(let id) = $0 { id } else { nil } }) {
        write(schema[$1.0], $1.1, &$0)
      }
      writer.array("unions", definitions { if case .union(let id) = $0 { id } else { nil } }) {
        write(schema[$1.0], $1.1, &$0)
      }
      writer.key("services")
      let services = scope.files.flatMap { file in file.services.map { ($0, scope.path(of: file)) } }
      writer.array(services) { write(schema[$1.0], $1.1, &$0) }
    }
    writer.finish()
    return writer.bytes
  }

  /// Returns the definitions of one kind, each with the path of its file, in the order of the files and of their text.
  private func definitions<ID>(_ select: (DefinitionID) -> ID?) -> [(ID, String)] {
    scope.files.flatMap { file in
      let path = scope.path(of: file)
      return file.definitions.compactMap { definition in select(definition).map { ($0, path) } }
    }
  }

  private func write(_ file: SchemaFile, _ writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("path", scope.path(of: file))
      writer.array("includes", file.includes, isShort: true) { $0.value(scope.path(of: schema[$1])) }
      writer.array("declaredAttributes", file.declaredAttributes, isShort: true) { $0.value($1) }
    }
  }

  // MARK: Definitions

  private func write(_ definition: EnumDefinition, _ path: String, _ writer: inout JSONWriter) {
    writer.object { writer in
      write(definition.name, path, definition.declaration, &writer)
      writer.member("underlyingType", definition.underlyingType.rawValue)
      writer.member("isBitFlags", definition.isBitFlags)
      writer.array("values", definition.names) { writer, value in
        writer.object { writer in
          writer.member("name", value.name)
          writer.key("number")
          writer.raw(
            definition.underlyingType == .uint64 ? String(UInt64(bitPattern: value.number)) : String(value.number))
          write(value.declaration, &writer)
        }
      }
    }
  }

  private func write(_ definition: UnionDefinition, _ path: String, _ writer: inout JSONWriter) {
    writer.object { writer in
      write(definition.name, path, definition.declaration, &writer)
      writer.member("underlyingType", definition.underlyingType.rawValue)
      writer.array("members", definition.members) { writer, member in
        writer.object { writer in
          writer.member("name", member.name)
          writer.key("code")
          writer.raw(member.codeText)
          writer.key("type")
          switch member.type {
          case .table(let id): write("table", schema[id].name, &writer)
          case .structure(let id): write("struct", schema[id].name, &writer)
          case .string: write("string", nil, &writer)
          }
          write(member.declaration, &writer)
        }
      }
    }
  }

  private func write(_ definition: StructDefinition, _ path: String, _ writer: inout JSONWriter) {
    writer.object { writer in
      write(definition.name, path, definition.declaration, &writer)
      writer.member("size", definition.size)
      writer.member("alignment", definition.alignment)
      writer.array("fields", definition.fields) { writer, field in
        writer.object { writer in
          writer.member("name", field.name)
          writer.key("type")
          write(field.type, &writer)
          writer.member("offset", field.offset)
          write(field.declaration, &writer)
        }
      }
    }
  }

  private func write(_ definition: TableDefinition, _ path: String, _ writer: inout JSONWriter) {
    writer.object { writer in
      write(definition.name, path, definition.declaration, &writer)
      writer.member("slotCount", definition.slotCount)
      writer.array("fields", definition.fields) { writer, field in
        writer.object { writer in
          writer.member("name", field.name)
          writer.member("id", field.id)
          writer.key("type")
          write(field.type, &writer)
          write(field.presence, of: field.type, &writer)
          writer.member("isDeprecated", field.isDeprecated)
          write(field.declaration, &writer)
        }
      }
    }
  }

  private func write(_ service: ServiceDefinition, _ path: String, _ writer: inout JSONWriter) {
    writer.object { writer in
      write(service.name, path, service.declaration, &writer)
      writer.array("methods", service.methods) { writer, method in
        writer.object { writer in
          writer.member("name", method.name)
          writer.member("request", schema[method.request].name.description)
          writer.member("response", schema[method.response].name.description)
          write(method.declaration, &writer)
        }
      }
    }
  }

  private func write(
    _ name: QualifiedName, _ path: String, _ declaration: Declaration, _ writer: inout JSONWriter
  ) {
    writer.member("name", name.description)
    writer.member("file", path)
    write(declaration, &writer)
  }

  private func write(_ declaration: Declaration, _ writer: inout JSONWriter) {
    writer.array("documentation", declaration.documentation) { $0.value($1) }
    writer.array("attributes", declaration.attributes) { writer, attribute in
      writer.object(isShort: true) { writer in
        writer.member("name", attribute.name)
        writer.key("value")
        switch attribute.value {
        case nil: writer.raw("null")
        case .integer(let number): writer.raw(String(number))
        case .string(let text): writer.value(text)
        }
      }
    }
  }
}

// MARK: - Types and defaults

extension SchemaJSON {
  /// Writes a type: its kind, and the name of its definition in the schema, if it has one.
  private func write(_ kind: String, _ name: QualifiedName?, _ writer: inout JSONWriter) {
    writer.object(isShort: true) { writer in
      writer.member("kind", kind)
      if let name { writer.member("name", name.description) }
    }
  }

  private func write(_ type: FieldType, _ writer: inout JSONWriter) {
    switch type {
    case .scalar(let scalar): write(scalar.rawValue, nil, &writer)
    case .enumeration(let id): write("enum", schema[id].name, &writer)
    case .string: write("string", nil, &writer)
    case .structure(let id): write("struct", schema[id].name, &writer)
    case .table(let id): write("table", schema[id].name, &writer)
    case .union(let id): write("union", schema[id].name, &writer)
    case .vector(of: let element):
      writer.object(isShort: true) { writer in
        writer.member("kind", "vector")
        writer.key("element")
        write(element, &writer)
      }
    }
  }

  private func write(_ type: ElementType, _ writer: inout JSONWriter) {
    switch type {
    case .scalar(let scalar): write(scalar.rawValue, nil, &writer)
    case .enumeration(let id): write("enum", schema[id].name, &writer)
    case .string: write("string", nil, &writer)
    case .structure(let id): write("struct", schema[id].name, &writer)
    case .table(let id): write("table", schema[id].name, &writer)
    case .union(let id): write("union", schema[id].name, &writer)
    }
  }

  private func write(_ type: StructDefinition.FieldType, _ writer: inout JSONWriter) {
    switch type {
    case .scalar(let scalar): write(scalar.rawValue, nil, &writer)
    case .enumeration(let id): write("enum", schema[id].name, &writer)
    case .structure(let id): write("struct", schema[id].name, &writer)
    case .array(of: let element, let count):
      writer.object(isShort: true) { writer in
        writer.member("kind", "array")
        writer.member("count", count)
        writer.key("element")
        write(element, &writer)
      }
    }
  }

  private func write(_ presence: FieldDefinition.Presence, of type: FieldType, _ writer: inout JSONWriter) {
    switch presence {
    case .optional: writer.member("presence", "optional")
    case .required: writer.member("presence", "required")
    case .defaulted, .defaultedObject: writer.member("presence", "defaulted")
    }
    writer.key("default")
    switch presence {
    case .optional, .required: writer.raw("null")
    case .defaultedObject(let text): if type == .string { writer.value(text) } else { writer.raw("[]") }
    case .defaulted(.bool(let value)): writer.raw(value ? "true" : "false")
    case .defaulted(.integer(let value)): writer.raw(String(value))
    case .defaulted(.unsigned(let value)): writer.raw(String(value))
    case .defaulted(.real(let value)): write(value, &writer)
    }
  }

  /// Writes a floating-point number. Infinities and NaN, which JSON lacks, are strings.
  private func write(_ value: Double, _ writer: inout JSONWriter) {
    if value.isNaN {
      writer.value("nan")
    } else if value.isInfinite {
      writer.value(value < 0 ? "-inf" : "inf")
    } else {
      writer.raw(value.description)
    }
  }
}

import FBSSchema

/// Generates a struct of the data model.
struct StructModelGenerator {
  private let definition: StructDefinition
  private let declared: Namer.DeclaredName
  private let fields: [SwiftStructField]
  private let imported: ImportedTypeNames
  private let codable: CodableGenerator?

  init(_ unit: EmissionUnit, _ id: StructID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.structure(id))
    fields = SwiftStructField.all(definition, in: unit)
    imported = unit.imported
    codable = CodableGenerator(unit, .structure(id))
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let name = declared.model
      let protocols: CodeText =
        definition.byteCount == nil
        ? imported[.equatable, .sendable, .flatBufferStructDecodable] : "\(imported[.fixedBytes])"
      let mirror = IndirectMirror(fields, imported)
      writer.block("public struct \(name): \(protocols)\(mirror.conformance)\(codable?.conformance ?? "")") { writer in
        for field in fields {
          writer.documentation(field.field.declaration.documentation)
          let wrapper: CodeText = field.wrapper.map { "@\($0) " } ?? ""
          writer.line("\(wrapper)public var \(field.name): \(field.modelType)")
        }
        mirror.emit(to: &writer)
        writer.blank()
        writer.list("public init(", fields.map { "\($0.parameter): \($0.modelType)? = nil" }, ") {")
        writer.indented { writer in
          for field in fields {
            let value: CodeText =
              field.wrapper == nil
              ? "\(field.name) ?? \(field.modelDefault)" : ".init(\(field.name), default: \(field.modelDefault))"
            writer.line("self.\(field.storedName) = \(value)")
          }
        }
        writer.line("}")
        writer.blank()
        writer.block("public init(_ structure: \(imported[.flatBufferStruct]))") { writer in
          for field in fields {
            let read = field.modelRead
            writer.line("self.\(field.storedName) = \(field.wrapper == nil ? read : ".init(stored: \(read))")")
          }
        }
        writer.blank()
        writer.line("public static var byteSize: \(imported[.int]) { \(definition.size) }")
        writer.line("public static var byteAlignment: \(imported[.int]) { \(definition.alignment) }")
        if definition.byteCount != nil {
          writer.blank()
          writer.line("public var _bytes: [\(imported[.uint8])] { self.\(fields[0].name) }")
        }
      }
    }
    codable?.emit(fields, to: &writer)
  }
}

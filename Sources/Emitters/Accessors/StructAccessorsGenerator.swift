import FBSSchema

/// A struct's accessors: a reader of the bytes in place, and a value to be written.
struct StructAccessorsGenerator {
  private let definition: StructDefinition
  private let declared: Namer.DeclaredName
  private let fields: [SwiftStructField]

  init(_ unit: EmissionUnit, _ id: StructID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.structure(id))
    fields = SwiftStructField.all(definition, in: unit)
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      reader(to: &writer)
      writer.blank()
      value(to: &writer)
    }
  }

  private func layout(to writer: inout CodeWriter) {
    writer.line("public static var byteSize: Int { \(definition.size) }")
    writer.line("public static var byteAlignment: Int { \(definition.alignment) }")
  }

  private func reader(to writer: inout CodeWriter) {
    let name = declared.with(Namer.Suffix.reader)
    writer.documentation(
      "Reads \(definition.name.withArticle) where it stands in a buffer.", then: definition.declaration.documentation)
    writer.block("public struct \(name): FlatBufferStructView\(keyProtocol)") { writer in
      layout(to: &writer)
      writer.line("public let _structure: FlatBufferStruct")
      writer.line("public init(_ structure: FlatBufferStruct) { _structure = structure }")
      writer.blank()
      for field in fields {
        writer.documentation(field.field.declaration.documentation)
        writer.line("@inline(__always) public var \(field.name): \(field.readerType) { \(field.readerRead) }")
      }
      keyMember(of: name, to: &writer)
    }
  }

  private func value(to writer: inout CodeWriter) {
    let name = declared.with(Namer.Suffix.value)
    writer.line("/// \(definition.name.withArticle.capitalizedFirst) to be written.")
    writer.block("public struct \(name): FlatBufferStructWritable\(keyProtocol), Hashable, Sendable") { writer in
      for field in fields {
        writer.documentation(field.field.declaration.documentation)
        writer.line("public var \(field.name): \(field.valueType)")
      }
      writer.blank()
      writer.list("public init(", fields.map { "\($0.parameter): \($0.valueType) = \($0.valueDefault)" }, ") {")
      writer.indented { writer in
        for field in fields {
          writer.line("self.\(field.name) = \(field.name)")
        }
      }
      writer.line("}")
      writer.blank()
      layout(to: &writer)
      writer.blank()
      writer.block("public func write(to writer: inout FlatBufferStructWriter)") { writer in
        for field in fields {
          writer.line(field.writeStatement)
        }
      }
      keyMember(of: name, to: &writer)
    }
  }

  private var key: SwiftStructField? { fields.first(where: \.isKey) }

  private var keyProtocol: String { key == nil ? "" : ", FlatBufferScalarKeyed" }

  private func keyMember(of type: String, to writer: inout CodeWriter) {
    guard let key else { return }
    writer.blank()
    writer.line("/// Vectors are sorted by, and searched for, \(key.documentedName).")
    writer.line(key.keyMember(of: type))
  }
}

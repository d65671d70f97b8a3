import FBSSchema

/// Writes a struct of the data model.
struct StructSerializerGenerator {
  private let modelName: String
  private let valueName: String
  private let fields: [SwiftStructField]
  private let canFail: Bool
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: StructID) {
    modelName = unit.names.model(id)
    valueName = unit.names.value(id)
    fields = SwiftStructField.all(unit.schema[id], in: unit)
    canFail = unit.traits.encodingFailures.contains(id)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    let infallible: CodeText = canFail ? "" : ", \(imported[.infallibleFlatBuffersEncodable])"
    writer.block("extension \(modelName): \(imported[.flatBufferStructEncodable])\(infallible)") { writer in
      writer.line("/// The struct as it is written.")
      writer.block("public var _value: \(valueName)") { writer in
        guard fields.count > CodeWriter.longestCall else {
          return writer.list("\(valueName)(", fields.map { "\($0.label): \($0.writtenValue)" }, ")")
        }
        writer.line("var value = \(valueName)()")
        for field in fields {
          writer.line("value.\(field.name) = \(field.writtenValue)")
        }
        writer.line("return value")
      }
    }
  }
}

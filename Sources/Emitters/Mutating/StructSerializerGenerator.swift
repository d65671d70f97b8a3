import FBSSchema

/// Generates the serializer of a struct of the data model.
struct StructSerializerGenerator {
  private let modelName: String
  private let valueName: String
  private let fields: [SwiftStructField]
  private let canFail: Bool
  private let failures: EncodingFailures
  private let definition: StructDefinition
  private let imported: ImportedTypeNames
  private let canRefuse: Bool

  init(_ unit: EmissionUnit, _ id: StructID) {
    modelName = unit.names.model(id)
    valueName = unit.names.value(id)
    fields = SwiftStructField.all(unit.schema[id], in: unit)
    definition = unit.schema[id]
    failures = unit.traits.encodingFailures
    canFail = failures.contains(id)
    canRefuse = failures.canRefuse(id)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    let infallible: CodeText = canFail ? "" : ", \(imported[.infallibleFlatBuffersEncodable])"
    writer.block("extension \(modelName): \(imported[.flatBufferStructEncodable])\(infallible)") { writer in
      writer.line("/// The struct as it is written.")
      writer.block("public var _value: \(valueName)") { writer in
        if fields.count <= CodeWriter.longestCall {
          return writer.list("\(valueName)(", fields.map { "\($0.label): \($0.writtenValue)" }, ")")
        }
        writer.line("var value = \(valueName)()")
        for field in fields {
          writer.line("value.\(field.name) = \(field.writtenValue)")
        }
        writer.line("return value")
      }
      if canRefuse { check(to: &writer) }
    }
  }

  private func check(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("public func _check(in builder: inout \(imported[.flatBufferBuilder]))") { writer in
      for field in fields {
        if field.field.canRefuse {
          let name = swiftStringLiteral("\(definition.name.name).\(field.plainName)")
          writer.line("self.$\(field.plainName).check(\(name), in: &builder)")
          continue
        }
        guard case .structure(let id)? = field.field.type.definition, failures.canRefuse(id) else { continue }
        if case .array = field.field.type {
          writer.line("for element in self.\(field.name) { element._check(in: &builder) }")
        } else {
          writer.line("self.\(field.name)._check(in: &builder)")
        }
      }
    }
  }
}

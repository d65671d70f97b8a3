import FBSSchema

/// Writes a table of the data model as a FlatBuffer.
struct TableSerializerGenerator {
  private let modelName: String
  private let readerName: String
  private let fields: [SwiftField]
  private let isNesting: Bool
  private let canFail: Bool

  init(_ unit: EmissionUnit, _ id: TableID) {
    modelName = unit.names.model(id)
    readerName = unit.names.reader(id)
    fields = SwiftField.live(unit.schema[id], in: unit)
    isNesting = unit.traits.recursion.isNesting(id)
    canFail = unit.traits.encodingFailures.contains(id)
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("extension \(modelName): \(canFail ? "" : "Infallible")FlatBuffersEncodable") { writer in
      writer.block("public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset") { writer in
        if isNesting {
          writer.line("guard builder.descend() else { return builder.dropped }")
          writer.line("defer { builder.ascend() }")
        }
        // A table cannot be written while another one is open: so what it refers to comes first.
        for statement in fields.compactMap(\.serializeBefore) {
          writer.line(statement)
        }
        writer.list("return \(readerName).create(", ["in: &builder"] + fields.flatMap(\.createArguments), ")")
      }
    }
  }
}

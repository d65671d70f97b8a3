import FBSSchema

/// Writes a table of the data model as a FlatBuffer.
struct TableSerializerGenerator {
  private let modelName: String
  private let readerName: String
  private let fields: [SwiftField]
  private let isNesting: Bool
  private let canFail: Bool
  private let hasFileIdentifier: Bool

  init(_ unit: EmissionUnit, _ id: TableID) {
    modelName = unit.names.model(id)
    readerName = unit.names.reader(id)
    fields = SwiftField.live(unit.schema[id], in: unit)
    isNesting = unit.traits.recursion.isNesting(id)
    canFail = unit.traits.encodingFailures.contains(id)
    // Where several files have this root, only the first says what it is.
    hasFileIdentifier = unit.schema.files.first { $0.rootTable == id }?.fileIdentifier != nil
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
      if hasFileIdentifier {
        writer.blank()
        writer.line("public static var _fileIdentifier: String? { \(readerName).fileIdentifier }")
      }
    }
  }
}

import FBSSchema

/// Writes a table of the data model as a FlatBuffer.
struct TableSerializerGenerator {
  private let modelName: String
  private let readerName: String
  private let fields: [SwiftField]
  private let isNesting: Bool
  private let canFail: Bool
  private let has64BitObjects: Bool

  init(_ unit: EmissionUnit, _ id: TableID) {
    modelName = unit.names.model(id)
    readerName = unit.names.reader(id)
    fields = SwiftField.live(unit.schema[id], in: unit)
    isNesting = unit.traits.recursion.isNesting(id)
    canFail = unit.traits.encodingFailures.contains(id)
    has64BitObjects = unit.traits.offset64Reach.contains(id)
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    if has64BitObjects { return emitInTwoPasses(to: &writer) }
    writer.block("extension \(modelName): \(canFail ? "" : "Infallible")FlatBuffersEncodable") { writer in
      table("to(flatBufferBuilder builder: inout FlatBufferBuilder)", to: &writer)
    }
  }

  /// Objects with 64-bit offsets are written before all others, also those of the tables that this one holds. Both passes
  /// visit the fields in the same order, in which the second takes the offsets that the first has left.
  private func emitInTwoPasses(to writer: inout CodeWriter) {
    let protocols = "FlatBuffersOffset64Encodable" + (canFail ? "" : ", InfallibleFlatBuffersEncodable")
    writer.block("extension \(modelName): \(protocols)") { writer in
      writer.line("/// Writes the strings and vectors with 64-bit offsets, which come before all others.")
      writer.block("public func _write64BitObjects(to builder: inout FlatBufferBuilder)") { writer in
        if isNesting {
          writer.line("guard builder.descend() else { return }")
          writer.line("defer { builder.ascend() }")
        }
        for statement in fields.compactMap(\.serialize64BitObjects) {
          writer.line(statement)
        }
      }
      writer.blank()
      writer.line("/// Writes the table and everything else that it refers to.")
      table("_writeTable(to builder: inout FlatBufferBuilder)", to: &writer)
    }
  }

  private func table(_ function: String, to writer: inout CodeWriter) {
    writer.block("public func \(function) -> Offset") { writer in
      if isNesting {
        writer.line("guard builder.descend() else { return builder.dropped }")
        writer.line("defer { builder.ascend() }")
      }
      // A vector of unions is two arguments: so it is written before, and with it the fields before it, in their order.
      let writtenBefore = fields.lastIndex(where: \.isUnionVector).map { $0 + 1 } ?? 0
      for statement in fields[..<writtenBefore].compactMap(\.serializeBefore) {
        writer.line(statement)
      }
      let arguments = fields.enumerated().flatMap { $1.createArguments(isWritten: $0 < writtenBefore) }
      writer.list("return \(readerName).create(", ["in: &builder"] + arguments, ")")
    }
  }
}

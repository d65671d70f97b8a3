import FBSSchema

/// Generates the serializer of a table of the data model.
struct TableSerializerGenerator {
  private let modelName: String
  private let readerName: String
  private let slotCount: Int
  private let fields: [SwiftField]
  private let isNesting: Bool
  private let canFail: Bool
  private let has64BitObjects: Bool
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: TableID) {
    modelName = unit.names.model(id)
    readerName = unit.names.reader(id)
    slotCount = unit.schema[id].slotCount
    fields = SwiftField.live(id, in: unit)
    isNesting = unit.traits.recursion.isNesting(id)
    canFail = unit.traits.encodingFailures.contains(id)
    has64BitObjects = unit.traits.offset64Reach.contains(id)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    if has64BitObjects { return emitInTwoPasses(to: &writer) }
    let encodable = imported[canFail ? .flatBuffersEncodable : .infallibleFlatBuffersEncodable]
    writer.block("extension \(modelName): \(encodable)") { writer in
      table("to(flatBufferBuilder builder: inout \(imported[.flatBufferBuilder]))", to: &writer)
    }
  }

  /// Writes a serializer of two passes. Objects with 64-bit offsets are written before all others, including those of
  /// the tables that this one holds. Both passes visit the fields in the same order, in which the second takes the
  /// offsets that the first has left.
  private func emitInTwoPasses(to writer: inout CodeWriter) {
    let infallible: CodeText = canFail ? "" : ", \(imported[.infallibleFlatBuffersEncodable])"
    writer.block("extension \(modelName): \(imported[.flatBuffersOffset64Encodable])\(infallible)") { writer in
      writer.line("/// Writes the strings and vectors with 64-bit offsets, which come before all others.")
      writer.block("public func _write64BitObjects(to builder: inout \(imported[.flatBufferBuilder]))") { writer in
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
      table("_writeTable(to builder: inout \(imported[.flatBufferBuilder]))", to: &writer)
    }
  }

  private func table(_ function: CodeText, to writer: inout CodeWriter) {
    writer.block("\(Attributes.notInlined) public func \(function) -> \(imported[.offset])") { writer in
      if isNesting {
        writer.line("guard builder.descend() else { return builder.dropped }")
        writer.line("defer { builder.ascend() }")
      }
      for statement in fields.compactMap(\.checkOfStructs) {
        writer.line(statement)
      }
      guard fields.count <= CodeWriter.longestCall else {
        for statement in fields.compactMap(\.serializeBefore) {
          writer.line(statement)
        }
        return SwiftField.writeTable(fields, slotCount: slotCount, \.objectValues, builder: "builder", to: &writer)
      }
      // A vector of unions is two arguments. So it is written before, along with the fields before it, in their order.
      let writtenBefore = fields.lastIndex(where: \.isUnionVector).map { $0 + 1 } ?? 0
      for statement in fields[..<writtenBefore].compactMap(\.serializeBefore) {
        writer.line(statement)
      }
      let arguments = fields.enumerated().flatMap { $1.createArguments(isWritten: $0 < writtenBefore) }
      writer.list("return \(readerName).create(", ["in: &builder"] + arguments, ")")
    }
  }
}

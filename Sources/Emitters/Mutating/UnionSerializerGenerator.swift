import FBSSchema

/// Generates the serializer of a union, which writes its type code and its member.
struct UnionSerializerGenerator {
  private let definition: UnionDefinition
  private let id: UnionID
  private let names: Namer
  private let imported: ImportedTypeNames
  private let offset64Reach: Offset64Reach

  init(_ unit: EmissionUnit, _ id: UnionID) {
    definition = unit.schema[id]
    self.id = id
    names = unit.names
    imported = unit.imported
    offset64Reach = unit.traits.offset64Reach
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("extension \(names.model(id)): \(imported[.flatBuffersUnionEncodable])") { writer in
      writer.line("/// The member's type code, as it is stored.")
      writer.block("public var _typeCode: \(imported[definition.codeType])") { writer in
        writer.line("switch self {")
        for member in definition.members {
          writer.line("case .\(names.caseName(member)): \(member.codeText)")
        }
        writer.line("}")
      }
      writer.blank()
      writer.line("/// Writes the member.")
      let parameter: CodeText = "flatBufferBuilder builder: inout \(imported[.flatBufferBuilder])"
      writer.block("\(Attributes.notInlined) public func to(\(parameter)) -> \(imported[.offset])") { writer in
        writer.line("switch self {")
        for member in definition.members {
          let write =
            switch member.type {
            case .string: "builder.create(member)"
            case .table, .structure: "member.to(flatBufferBuilder: &builder)"
            }
          writer.line("case .\(names.caseName(member))(let member): \(write)")
        }
        writer.line("}")
      }
      if offset64Reach.contains(id) { writes64BitObjects(to: &writer) }
    }
  }

  private func writes64BitObjects(to writer: inout CodeWriter) {
    writer.blank()
    writer.line("/// Writes the strings and vectors with 64-bit offsets of the member, which come before all others.")
    writer.block("public func _write64BitObjects(to builder: inout \(imported[.flatBufferBuilder]))") { writer in
      writer.line("switch self {")
      for member in definition.members {
        let name = names.caseName(member)
        writer.line(
          offset64Reach.contains(member.type)
            ? "case .\(name)(let member): member._write64BitObjects(to: &builder)" : "case .\(name): break")
      }
      writer.line("}")
    }
  }
}

import FBSSchema

/// Writes a union: its type code, and its member.
struct UnionSerializerGenerator {
  private let definition: UnionDefinition
  private let id: UnionID
  private let names: Namer

  init(_ unit: EmissionUnit, _ id: UnionID) {
    definition = unit.schema[id]
    self.id = id
    names = unit.names
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("extension \(names.model(id)): FlatBuffersUnionEncodable") { writer in
      writer.line("/// The member's type code, as it is stored.")
      writer.block("public var _typeCode: \(definition.codeType)") { writer in
        writer.line("switch self {")
        for member in definition.members {
          writer.line("case .\(names.caseName(member)): \(member.codeText)")
        }
        writer.line("}")
      }
      writer.blank()
      writer.line("/// Writes the member.")
      writer.block("public func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset") { writer in
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
    }
  }
}

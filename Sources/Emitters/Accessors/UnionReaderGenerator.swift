import FBSSchema

/// A union as it stands in a buffer, told apart by its type code.
struct UnionReaderGenerator {
  private let definition: UnionDefinition
  private let name: String
  private let schema: Schema
  private let names: Namer

  init(_ unit: EmissionUnit, _ id: UnionID) {
    schema = unit.schema
    definition = unit.schema[id]
    name = SwiftKeywords.escape(definition.name.name + Namer.Suffix.reader)
    names = unit.names
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: definition.name.namespace) { writer in
      writer.documentation(
        "\(definition.name.withArticle.capitalizedFirst) as it stands in a buffer.",
        then: definition.declaration.documentation)
      writer.block("public enum \(name): Sendable") { writer in
        cases(to: &writer)
        writer.blank()
        initializer(to: &writer)
        writer.blank()
        verifier(to: &writer)
      }
    }
  }

  private func readerName(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .table(let id): names.reader(id)
    case .structure(let id): names.reader(id)
    case .string: "String"
    }
  }

  private func cases(to writer: inout CodeWriter) {
    for member in definition.members {
      writer.documentation(member.declaration.documentation)
      writer.line("case \(names.caseName(member))(\(readerName(member)))")
    }
    writer.line("/// A member that this version does not know, by its type code.")
    writer.line("case unknown(UInt8)")
  }

  private func initializer(to writer: inout CodeWriter) {
    writer.line(
      "/// Reads the union whose value is at `slot`, and its type code in the slot before; nil when it is absent.")
    writer.block("public init?(in table: FlatBufferTable, at slot: VTableOffset)") { writer in
      writer.line("switch table.scalar(at: slot - 2, default: 0 as UInt8) {")
      writer.line("case 0:")
      writer.line("  return nil")
      for member in definition.members {
        writer.line("case \(member.code):")
        switch member.type {
        case .string:
          writer.line("  guard let member = table.string(at: slot) else { return nil }")
          writer.line("  self = .\(names.caseName(member))(member)")
        case .structure:
          writer.line(
            "  guard let member = table.unionMember(at: slot)?.structure(\(readerName(member)).self) else { return nil }"
          )
          writer.line("  self = .\(names.caseName(member))(member)")
        case .table:
          writer.line("  guard let member = table.table(at: slot) else { return nil }")
          writer.line("  self = .\(names.caseName(member))(\(readerName(member))(member))")
        }
      }
      writer.line("case let code:")
      writer.line("  self = .unknown(code)")
      writer.line("}")
    }
  }

  private func verifier(to writer: inout CodeWriter) {
    writer.line("/// Checks the member, if there is one and this version knows it.")
    writer.list(
      "public static func verify(",
      [
        "_ verifier: inout FlatBufferVerifier", "in table: FlatBufferVerifier.Table", "at slot: VTableOffset",
        "required: Bool = false",
      ],
      ") throws(FlatBufferError) {")
    writer.indented { writer in
      writer.line("guard let member = try verifier.union(in: table, at: slot, required: required) else { return }")
      writer.line("switch member.code {")
      for member in definition.members {
        switch member.type {
        case .string: writer.line("case \(member.code): try verifier.string(at: member.position)")
        case .structure(let id):
          let layout = "size: \(schema[id].size), alignment: \(schema[id].alignment)"
          writer.line("case \(member.code): try verifier.structure(\(layout), at: member.position)")
        case .table:
          writer.line("case \(member.code): try \(readerName(member)).verify(&verifier, at: member.position)")
        }
      }
      writer.line("default: break")
      writer.line("}")
    }
    writer.line("}")
  }
}

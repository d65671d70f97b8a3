import FBSSchema

/// Generates a union of the data model: an enum whose cases hold the members.
struct UnionModelGenerator {
  private let definition: UnionDefinition
  private let declared: Namer.DeclaredName
  private let id: UnionID
  private let names: Namer
  private let imported: ImportedTypeNames
  private let codable: CodableGenerator?

  init(_ unit: EmissionUnit, _ id: UnionID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.union(id))
    self.id = id
    names = unit.names
    imported = unit.imported
    codable = CodableGenerator(unit, .union(id))
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let name = declared.model
      let protocols = imported[.equatable, .sendable, .flatBufferUnionDecodable]
      writer.block("public enum \(name): \(protocols)\(codable?.conformance ?? "")") { writer in
        for member in definition.members {
          writer.documentation(member.declaration.documentation)
          writer.line("case \(names.caseName(member))(\(modelName(member)))")
        }
        writer.blank()
        initializer(to: &writer)
      }
    }
    codable?.emit(definition.members, names, to: &writer)
  }

  private func modelName(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .table(let id): names.model(id)
    case .structure(let id): names.model(id)
    case .string: imported[.string]
    }
  }

  private func initializer(to writer: inout CodeWriter) {
    writer.line("/// Reads the union; nil when it is absent, or a member that this version does not know.")
    writer.block("public init?(_ reader: \(names.reader(id))?)") { writer in
      writer.line("switch reader {")
      for member in definition.members {
        let name = names.caseName(member)
        switch member.type {
        case .string: writer.line("case .\(name)(let text)?: self = .\(name)(text)")
        // Without the type's name, which a case may have, too.
        case .structure: writer.line("case .\(name)(let reader)?: self = .\(name)(.init(reader._structure))")
        case .table(let id):
          let row = names.isRoot(id) ? ", _rowid: 0" : ""
          writer.line("case .\(name)(let reader)?: self = .\(name)(.init(reader._table\(row)))")
        }
      }
      writer.line("case .unknown?, nil: return nil")
      writer.line("}")
    }
  }
}

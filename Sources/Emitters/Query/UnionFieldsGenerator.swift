import FBSSchema

/// Generates the query fields of a union: whether it holds a member, and the fields of that member.
struct UnionFieldsGenerator {
  private let definition: UnionDefinition
  private let id: UnionID
  private let names: Namer
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: UnionID) {
    definition = unit.schema[id]
    self.id = id
    names = unit.names
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.blank()
    writer.block("extension \(imported[.unionField]) where Union == \(names.model(id))") { writer in
      var codes: [UnionDefinition.MemberType: [String]] = [:]
      for member in definition.members { codes[member.type, default: []].append(member.codeText) }
      for (index, member) in definition.members.enumerated() {
        if index > 0 {
          writer.blank()
        }
        let shared = codes[member.type] ?? []
        emit(member, label: shared.count > 1 ? names.parameterLabel(member) + " _" : "_", to: &writer)
        if shared.count > 1, shared.last == member.codeText {
          writer.blank()
          matchAny(member, shared, to: &writer)
        }
      }
    }
  }

  private func type(of member: UnionDefinition.Member) -> String {
    switch member.type {
    case .table(let id): names.model(id)
    case .structure(let id): names.model(id)
    case .string: imported[.string]
    }
  }

  /// The type of the condition that the union holds a member.
  private var answer: CodeText { "\(imported[.queryExpression])<\(imported[.bool]), Element>" }

  private func emit(_ member: UnionDefinition.Member, label: String, to writer: inout CodeWriter) {
    let (type, code) = (type(of: member), "(typeCode: \(member.codeText))")
    let name = QualifiedName(namespace: [], name: member.name)
    writer.line("/// Whether the union holds \(name.withArticle).")
    writer.block("public nonisolated func match(\(label): \(type).Type) -> \(answer)") {
      $0.line("matches\(code)")
    }
    writer.blank()
    if case .string = member.type {
      writer.line("/// The `\(member.name)` that the union holds; NULL when it holds another member.")
      let field: CodeText = "\(imported[.queryExpression])<\(type), Element>"
      writer.block("public nonisolated func `as`(\(label): \(type).Type) -> \(field)") {
        $0.line("stringMember\(code)")
      }
      return
    }
    let way = if case .table = member.type { "member" } else { "structureMember" }
    writer.line("/// The fields of the `\(member.name)` that the union holds; NULL when it holds another member.")
    writer.block("public nonisolated func `as`(\(label): \(type).Type) -> \(type).Fields<Element>") {
      $0.line("\(type).Fields(\(way)\(code))")
    }
  }

  /// Writes the query field for any member of a type. If several members have one type, each also has a field by its
  /// name.
  private func matchAny(_ member: UnionDefinition.Member, _ codes: [String], to writer: inout CodeWriter) {
    let type = type(of: member)
    // In documentation, the name of the type has no module, and no backticks, which would end the code in the comment.
    let documentedType =
      if case .string = member.type { ImportedType.string.rawValue } else { type.filter { $0 != "`" } }
    writer.line("/// Whether the union holds a `\(documentedType)`, whichever member that is.")
    writer.block("public nonisolated func match(_: \(type).Type) -> \(answer)") {
      $0.line("matches(typeCodes: [\(codes.joined(separator: ", "))])")
    }
  }
}

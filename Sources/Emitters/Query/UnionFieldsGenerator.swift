import FBSSchema

/// What a query can ask of a union: whether it holds a member, and the fields of that member.
struct UnionFieldsGenerator {
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
    writer.block("extension UnionField where Union == \(names.model(id))") { writer in
      for (index, member) in definition.members.enumerated() {
        if index > 0 {
          writer.blank()
        }
        match(member, to: &writer)
        switch member.type {
        case .table(let id): fields(names.model(id), "member", member, to: &writer)
        case .structure(let id): fields(names.model(id), "structureMember", member, to: &writer)
        case .string: value(member, to: &writer)
        }
      }
    }
  }

  private func match(_ member: UnionDefinition.Member, to writer: inout CodeWriter) {
    let type =
      switch member.type {
      case .table(let id): names.model(id)
      case .structure(let id): names.model(id)
      case .string: "String"
      }
    writer.line("/// Whether the union holds \(QualifiedName(namespace: [], name: member.name).withArticle).")
    writer.block("public func match(_: \(type).Type) -> QueryExpression<Bool, Element>") {
      $0.line("matches(typeCode: \(member.code))")
    }
  }

  private func value(_ member: UnionDefinition.Member, to writer: inout CodeWriter) {
    writer.blank()
    writer.line("/// The string that the union holds as its `\(member.name)`; NULL when it holds another member.")
    writer.block("public func `as`(_: String.Type) -> QueryExpression<String, Element>") {
      $0.line("stringMember(typeCode: \(member.code))")
    }
  }

  private func fields(
    _ type: String, _ way: String, _ member: UnionDefinition.Member, to writer: inout CodeWriter
  ) {
    writer.blank()
    writer.line("/// The fields of the `\(member.name)` that the union holds; NULL when it holds another member.")
    writer.block("public func `as`(_: \(type).Type) -> \(type).Fields<Element>") {
      $0.line("\(type).Fields(\(way)(typeCode: \(member.code)))")
    }
  }
}

import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaEvolution

/// The fields that lost or changed something between two readings of a file by the same app, each as `Table.field`: the
/// innermost ones.
struct DroppedFields {
  private let schema: Schema
  private(set) var names: Set<String> = []

  init(of before: StoreProgram.Reading, then after: StoreProgram.Reading, in schema: Schema) {
    self.schema = schema
    guard let root = schema.files.compactMap(\.rootTable).first.map({ schema[$0] }) else { return }
    for (row, object) in before.rows { compare(root, object, after.rows[row] ?? .nothing) }
  }

  /// The fields that the rules of additions name: those that are new, and those that hold a new value or member.
  static func reported(by findings: [Finding], in schema: Schema) -> Set<String> {
    let rules: Set = ["field-added", "enum-value-added", "union-member-added"]
    let places = findings.filter { rules.contains($0.rule.id) }.flatMap { [$0.range] + $0.labels.map(\.range) }
    var names: [SourceRange: String] = [:]
    for table in schema.tables {
      for field in table.fields { names[field.declaration.nameRange] = "\(table.name.name).\(field.name)" }
    }
    for structure in schema.structs {
      for field in structure.fields { names[field.declaration.nameRange] = "\(structure.name.name).\(field.name)" }
    }
    return Set(places.compactMap { names[$0] })
  }

  private mutating func compare(_ table: TableDefinition, _ one: Dump, _ other: Dump) {
    guard case .members(let members) = one, case .members(let others) = other else {
      names.insert("\(table.name.name)")
      return
    }
    for field in table.fields where !field.isDeprecated {
      if !isExplained(field.type, members[field.name] ?? .nothing, others[field.name] ?? .nothing) {
        names.insert("\(table.name.name).\(field.name)")
      }
    }
  }

  private mutating func compare(_ structure: StructDefinition, _ one: Dump, _ other: Dump) {
    guard case .members(let members) = one, case .members(let others) = other else {
      names.insert("\(structure.name.name)")
      return
    }
    for field in structure.fields {
      let (value, later) = (members[field.name] ?? .nothing, others[field.name] ?? .nothing)
      if value == later { continue }
      if case .structure(let id) = field.type {
        compare(schema[id], value, later)
      } else {
        names.insert("\(structure.name.name).\(field.name)")
      }
    }
  }

  /// Whether two values are the same, or something within them is not, which is among the names then.
  private mutating func isExplained(_ type: FieldType, _ one: Dump, _ other: Dump) -> Bool {
    if one == other { return true }
    switch (type, one, other) {
    case (.table(let id), .members, .members):
      compare(schema[id], one, other)
      return true
    case (.structure(let id), .members, .members):
      compare(schema[id], one, other)
      return true
    case (.union(let id), .choice(let name, let value), .choice(let laterName, let later)):
      guard name == laterName, let member = schema[id].members.first(where: { $0.name == name }) else { return false }
      switch member.type {
      case .table(let id): compare(schema[id], value, later)
      case .structure(let id): compare(schema[id], value, later)
      case .string: return false
      }
      return true
    case (.vector(of: let element), .list(let values), .list(let others)):
      guard values.count == others.count else { return false }
      // Each of them, so that no name is missing.
      return zip(values, others).map { isExplained(ReflectiveReader.field(of: element), $0, $1) }.allSatisfy { $0 }
    default: return false
    }
  }
}

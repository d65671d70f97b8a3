import FBSDiagnostics
import FBSParser
import FBSSchema

/// Finds tables of which every object is large: where each table requires the next one twice, the number of tables
/// within an object doubles with each.
struct LargeTables {
  /// The most tables that the smallest object of a table may contain.
  static let limit = 1_000

  let schema: Schema

  func diagnostics() -> [Diagnostic] {
    let needed = schema.tables.map { table in
      table.fields.compactMap { field -> Int? in
        guard case .table(let id) = field.type, field.presence == .required, !field.isDeprecated else { return nil }
        return id.index
      }
    }
    let components = Components(needed)
    var counts = [Int](repeating: 1, count: needed.count)
    var found: [Diagnostic] = []
    // A cycle has no object at all: see `EndlessTables`.
    for table in components.nodesInOrder where !components.isCyclic(table) {
      for target in needed[table] { counts[table] = min(counts[table] + counts[target], Self.limit + 1) }
      // Tables that hold a large one are large, too: only the innermost one is reported.
      if counts[table] > Self.limit, needed[table].allSatisfy({ counts[$0] <= Self.limit }) {
        found.append(large(schema.tables[table]))
      }
    }
    return found
  }

  private func large(_ table: TableDefinition) -> Diagnostic {
    let fields = table.fields.filter { field in
      guard case .table = field.type else { return false }
      return field.presence == .required && !field.isDeprecated
    }
    return Diagnostic(
      EmitterCode.largeTable, .error, "each `\(table.name)` has more than \(Self.limit) other tables within it",
      at: table.declaration.nameRange, advice: "remove `(required)` from some of the fields that lead to them",
      labels: fields.prefix(2).map { .init($0.declaration.nameRange, "must be there, with all that it requires") })
  }
}

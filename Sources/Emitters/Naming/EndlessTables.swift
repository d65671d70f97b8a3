import FBSDiagnostics
import FBSParser
import FBSSchema

/// Finds tables of which no object can exist: each would have to hold another of its kind, without end.
struct EndlessTables {
  let schema: Schema

  func diagnostics() -> [Diagnostic] {
    let needed = schema.tables.map { table in
      table.fields.compactMap { field -> (table: TableID, field: FieldDefinition)? in
        guard case .table(let id) = field.type, field.presence == .required, !field.isDeprecated else { return nil }
        return (id, field)
      }
    }
    let components = Components(needed.map { $0.map(\.table.index) })
    return needed.enumerated().flatMap { index, fields in
      fields.filter { components.isCyclic(from: index, to: $0.table.index) }.map {
        endless($0.field, of: TableID(index))
      }
    }
  }

  private func endless(_ field: FieldDefinition, of table: TableID) -> Diagnostic {
    Diagnostic(
      EmitterCode.endlessTable, .error,
      "no `\(schema[table].name)` can ever be complete: it needs another one within it",
      at: field.declaration.nameRange, advice: "remove `(required)`",
      labels: [.init(schema[table].declaration.nameRange, "this would hold itself, without end")])
  }
}

import Dflat

/// An order whose keys SQL knows, and what it means in SQL.
struct FetchOrder {
  struct Key {
    let column: String
    let isDescending: Bool
    let isNeverNull: Bool
    /// The key's value for a row.
    let program: QueryProgram
  }

  var keys: [Key] = []
  /// The column by which rows are ordered that the keys do not tell apart.
  var tieBreak = "m.rowid"

  /// The terms of ORDER BY.
  var terms: String {
    (keys.map { $0.column + ($0.isDescending ? " DESC" : "") } + [tieBreak]).joined(separator: ", ")
  }

  /// The conditions that hold for the rows that come after `start`, and no others. What they are compared with is added
  /// to `parameters`, and is good for as long as `start` and this order are.
  func conditions(after start: PageStart, _ parameters: inout [RowValue]) -> [String] {
    var conditions: [String] = []
    // SQL searches an index by a plain comparison, not by the alternatives that say it all. NULL comes first.
    if let key = keys.first {
      let value = key.program.value(for: start.row)
      if case .null = value {
      } else if !key.isDescending || key.isNeverNull {
        conditions.append("\(key.column) \(key.isDescending ? "<=" : ">=") ?")
        parameters.append(value)
      }
    }
    var alternatives = ""
    var end = ""
    for key in keys {
      let value = key.program.value(for: start.row)
      if case .null = value {
        alternatives += key.isDescending ? "(\(key.column) IS NULL AND " : "(\(key.column) IS NOT NULL OR "
        end += ")"
        continue
      }
      parameters.append(value)
      parameters.append(value)
      let isAfter = key.isDescending ? "\(key.column) < ? OR \(key.column) IS NULL" : "\(key.column) > ?"
      alternatives += "(\(isAfter) OR (\(key.column) = ? AND "
      end += "))"
    }
    conditions.append("\(alternatives)\(tieBreak) > ?\(end)")
    parameters.append(.integer(start.rowid))
    return conditions
  }
}

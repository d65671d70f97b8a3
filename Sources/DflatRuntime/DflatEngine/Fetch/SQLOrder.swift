import Dflat

/// An order whose keys are columns.
package struct SQLOrder {
  package struct Key {
    package let column: SQLColumn
    package let name: String
    package let isDescending: Bool
    let isNeverNull: Bool
    /// Whether the key is a folded text, which ends with the evaluation of `program`.
    package let isFolded: Bool
    /// Reads the key's value from a row.
    package let program: QueryProgram
  }

  package fileprivate(set) var keys: [Key] = []
  /// The column that orders rows whose keys are equal.
  package var tieBreak = "m.rowid"
}

extension SQLDialect where Self: ~Copyable {
  /// Returns an order as SQL has it; nil if a key has no usable column, or there are too many keys.
  package mutating func order(of keys: [FetchKey]) throws(Failure) -> SQLOrder? {
    guard keys.count <= 32 else { return nil }
    var order = SQLOrder()
    for key in keys {
      guard let (field, isFolded) = key.node.columnValue, let column = column(of: key.node), try isUsable(column) else {
        return nil
      }
      order.keys.append(
        SQLOrder.Key(
          column: column, name: name(of: column), isDescending: key.isDescending,
          isNeverNull: field.isNeverNull && !isFolded, isFolded: isFolded, program: QueryProgram(key.node)))
    }
    return order
  }

  /// Returns the terms of ORDER BY.
  package func terms(_ order: SQLOrder) -> String {
    (order.keys.map { orderTerm($0.name, isDescending: $0.isDescending) } + [order.tieBreak]).joined(separator: ", ")
  }

  /// Returns conditions that together hold exactly for the rows after `start`; nil if SQL cannot express them. Their
  /// parameters are valid for as long as `start` and `order` are.
  package mutating func conditions(after start: PageStart, _ order: SQLOrder) -> [String]? {
    // The condition nests twice as deep as there are keys, and SQLite's parser has a stack of 100 symbols.
    if order.keys.count > 8 || order.keys.contains(where: \.isFolded) { return nil }
    var conditions: [String] = []
    // SQL can search an index by this plain comparison, but not by the alternatives below, which are the exact
    // condition. NULL comes first.
    if let key = order.keys.first {
      let value = key.program.value(for: start.row)
      if case .null = value {
      } else if !key.isDescending || key.isNeverNull {
        guard let parameter = parameter(value, for: key.column) else { return nil }
        conditions.append("\(key.name) \(key.isDescending ? "<=" : ">=") \(parameter)")
      }
    }
    var alternatives = ""
    var end = ""
    for key in order.keys {
      let value = key.program.value(for: start.row)
      if case .null = value {
        alternatives += key.isDescending ? "(\(key.name) IS NULL AND " : "(\(key.name) IS NOT NULL OR "
        end += ")"
        continue
      }
      guard let bound = parameter(value, for: key.column), let same = parameter(value, for: key.column) else {
        return nil
      }
      let isAfter =
        key.isDescending ? "\(key.name) < \(bound) OR \(key.name) IS NULL" : "\(key.name) > \(bound)"
      alternatives += "(\(isAfter) OR (\(key.name) = \(same) AND "
      end += "))"
    }
    conditions.append("\(alternatives)\(order.tieBreak) > \(parameter(rowid: start.rowid))\(end)")
    return conditions
  }
}

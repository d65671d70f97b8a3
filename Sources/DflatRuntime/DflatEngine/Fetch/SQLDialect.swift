import Dflat

/// Where SQL has the values of a field.
package enum SQLColumn: Equatable {
  /// In the column of a part of the primary key, by its position.
  case primaryKey(Int)
  /// In an index, by its position in the record's list.
  case index(Int)
}

/// What becomes of the rows that a plan finds.
package enum FetchPurpose {
  /// They are counted. Their order is of no interest.
  case count
  /// They become objects, as many as are asked for.
  case objects
  /// They become objects; but every row is needed although fewer are asked for.
  case objectsFromAllRows
}

/// The planner of an engine, as far as it knows how its database writes SQL. What is left to SQL, and how conditions, orders and
/// pages are put together, is the same for all engines, and stands in an extension.
///
/// A plan is made for each fetch, and no row comes through here: so nothing is inlined.
package protocol SQLDialect: ~Copyable {
  /// Why it may not be found out whether an index is usable; `Never` if that is known.
  associatedtype Failure: Error

  var record: RecordDescription { get }

  /// How many nodes and constants may still go to SQL, whose expressions are limited in depth and parameters.
  var room: Int { get set }

  /// Whether an index has an entry for every row. Notes that it is used, or missed.
  mutating func isUsable(index: Int) throws(Failure) -> Bool

  /// The name of a column in a statement.
  func name(of column: SQLColumn) -> String

  /// The term of ORDER BY for a column. NULL comes before all values.
  func orderTerm(_ column: String, isDescending: Bool) -> String

  /// A new parameter with a value that a column is compared with; nil if SQL cannot compare it in the order of rows.
  mutating func parameter(_ value: RowValue, for column: SQLColumn) -> String?

  /// A new parameter with the bytes of a text, which may be no UTF-8; nil if SQL cannot compare them in the order of rows.
  mutating func parameter(bytes: [UInt8], for column: SQLColumn) -> String?

  /// A new parameter with a row's number.
  mutating func parameter(rowid: Int64) -> String

  /// The comparison of a column with a constant; nil if SQL has no such condition.
  mutating func comparison(_ comparison: QueryNode.Comparison, _ column: SQLColumn, _ value: FieldValue) -> String?

  /// Whether a column is one of some constants; nil if SQL has no such condition.
  mutating func membership(_ column: SQLColumn, _ values: [FieldValue]) -> String?

  /// The parts of a condition that is none of the usual ones; nil if SQL has no such condition.
  mutating func unusualCondition(_ node: QueryNode) -> [SQLPart]?
}

/// A part of a condition in SQL.
package enum SQLPart {
  /// Text as it stands.
  case sql(String)
  /// A node whose truth is used.
  case condition(QueryNode)
  /// A node whose value is used.
  case value(QueryNode)
}

// MARK: What SQL can answer

extension SQLDialect where Self: ~Copyable {
  package func column(of field: RecordField) -> SQLColumn? {
    if let position = record.primaryKeys.firstIndex(of: field) { return .primaryKey(position) }
    return record.indexes.firstIndex { $0.field == field }.map(SQLColumn.index)
  }

  package mutating func isUsable(_ column: SQLColumn) throws(Failure) -> Bool {
    if case .index(let index) = column { try isUsable(index: index) } else { true }
  }

  /// The SQL of a term, if SQL finds it better than it is evaluated on the rows' bytes: by columns of the primary key, or by a search
  /// in one complete index; and the first of the columns. Parameters that were added are of no use if the result is nil.
  package mutating func answer(
    to term: QueryNode, for purpose: FetchPurpose
  ) throws(Failure) -> (sql: String, column: SQLColumn)? {
    let size = term.size(upTo: room)
    guard size < room, term.nesting(upTo: deepestTerm + 1) <= deepestTerm, let column = columnAtHand(term, purpose),
      try isUsable(column), let sql = condition(term)
    else {
      return nil
    }
    room -= size
    return (sql, column)
  }

  private func columnAtHand(_ term: QueryNode, _ purpose: FetchPurpose) -> SQLColumn? {
    var common: SQLColumn?
    for node in term.nodes {
      guard !node.isLeftToRows else { return nil }
      guard let field = node.field else { continue }
      guard let column = column(of: field) else { return nil }
      switch (common, column) {
      case (nil, _): common = column
      // Several columns of the primary key may stand in one term, but only one index.
      case (.primaryKey, .primaryKey): break
      default: if common != column { return nil }
      }
    }
    // To count, even comparing all entries of an index costs less than reading the rows.
    if case .index = common, purpose != .count, !term.isSearch { return nil }
    return common
  }

  /// The condition in SQL, whose fields have columns; nil if SQL has no such condition. It is put together from left to right, so
  /// that parameters are added in the order in which they stand.
  private mutating func condition(_ node: QueryNode) -> String? {
    var condition = ""
    var parts = [SQLPart.condition(node)]
    while let part = parts.popLast() {
      switch part {
      case .sql(let text): condition += text
      case .value(let node):
        if let field = node.field {
          guard let column = column(of: field) else { return nil }
          condition += name(of: column)
        } else {
          parts.append(.condition(node))
        }
      case .condition(let node):
        guard let further = self.parts(of: node) else { return nil }
        parts += further.reversed()
      }
    }
    return condition
  }

  private mutating func parts(of node: QueryNode) -> [SQLPart]? {
    if let (field, comparison, value) = node.fieldComparison {
      guard let column = column(of: field) else { return nil }
      return self.comparison(comparison, column, value).map { [.sql($0)] }
    }
    if let (field, prefix) = node.fieldPrefix {
      return column(of: field).flatMap { range(ofPrefix: prefix, $0) }.map { [.sql($0)] }
    }
    switch node.kind {
    case .field(let field) where field.storage == .bool:
      // An equality, and not the bare column, can be searched for.
      return column(of: field).map { [.sql("(\(name(of: $0)) = 1)")] }
    case .not(let operand):
      if let field = operand.field, field.storage == .bool {
        return column(of: field).map { [.sql("(\(name(of: $0)) = 0)")] }
      }
      return [.sql("(NOT "), .condition(operand), .sql(")")]
    case .isIn(let operand, let values):
      guard let column = operand.field.flatMap({ column(of: $0) }) else { return nil }
      return membership(column, values).map { [.sql($0)] }
    case .isNull(let operand) where operand.field != nil:
      return operand.field.flatMap { column(of: $0) }.map { [.sql("(\(name(of: $0)) IS NULL)")] }
    // Side by side, and not one in another, for which parsers need a deeper stack.
    case .and: return chain(node.conjuncts, joinedBy: " AND ")
    case .or: return chain(node.disjuncts, joinedBy: " OR ")
    default: return unusualCondition(node)
    }
  }

  /// The condition that a text begins with a prefix: that it is neither before the prefix nor behind the last such text.
  private mutating func range(ofPrefix prefix: String, _ column: SQLColumn) -> String? {
    var bytes = Array(prefix.utf8)
    let name = name(of: column)
    guard let lower = parameter(bytes: bytes, for: column) else { return nil }
    // No byte of UTF-8 is 255. An empty prefix has no last byte, and every text begins with it.
    guard let last = bytes.popLast() else { return "(\(name) >= \(lower))" }
    guard let upper = parameter(bytes: bytes + [last + 1], for: column) else { return nil }
    return "(\(name) >= \(lower) AND \(name) < \(upper))"
  }

  private func chain(_ terms: [QueryNode], joinedBy conjunction: String) -> [SQLPart] {
    var parts = [SQLPart.sql("(")]
    for (index, term) in terms.enumerated() {
      if index > 0 { parts.append(.sql(conjunction)) }
      parts.append(.condition(term))
    }
    return parts + [.sql(")")]
  }
}

/// The deepest nesting of a term that goes to SQL; deeper terms are evaluated on the rows. SQLite's parser has a stack of 100 symbols. A
/// level takes three of them at most (`(`, `NOT`, an operator), and the statement around the conditions needs some, too.
private let deepestTerm = 16

// MARK: Order

/// An order whose keys are columns.
package struct SQLOrder {
  package struct Key {
    package let column: SQLColumn
    package let name: String
    package let isDescending: Bool
    let isNeverNull: Bool
    /// The key's value for a row.
    package let program: QueryProgram
  }

  package fileprivate(set) var keys: [Key] = []
  /// The column by which rows are ordered that the keys do not tell apart.
  package var tieBreak = "m.rowid"
}

extension SQLDialect where Self: ~Copyable {
  /// The order as SQL has it; nil if a key has no column.
  package mutating func order(of keys: [FetchKey]) throws(Failure) -> SQLOrder? {
    // Expressions may be nested so deep in SQL, and no deeper.
    guard keys.count <= 32 else { return nil }
    var order = SQLOrder()
    for key in keys {
      guard let field = key.node.field, let column = column(of: field), try isUsable(column) else { return nil }
      order.keys.append(
        SQLOrder.Key(
          column: column, name: name(of: column), isDescending: key.isDescending, isNeverNull: field.isNeverNull,
          program: QueryProgram(key.node)))
    }
    return order
  }

  /// The terms of ORDER BY.
  package func terms(_ order: SQLOrder) -> String {
    (order.keys.map { orderTerm($0.name, isDescending: $0.isDescending) } + [order.tieBreak]).joined(separator: ", ")
  }

  /// The conditions that hold for the rows that come after `start`, and no others; nil if SQL has no such conditions. What they are
  /// compared with is good for as long as `start` and `order` are.
  package mutating func conditions(after start: PageStart, _ order: SQLOrder) -> [String]? {
    var conditions: [String] = []
    // SQL searches an index by a plain comparison, not by the alternatives that say it all. NULL comes first.
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

extension QueryNode {
  /// Whether no database has the operator with the meaning that it has on rows.
  fileprivate var isLeftToRows: Bool {
    switch kind {
    case .arithmetic, .position, .length, .folded, .text(.suffix, _, _), .text(.part, _, _), .count, .hasElement: true
    default: false
    }
  }

  /// Whether the condition is one that an index is searched by, not one that all of its entries are compared with.
  fileprivate var isSearch: Bool {
    var pending = [self]
    while let node = pending.popLast() {
      if let comparison = node.fieldComparison?.comparison {
        if comparison == .notEqual { return false }
        continue
      }
      if let prefix = node.fieldPrefix?.prefix {
        // Every entry begins with an empty one.
        if prefix.utf8.isEmpty { return false }
        continue
      }
      switch node.kind {
      case .field: break
      case .not(let operand), .isNull(let operand), .isIn(let operand, _): if operand.field == nil { return false }
      case .and(let lhs, let rhs), .or(let lhs, let rhs): pending += [lhs, rhs]
      default: return false
      }
    }
    return true
  }
}

extension QueryNode.Comparison {
  /// The operator in SQL.
  package var sql: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

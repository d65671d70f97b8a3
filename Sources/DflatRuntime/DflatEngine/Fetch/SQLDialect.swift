import Dflat

/// The column in which SQL finds the values of a field.
package enum SQLColumn: Equatable {
  /// The column of a field of the primary key, by its position in the key.
  case primaryKey(Int)
  /// The table of an index, by the position of the index in the record's list.
  case index(Int)
}

extension SQLColumn {
  /// The position of the index; nil for a column of the primary key.
  package var index: Int? {
    if case .index(let index) = self { index } else { nil }
  }
}

/// The use of the rows that a plan finds.
package enum FetchPurpose {
  /// The rows are counted, and their order does not matter.
  case count
  /// The rows become objects, up to the limit of the request.
  case objects
  /// The rows become objects, and every row is read although the request has a limit.
  case objectsFromAllRows
}

/// The planner of an engine: how its database writes SQL. An extension decides which conditions SQL answers, and puts
/// conditions, orders and pages together, alike for all engines.
///
/// It runs once for each fetch, and not for each row: so nothing is inlined.
package protocol SQLDialect: ~Copyable {
  /// The error of finding out whether an index is usable; `Never` if that takes no reading.
  associatedtype Failure: Error

  var record: RecordDescription { get }

  /// The index over elements whose condition is being translated: the only column is the element's. Nil at other times.
  var searchedElements: Int? { get }

  /// How many more nodes and constants SQL may get: its expressions are limited in depth and in parameters.
  var room: Int { get set }

  /// Returns whether an index has an entry for every row, and records the index as used or as missing.
  mutating func isUsable(index: Int) throws(Failure) -> Bool

  /// Returns the name of a column in a statement.
  func name(of column: SQLColumn) -> String

  /// Returns the ORDER BY term of a column. It must sort NULL before all values.
  func orderTerm(_ column: String, isDescending: Bool) -> String

  /// Adds a parameter whose value is compared with a column, and returns its SQL; nil if SQL does not compare it as
  /// rows do.
  mutating func parameter(_ value: RowValue, for column: SQLColumn) -> String?

  /// Adds a parameter with the bytes of a text, which may be invalid UTF-8, and returns its SQL; nil if SQL does not
  /// compare them as rows do.
  mutating func parameter(bytes: [UInt8], for column: SQLColumn) -> String?

  /// Adds a parameter with a row's number, and returns its SQL.
  mutating func parameter(rowid: Int64) -> String

  /// Returns the comparison of a column with a constant; nil if SQL cannot express it.
  mutating func comparison(_ comparison: QueryNode.Comparison, _ column: SQLColumn, _ value: FieldValue) -> String?

  /// Returns the condition that a column equals one of some constants; nil if SQL cannot express it.
  mutating func membership(_ column: SQLColumn, _ values: [FieldValue]) -> String?

  /// Returns the condition that an element of an indexed vector satisfies a condition that is a search
  /// (`QueryNode.isElementSearch`); nil if SQL cannot express it.
  ///
  /// - Parameters:
  ///   - condition: a condition on the element, whose only column is that of the index.
  ///   - index: the index over the elements, which is usable.
  mutating func elementCondition(_ condition: QueryNode, index: Int) -> String?

  /// Returns the parts of any other condition; nil if SQL cannot express it.
  mutating func unusualCondition(_ node: QueryNode) -> [SQLPart]?
}

/// A part of a condition in SQL.
package enum SQLPart {
  /// SQL text.
  case sql(String)
  /// A node whose truth is used.
  case condition(QueryNode)
  /// A node whose value is used.
  case value(QueryNode)
}

// MARK: What SQL can answer

extension SQLDialect where Self: ~Copyable {
  /// Returns the column that holds the value of a node, which is a field or a folded field; nil if there is none.
  ///
  /// A field of an element has a column only in the condition that `elementCondition` gets: the column of the index. A
  /// field of the primary key that also has an index is searched in the index, unless it is the key's first field, by
  /// which the key is sorted.
  package func column(of node: QueryNode) -> SQLColumn? {
    guard let (field, isFolded) = node.columnValue else { return nil }
    if let searchedElements { return .index(searchedElements) }
    let key = isFolded ? nil : record.primaryKeys.firstIndex(of: field)
    if key == 0 { return .primaryKey(0) }
    let index = record.indexes.firstIndex { $0.field == field && $0.isFolded == isFolded && $0.vector == nil }
    return index.map(SQLColumn.index) ?? key.map(SQLColumn.primaryKey)
  }

  package mutating func isUsable(_ column: SQLColumn) throws(Failure) -> Bool {
    if case .index(let index) = column { try isUsable(index: index) } else { true }
  }

  /// Returns the SQL of a term and its first column, if SQL answers the term faster than an evaluation on the rows'
  /// bytes: by columns of the primary key, or by a search in one complete index.
  ///
  /// If the result is nil, the term is evaluated on the rows, and the caller discards parameters that were added.
  package mutating func answer(
    to term: QueryNode, for purpose: FetchPurpose
  ) throws(Failure) -> (sql: String, column: SQLColumn)? {
    // Most terms compare one field with a constant. They are planned without a walk over their nodes.
    if let operand = term.comparedColumn { return try answer(to: term, comparing: operand, for: purpose) }
    let size = term.size(upTo: room)
    guard size < room, term.nesting(upTo: deepestTerm + 1) <= deepestTerm else { return nil }
    if case .hasElement(let vector, level: 0, let condition) = term.kind {
      guard let index = index(overElementsOf: vector, for: condition), try isUsable(index: index),
        let sql = elementCondition(condition, index: index)
      else { return nil }
      room -= size
      return (sql, .index(index))
    }
    guard let column = columnAtHand(term, purpose), try isUsable(column), let sql = condition(term) else { return nil }
    room -= size
    return (sql, column)
  }

  /// Returns what `answer(to:for:)` returns for a term that compares a column with a constant.
  private mutating func answer(
    to term: QueryNode, comparing operand: QueryNode, for purpose: FetchPurpose
  ) throws(Failure) -> (sql: String, column: SQLColumn)? {
    // The term, its field and its constants; the beginning of a text has two. A folding is one node more.
    let size = operand.field == nil ? 5 : 4
    guard size < room, let column = column(of: operand),
      column.index == nil || purpose == .count || term.isSearch, try isUsable(column),
      let sql = comparison(term, of: column)
    else { return nil }
    room -= size
    return (sql, column)
  }

  /// Returns the index that can be searched for elements that satisfy a condition; nil if there is none.
  private func index(overElementsOf vector: RecordVector, for condition: QueryNode) -> Int? {
    record.indexes.firstIndex { index in
      index.vector == vector
        && condition.isElementSearch { $0 == index.field && $1 == index.isFolded }
    }
  }

  private func columnAtHand(_ term: QueryNode, _ purpose: FetchPurpose) -> SQLColumn? {
    var common: SQLColumn?
    var pending = [term]
    while let node = pending.popLast() {
      guard let column = column(of: node) else {
        guard !node.isLeftToRows, node.field == nil else { return nil }
        let operands = node.kind.operands
        if let second = operands.second { pending.append(second) }
        if let first = operands.first { pending.append(first) }
        continue
      }
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

  /// Returns a condition in SQL; nil if SQL cannot express it. All its fields must have columns. The SQL is built from
  /// left to right, so that the parameters are in the order in which they occur in the text.
  package mutating func condition(_ node: QueryNode) -> String? {
    if let operand = node.comparedColumn { return column(of: operand).flatMap { comparison(node, of: $0) } }
    var condition = ""
    var parts = [SQLPart.condition(node)]
    while let part = parts.popLast() {
      switch part {
      case .sql(let text): condition += text
      case .value(let node):
        if node.columnValue != nil {
          guard let column = column(of: node) else { return nil }
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
    if let operand = node.comparedColumn {
      return column(of: operand).flatMap { comparison(node, of: $0) }.map { [.sql($0)] }
    }
    switch node.kind {
    case .field(let field) where field.storage == .bool:
      // An equality, and not the bare column, can be searched for.
      return column(of: node).map { [.sql("(\(name(of: $0)) = 1)")] }
    case .not(let operand):
      if let field = operand.field, field.storage == .bool {
        return column(of: operand).map { [.sql("(\(name(of: $0)) = 0)")] }
      }
      return [.sql("(NOT "), .condition(operand), .sql(")")]
    case .isIn(let operand, let values):
      guard let column = column(of: operand) else { return nil }
      return membership(column, values).map { [.sql($0)] }
    case .isNull(let operand) where operand.columnValue != nil:
      return column(of: operand).map { [.sql("(\(name(of: $0)) IS NULL)")] }
    // Side by side and not nested, since nested operators need a deeper stack of the parser.
    case .and: return chain(node.conjuncts, joinedBy: " AND ")
    case .or: return chain(node.disjuncts, joinedBy: " OR ")
    default: return unusualCondition(node)
    }
  }

  /// Returns the SQL of a node that compares a column, or its beginning, with a constant; nil if SQL cannot express it.
  private mutating func comparison(_ node: QueryNode, of column: SQLColumn) -> String? {
    if let (_, comparison, value) = node.columnComparison { return self.comparison(comparison, column, value) }
    return node.columnPrefix.flatMap { range(ofPrefix: $0.prefix, column) }
  }

  /// Returns the condition that a text begins with a prefix: it is not less than the prefix, and less than the next
  /// text that does not begin with it. Nil if SQL does not compare the column's texts by their bytes.
  private mutating func range(ofPrefix prefix: String, _ column: SQLColumn) -> String? {
    var bytes = Array(prefix.utf8)
    let name = name(of: column)
    guard let lower = parameter(bytes: bytes, for: column) else { return nil }
    // The last byte is below 255, since UTF-8 has no such byte. An empty prefix has no last byte, and every text begins
    // with it.
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

/// The deepest nesting of a term that goes to SQL; deeper terms are evaluated on the rows. SQLite's parser has a stack
/// of 100 symbols. A level takes at most three of them (`(`, `NOT`, an operator), and the statement around the
/// conditions needs some, too.
private let deepestTerm = 16

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

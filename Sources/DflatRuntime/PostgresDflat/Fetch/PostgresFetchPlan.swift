import Dflat
import DflatEngine
import FlatBuffersCore
import PostgresLayout
import TextFolding

/// The plan of a fetch: the SQL that yields candidate rows, and what remains to be done with each.
struct PostgresFetchPlan {
  /// The statement, which selects row number and bytes; or the count, if SQL counts.
  fileprivate(set) var sql = ""
  fileprivate(set) var parameters = PostgresParameters()
  /// Whether SQL returns the number of rows instead of the rows.
  fileprivate(set) var isCounted = false
  /// The condition that is evaluated on each row's bytes; nil if SQL checks everything.
  fileprivate(set) var residual: QueryProgram?
  /// Whether SQL returns the rows in the requested order.
  fileprivate(set) var isOrdered = false
  /// Whether SQL returns only rows that come after the object to start after.
  fileprivate(set) var isStarted = false
  /// Whether SQL returns no more rows than were asked for.
  fileprivate(set) var isLimited = false
  /// Whether SQL returns few enough rows to collect them all at once.
  fileprivate(set) var hasFewRows = false
  /// The purpose of the statement, in words, for errors.
  fileprivate(set) var purpose = ""
  /// Whether the fetch would have used an index that is not complete.
  fileprivate(set) var missesIndex = false
  /// The strings and bytes among the order's keys. If a row has one that is longer than `KeyForm.limit`, SQL may return
  /// rows in a wrong order. Then the rows have to be sorted here.
  fileprivate(set) var orderedStrings: [OrderedString] = []

  /// Returns whether SQL may have put a row in the wrong position.
  func isOutOfOrder(_ row: FlatBufferTable) -> Bool { orderedStrings.contains { $0.isLong(in: row) } }

  /// A string, or bytes, by which rows are ordered.
  struct OrderedString {
    /// Reads the string from a row, as it is stored.
    let program: QueryProgram
    /// Whether rows are ordered by the string's folding.
    let isFolded: Bool

    /// Creates a string of an order's key, which is a field or a folded field.
    fileprivate init(_ key: FetchKey) {
      if case .folded(_, let operand) = key.node.kind {
        program = QueryProgram(operand)
        isFolded = true
      } else {
        program = QueryProgram(key.node)
        isFolded = false
      }
    }

    /// Returns whether SQL orders a row by another form of the string.
    fileprivate func isLong(in row: FlatBufferTable) -> Bool {
      guard let text = program.value(for: row).content else { return false }
      if !isFolded { return text.count > KeyForm.limit }
      // A scalar grows to three times its bytes at most. Bytes that are not UTF-8 grow here and not in SQL, so the
      // result may be true although SQL orders the row correctly.
      guard text.count > KeyForm.limit / 3 else { return false }
      return TextFolder.fold(String(decoding: text, as: UTF8.self), .caseAndDiacritics).utf8.count > KeyForm.limit
    }
  }
}

/// Makes the plan of one fetch.
///
/// SQL answers what the columns of the primary key and complete indexes can answer. The rest of the condition is
/// evaluated here, on the bytes of the rows: the server would take longer.
struct PostgresFetchPlanner: SQLDialect {
  private let table: TableCatalog.Table
  private let layout: DatabaseTable
  private var plan = PostgresFetchPlan()
  /// The conditions that SQL checks.
  private var conditions: [String] = []
  /// Receives the plan; nil if no one asks for it.
  private let trace: QueryTrace?
  /// The columns that conditions and order use, and the incomplete indexes, for `trace` alone.
  private var columns: [SQLColumn] = []
  private var missing: [Int] = []

  /// The most rows that are collected at once.
  private static let fewRows = 16
  var room = 500
  /// Nil: conditions on elements are not translated as such, but become arrays of elements to find.
  var searchedElements: Int? { nil }

  var record: RecordDescription { layout.record }

  init(_ table: TableCatalog.Table, _ trace: QueryTrace? = nil) {
    self.table = table
    self.trace = trace
    layout = table.layout
  }

  consuming func makePlan(_ request: FetchRequest, for purpose: FetchPurpose) -> PostgresFetchPlan {
    var rest: [QueryNode] = []
    for term in request.predicate?.conjuncts ?? [] {
      // A term goes to SQL as a whole or not at all.
      let parameters = plan.parameters
      if let (sql, column) = answer(to: term, for: purpose) {
        conditions.append(sql)
        if trace != nil { columns.append(column) }
      } else {
        plan.parameters = parameters
        rest.append(term)
      }
    }
    if let first = rest.first { plan.residual = QueryProgram(rest.dropFirst().reduce(first) { .and($0, $1) }) }
    plan.purpose = layout.fetching
    if case .count = purpose { layCount(limit: request.limit.count) } else { layRows(request, purpose) }
    if let trace {
      trace.note(
        plan.sql, record, columns: columns, rest: rest, sortsRows: !plan.isOrdered && !request.orderBy.isEmpty,
        missing: missing)
    }
    return plan
  }

  private mutating func layCount(limit: Int) {
    plan.isOrdered = true
    plan.isCounted = plan.residual == nil
    if !plan.isCounted {
      plan.sql = "SELECT m.rowid, m.p FROM \(source)"
    } else if limit == .max {
      plan.sql = "SELECT COUNT(*) FROM \(source)"
    } else {
      plan.sql = "SELECT COUNT(*) FROM (SELECT 1 FROM \(source) LIMIT \(next)) AS limited"
      plan.parameters.append(Int64(limit))
    }
  }

  private mutating func layRows(_ request: FetchRequest, _ purpose: FetchPurpose) {
    let limit = request.limit.count
    // Sorting the fetched objects here is cheaper than in SQL, unless only the first ones are wanted.
    var orderClause = ""
    if limit < .max, purpose == .objects, let order = order(of: request.orderBy) {
      plan.isOrdered = true
      if trace != nil { columns += order.keys.map(\.column) }
      plan.orderedStrings = zip(order.keys, request.orderBy).filter { type(of: $0.0.column) == .bytes }
        .map { PostgresFetchPlan.OrderedString($0.1) }
      orderClause = " ORDER BY " + terms(order)
      if let start = request.start {
        let parameters = plan.parameters
        if let further = self.conditions(after: start, order) {
          conditions += further
          plan.isStarted = true
        } else {
          plan.parameters = parameters
        }
      }
      plan.isLimited = plan.residual == nil && (request.start == nil || plan.isStarted)
    }
    plan.sql = "SELECT m.rowid, m.p FROM \(source)\(orderClause)"
    if plan.isLimited {
      plan.hasFewRows = limit <= PostgresFetchPlanner.fewRows
      plan.sql += " LIMIT \(next)"
      plan.parameters.append(Int64(limit))
    }
  }

  private var source: String {
    "\(layout.table) m" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  /// The name of the next parameter.
  private var next: String { "$\(plan.parameters.count + 1)" }

  // MARK: Dialect

  private func databaseColumn(_ column: SQLColumn) -> DatabaseTable.Column {
    switch column {
    case .primaryKey(let position): layout.keyColumns[position]
    case .index(let index): layout.indexes[index].column
    }
  }

  private func type(of column: SQLColumn) -> ColumnType { databaseColumn(column).type }

  mutating func isUsable(index: Int) -> Bool {
    if !table.isIndexUsable[index] {
      plan.missesIndex = true
      if trace != nil, !missing.contains(index) { missing.append(index) }
    }
    return table.isIndexUsable[index]
  }

  func name(of column: SQLColumn) -> String { databaseColumn(column).sql }

  func orderTerm(_ column: String, isDescending: Bool) -> String {
    column + (isDescending ? " DESC NULLS LAST" : " NULLS FIRST")
  }

  mutating func parameter(_ value: RowValue, for column: SQLColumn) -> String? {
    // For a longer string, the column has a form that preserves equality but not order.
    if let content = value.content, content.count > KeyForm.limit { return nil }
    let parameter = next + "::\(type(of: column).sql)"
    return plan.parameters.append(value, as: type(of: column)) ? parameter : nil
  }

  mutating func parameter(bytes: [UInt8], for column: SQLColumn) -> String? {
    bytes.withUnsafeBytes { parameter(.text($0), for: column) }
  }

  mutating func parameter(rowid: Int64) -> String {
    defer { plan.parameters.append(rowid) }
    return next
  }

  /// Returns the SQL condition that the elements of a row in an index overlap with an array of constants; nil if
  /// `condition` does not compare elements with constants for equality.
  mutating func elementCondition(_ condition: QueryNode, index: Int) -> String? {
    guard let values = condition.equalElements else { return nil }
    let column = layout.indexes[index].column
    var elements = PostgresArray(of: column.type.elementType)
    var hasLongString = false
    for value in values {
      let isAppended = value.withRowValue { value in
        if let content = value.content, content.count > KeyForm.limit { hasLongString = true }
        return elements.append(value, as: column.type)
      }
      guard isAppended else { return nil }
    }
    let parameter = next
    plan.parameters.append(elements)
    let array =
      switch column.type {
      case .integer, .real: "\(parameter)::\(column.type.sql)[]"
      case .numeric: "\(parameter)::text[]::numeric[]"
      case .bytes where hasLongString: "ARRAY(SELECT \(KeyForm.sql("u.b")) FROM unnest(\(parameter)::bytea[]) AS u(b))"
      case .bytes: "\(parameter)::bytea[]"
      }
    return "(\(column.sql) && \(array))"
  }

  /// Returns nil: conditions that compare conditions, or several columns, are evaluated here.
  mutating func unusualCondition(_ node: QueryNode) -> [SQLPart]? { nil }

  mutating func comparison(_ comparison: QueryNode.Comparison, _ column: SQLColumn, _ value: FieldValue) -> String? {
    let column = databaseColumn(column)
    if case .null = value { return nil }
    let parameter = next + "::\(column.type.sql)"
    guard value.withRowValue({ plan.parameters.append($0, as: column.type) }) else { return nil }
    guard value.withRowValue({ $0.content.map { $0.count > KeyForm.limit } ?? false }) else {
      return "(\(column.sql) \(comparison.sql) \(parameter))"
    }
    // For a longer string, the column has a form that preserves equality but not order.
    switch comparison {
    case .equal, .notEqual: return "(\(column.sql) \(comparison.sql) \(KeyForm.sql(parameter)))"
    default: return nil
    }
  }

  mutating func membership(_ column: SQLColumn, _ values: [FieldValue]) -> String? {
    let column = databaseColumn(column)
    let parameter = next
    switch column.type {
    case .integer:
      var elements = PostgresArray(of: .int8)
      for value in values {
        guard case .integer(let number) = value else { return nil }
        elements.append(number)
      }
      plan.parameters.append(elements)
      return "(\(column.sql) = ANY(\(parameter)::bigint[]))"
    case .bytes:
      var elements = PostgresArray(of: .bytea)
      for value in values {
        let isAppended = value.withRowValue { value in
          guard let content = value.content, content.count <= KeyForm.limit else { return false }
          elements.append(element: content)
          return true
        }
        guard isAppended else { return nil }
      }
      plan.parameters.append(elements)
      return "(\(column.sql) = ANY(\(parameter)::bytea[]))"
    case .real:
      var elements = PostgresArray(of: .float8)
      for value in values {
        guard case .real(let number) = value else { return nil }
        elements.append(number)
      }
      plan.parameters.append(elements)
      return "(\(column.sql) = ANY(\(parameter)::double precision[]))"
    case .numeric:
      var alternatives: [String] = []
      for value in values {
        let parameter = next + "::numeric"
        guard value.withRowValue({ if case .null = $0 { false } else { plan.parameters.append($0, as: .numeric) } })
        else { return nil }
        alternatives.append("\(column.sql) = \(parameter)")
      }
      return alternatives.isEmpty ? "false" : "(" + alternatives.joined(separator: " OR ") + ")"
    }
  }
}

extension QueryNode {
  /// The constants with which a condition on an element compares the element: the condition is true if the element
  /// equals one of them. Nil for a condition of another kind. The condition must be a search (`isElementSearch`).
  fileprivate var equalElements: [FieldValue]? {
    var values: [FieldValue] = []
    for node in disjuncts {
      switch node.kind {
      case .comparison(.equal, let lhs, let rhs):
        if case .constant(let value) = rhs.kind { values.append(value) }
        if case .constant(let value) = lhs.kind { values.append(value) }
      case .isIn(_, let constants): values += constants
      // Of the elements, only bools are conditions by themselves.
      case .field: values.append(.integer(1))
      case .not(let operand) where operand.field != nil: values.append(.integer(0))
      default: return nil
      }
    }
    return values
  }
}

extension PostgresArray {
  /// Appends a value as a type; returns false if the type cannot represent it, or if it is NULL.
  fileprivate mutating func append(_ value: RowValue, as type: ColumnType) -> Bool {
    switch (value, type) {
    case (.integer(let value), .integer): append(value)
    case (.integer(let value), .numeric): append(text: "\(value)")
    case (.unsigned(let value), .numeric): append(text: "\(value)")
    case (.integer(let value), .real) where Int64(exactly: Double(value)) == value: append(Double(value))
    case (.real(let value), .real): append(value)
    case (.text(let value), .bytes), (.bytes(let value), .bytes): append(element: value)
    default: return false
    }
    return true
  }
}

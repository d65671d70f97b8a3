import Dflat
import DflatEngine

/// The plan of a fetch: the SQL that finds rows, and what is left to do with each row.
struct SQLiteFetchPlan: ~Copyable {
  /// The statement. It selects the row number and the bytes; for a count, only the bytes; for a count that SQL makes,
  /// only the result.
  fileprivate(set) var sql = ""
  /// Whether the row number comes before the bytes.
  fileprivate(set) var isNumbered = true
  /// Whether SQL returns the count itself, not the rows.
  fileprivate(set) var isCounted = false
  fileprivate(set) var parameters: [RowValue] = []
  // Owns the texts of the parameters.
  fileprivate var memory = ConstantMemory()
  fileprivate var order: SQLOrder?
  fileprivate var start: PageStart?
  /// The part of the condition that is evaluated on each row's bytes.
  fileprivate(set) var residual: QueryProgram?
  /// The part of the condition that SQL answers by indexes, which is checked on each row's bytes.
  fileprivate(set) var check = IndexCheck()
  /// Whether the rows come in the requested order, so that the first ones are those to return.
  fileprivate(set) var isOrdered = false
  /// Whether SQL returns only rows after the object that the request starts after.
  fileprivate(set) var isStarted = false
  /// Whether SQL applies the limit of the request.
  fileprivate(set) var isLimited = false
  /// Whether an index that would have helped is incomplete.
  fileprivate(set) var missesIndex = false
}

/// The keys and indexes that the SQL of a fetch may search. If a fetch fails because of one of them, it is repeated
/// with fewer.
enum SearchMeans {
  /// Searches by the primary key and by indexes.
  case keysAndIndexes
  /// Searches by the primary key alone, after an index was found wrong.
  case keys
  /// No search, after SQLite has refused the statement, such as for its size. SQL returns all rows; conditions, order and
  /// limit are applied to them afterwards.
  case none
}

/// Makes the plan of one fetch.
struct SQLiteFetchPlanner: ~Copyable, SQLDialect {
  let record: RecordDescription
  private let reader: RecordReader
  private var plan = SQLiteFetchPlan()
  /// Whether each index is complete; nil if that was not looked up yet.
  private var completeness: [Bool?]
  /// The indexes whose tables are joined.
  private var joined: [Int] = []
  /// The index over elements for whose subquery a condition is being translated.
  private(set) var searchedElements: Int?
  private let means: SearchMeans
  /// Receives the plan; nil if no event is collected.
  private let trace: QueryTrace?
  var room = 500
  private static let largestJoin = 50

  /// Makes a planner of fetches of `record`.
  ///
  /// - Parameters:
  ///   - trace: receives the plan; nil if no event is collected.
  ///   - means: what the SQL may search by.
  init(
    _ record: RecordDescription, _ reader: RecordReader, _ trace: QueryTrace? = nil,
    means: SearchMeans = .keysAndIndexes
  ) {
    self.trace = trace
    self.record = record
    self.means = means
    self.reader = reader
    completeness = Array(repeating: nil, count: record.indexes.count)
  }

  consuming func makePlan(_ request: FetchRequest, for purpose: FetchPurpose) throws -> SQLiteFetchPlan {
    try lay(request, purpose)
    return plan
  }

  private mutating func lay(_ request: FetchRequest, _ purpose: FetchPurpose) throws {
    var conditions: [String] = []
    var rest: [QueryNode] = []
    var columns: [SQLColumn] = []
    for term in request.predicate?.conjuncts ?? [] {
      let firstParameter = plan.parameters.count
      guard means != .none, let (condition, column) = try answer(to: term, for: purpose) else {
        plan.parameters.removeSubrange(firstParameter...)
        rest.append(term)
        continue
      }
      conditions.append(condition)
      if trace != nil { columns.append(column) }
      if case .index(let index) = column {
        let parameter = firstParameter < plan.parameters.count ? plan.parameters[firstParameter] : nil
        plan.check.add(term, index: index, of: record, parameter)
      }
    }
    if let first = rest.first {
      plan.residual = QueryProgram(rest.dropFirst().reduce(first) { .and($0, $1) })
    }
    if case .count = purpose {
      layCount(conditions, limit: request.limit.count)
    } else {
      try layRows(conditions, request, purpose, &columns)
    }
    if let trace {
      trace.note(
        plan.sql, record, columns: columns, rest: rest, sortsRows: !plan.isOrdered && !request.orderBy.isEmpty,
        missing: completeness.indices.filter { completeness[$0] == false })
    }
  }

  private mutating func layCount(_ conditions: [String], limit: Int) {
    plan.isOrdered = true
    plan.isCounted = plan.residual == nil
    if !plan.isCounted { plan.check.prepare() }
    let rows = reader.source + clauses(conditions)
    if !plan.isCounted {
      plan.isNumbered = false
      plan.sql = "SELECT m.p FROM " + rows
    } else if limit == .max {
      plan.sql = "SELECT COUNT(*) FROM " + rows
    } else {
      plan.sql = "SELECT COUNT(*) FROM (SELECT 1 FROM \(rows) LIMIT ?)"
      plan.parameters.append(.integer(Int64(limit)))
    }
  }

  private mutating func layRows(
    _ conditions: [String], _ request: FetchRequest, _ purpose: FetchPurpose, _ columns: inout [SQLColumn]
  ) throws {
    let limit = request.limit.count
    plan.check.prepare()
    var conditions = conditions
    // To sort the fetched objects costs less than SQL's look-up of the rows in the order of an index, unless only the
    // first ones are wanted.
    var order: SQLOrder?
    if limit < .max || request.orderBy.isEmpty { order = try orderWithJoins(request.orderBy) }
    if means != .none, let order, let start = request.start, let further = self.conditions(after: start, order) {
      conditions += further
      plan.isStarted = true
      plan.order = order
      plan.start = start
    }
    plan.isOrdered = order != nil && limit < .max
    // If SQL does not know where a page starts, a limit in SQL would count the rows before the page.
    plan.isLimited =
      plan.isOrdered && purpose == .objects && plan.residual == nil && (request.start == nil || plan.isStarted)
    plan.sql = "SELECT m.rowid, m.p FROM " + reader.source + clauses(conditions)
    if plan.isOrdered, let order {
      plan.sql += " ORDER BY " + terms(order)
      if trace != nil { columns += order.keys.map(\.column) }
    }
    if plan.isLimited {
      plan.sql += " LIMIT ?"
      plan.parameters.append(.integer(Int64(limit)))
    }
  }

  private func clauses(_ conditions: [String]) -> String {
    joined.map { reader.joins[$0] }.joined()
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  /// Returns the order as SQL has it; nil if a key has no usable column. Then no further table is joined.
  private mutating func orderWithJoins(_ keys: [FetchKey]) throws -> SQLOrder? {
    let joinedBefore = joined
    guard means != .none || keys.isEmpty, var order = try order(of: keys) else {
      joined = joinedBefore
      return nil
    }
    // The entries of an index are also ordered by their row number. SQL does not know that this is the row's own
    // number.
    if keys.count == 1, case .index(let index) = order.keys[0].column { order.tieBreak = "i\(index).rowid" }
    return order
  }

  // MARK: Dialect

  mutating func isUsable(index: Int) throws -> Bool {
    guard means == .keysAndIndexes else { return false }
    let isComplete = try completeness[index] ?? reader.isComplete(index: index)
    completeness[index] = isComplete
    if !isComplete { plan.missesIndex = true }
    guard isComplete, record.indexes[index].vector == nil, !joined.contains(index) else { return isComplete }
    // SQLite joins up to 64 tables. Conditions that further indexes could answer are evaluated on the rows.
    guard joined.count < SQLiteFetchPlanner.largestJoin else { return false }
    joined.append(index)
    return true
  }

  func name(of column: SQLColumn) -> String {
    switch column {
    case .primaryKey(let position): "m.__pk\(position)"
    case .index(let position): reader.indexColumns[position]
    }
  }

  func orderTerm(_ column: String, isDescending: Bool) -> String { column + (isDescending ? " DESC" : "") }

  mutating func parameter(_ value: RowValue, for column: SQLColumn) -> String? {
    plan.parameters.append(value)
    return "?"
  }

  mutating func parameter(bytes: [UInt8], for column: SQLColumn) -> String? {
    // SQLite compares texts of a database in UTF-8 by their bytes, whatever they are.
    plan.parameters.append(plan.memory.store(bytes: bytes))
    return "?"
  }

  mutating func parameter(rowid: Int64) -> String {
    plan.parameters.append(.integer(rowid))
    return "?"
  }

  private mutating func parameter(_ value: FieldValue) -> String {
    plan.parameters.append(plan.memory.store(value))
    return "?"
  }

  mutating func comparison(_ comparison: QueryNode.Comparison, _ column: SQLColumn, _ value: FieldValue) -> String? {
    if isMisordered(value, beside: column) { return nil }
    return "(\(name(of: column)) \(comparison.sql) \(parameter(value)))"
  }

  mutating func membership(_ column: SQLColumn, _ values: [FieldValue]) -> String? {
    if values.contains(where: { isMisordered($0, beside: column) }) { return nil }
    return "(\(name(of: column)) IN (\(values.map { parameter($0) }.joined(separator: ", "))))"
  }

  /// Returns whether SQLite may order a constant and the values of a column otherwise than rows do: a value above
  /// `Int64.max` is a blob, which SQLite takes for larger than every number, also than an infinity.
  private func isMisordered(_ value: FieldValue, beside column: SQLColumn) -> Bool {
    guard case .real(let number) = value, number >= 0x1p63 else { return false }
    let field =
      switch column {
      case .primaryKey(let position): record.primaryKeys[position]
      case .index(let position): record.indexes[position].field
      }
    return field.storage == .uint64 || field.storage == .unionType64
  }

  mutating func elementCondition(_ condition: QueryNode, index: Int) -> String? {
    searchedElements = index
    defer { searchedElements = nil }
    let table = RecordTables(record: record).indexTable(index).quoted
    return self.condition(condition).map { "m.rowid IN (SELECT row FROM \(table) WHERE \($0))" }
  }

  /// Returns the parts of a condition that is used as a value, as SQLite allows; nil for other nodes. Arithmetic is
  /// evaluated on the rows: SQLite has no integer above `Int64.max`.
  mutating func unusualCondition(_ node: QueryNode) -> [SQLPart]? {
    switch node.kind {
    case .field: [.value(node)]
    case .constant(let value): [.sql(parameter(value))]
    case .comparison(let comparison, let lhs, let rhs):
      [.sql("("), .value(lhs), .sql(" \(comparison.sql) "), .value(rhs), .sql(")")]
    case .isNull(let operand): [.sql("("), .value(operand), .sql(" IS NULL)")]
    default: nil
    }
  }
}

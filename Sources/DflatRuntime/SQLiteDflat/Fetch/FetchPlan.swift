import Dflat

/// How a fetch is answered: the SQL that yields the rows to look at, and what is left to do with each.
struct FetchPlan: ~Copyable {
  /// Selects rowid and bytes; or, of a count that is made in SQL, the number.
  fileprivate(set) var sql = ""
  /// Whether SQL returns the number of rows and not the rows.
  fileprivate(set) var isCounted = false
  fileprivate(set) var parameters: [RowValue] = []
  // What holds the texts of the parameters.
  fileprivate var memory = ConstantMemory()
  fileprivate var order: FetchOrder?
  fileprivate var start: PageStart?
  /// The part of the condition that is evaluated on each row's bytes.
  fileprivate(set) var residual: QueryProgram?
  /// The part of the condition that SQL answers by indexes, to be checked on each row's bytes.
  fileprivate(set) var check = IndexCheck()
  /// Whether the rows come in the order that was asked for, so that the first ones are those to return.
  fileprivate(set) var isOrdered = false
  /// Whether SQL returns only rows that come after the object to start after.
  fileprivate(set) var isStarted = false
  /// Whether SQL returns no more rows than were asked for.
  fileprivate(set) var isLimited = false
  /// Whether an index that would have helped is not complete.
  fileprivate(set) var missesIndex = false
  /// Keeps the read transaction open in which an index was found complete.
  fileprivate(set) var holding: SQLiteStatement?
}

/// Makes the plan of one fetch.
struct FetchPlanner: ~Copyable {
  private let record: RecordDescription
  private let reader: RecordReader
  private var plan = FetchPlan()
  /// Whether each index is complete, as far as it has been asked for.
  private var completeness: [Bool?]
  /// The indexes whose tables are joined.
  private var joined: [Int] = []
  private let usesIndexes: Bool

  /// What becomes of the rows.
  enum Purpose {
    /// They are counted. Their order is of no interest.
    case count
    /// They become objects, as many as are asked for.
    case objects
    /// They become objects; but every row is needed although fewer are asked for.
    case objectsFromAllRows
  }

  /// How many nodes and constants may still go to SQL, whose expressions are limited in depth and parameters.
  private var room = 500

  /// - Parameter usesIndexes: false if an index has been found wrong, so that only the rows themselves are to be relied on.
  init(_ record: RecordDescription, _ reader: RecordReader, usesIndexes: Bool = true) {
    self.record = record
    self.usesIndexes = usesIndexes
    self.reader = reader
    completeness = Array(repeating: nil, count: record.indexes.count)
  }

  /// Where SQL finds a field.
  private enum Column: Equatable {
    case primaryKey(Int)
    case index(Int)
  }

  consuming func makePlan(_ request: FetchRequest, for purpose: Purpose) throws -> FetchPlan {
    do {
      try lay(request, purpose)
    } catch {
      plan.holding?.reset()
      throw error
    }
    return plan
  }

  private mutating func lay(_ request: FetchRequest, _ purpose: Purpose) throws {
    var conditions: [String] = []
    var rest: [QueryNode] = []
    for term in request.predicate?.conjuncts ?? [] {
      guard let source = try source(of: term, purpose) else {
        rest.append(term)
        continue
      }
      let firstParameter = plan.parameters.count
      conditions.append(sql(of: term))
      if case .index(let index) = source {
        let parameter = firstParameter < plan.parameters.count ? plan.parameters[firstParameter] : nil
        plan.check.add(term, column: record.primaryKeys.count + index, parameter)
      }
    }
    if let first = rest.first {
      plan.residual = QueryProgram(rest.dropFirst().reduce(first) { .and($0, $1) })
    }
    if case .count = purpose {
      layCount(conditions, limit: request.limit.count)
    } else {
      try layRows(conditions, request, purpose)
    }
  }

  private mutating func layCount(_ conditions: [String], limit: Int) {
    plan.isOrdered = true
    plan.isCounted = plan.residual == nil
    if !plan.isCounted { plan.check.prepare() }
    let rows = reader.source + clauses(conditions)
    if !plan.isCounted {
      plan.sql = "SELECT m.rowid, m.p FROM " + rows
    } else if limit == .max {
      plan.sql = "SELECT COUNT(*) FROM " + rows
    } else {
      plan.sql = "SELECT COUNT(*) FROM (SELECT 1 FROM \(rows) LIMIT ?)"
      plan.parameters.append(.integer(Int64(limit)))
    }
  }

  private mutating func layRows(
    _ conditions: [String], _ request: FetchRequest, _ purpose: Purpose
  ) throws {
    let limit = request.limit.count
    plan.check.prepare()
    var conditions = conditions
    // Sorting the fetched objects costs less than having SQL look the rows up in the order of an index; unless only
    // the first ones are wanted.
    var order: FetchOrder?
    if limit < .max || request.orderBy.isEmpty { order = try self.order(of: request.orderBy) }
    if let order, let start = request.start {
      conditions += order.conditions(after: start, &plan.parameters)
      plan.isStarted = true
      plan.order = order
      plan.start = start
    }
    plan.isOrdered = order != nil && limit < .max
    plan.isLimited = plan.isOrdered && purpose == .objects && plan.residual == nil
    plan.sql = "SELECT m.rowid, m.p FROM " + reader.source + clauses(conditions)
    if plan.isOrdered, let order { plan.sql += " ORDER BY " + order.terms }
    if plan.isLimited {
      plan.sql += " LIMIT ?"
      plan.parameters.append(.integer(Int64(limit)))
    }
  }

  private func clauses(_ conditions: [String]) -> String {
    joined.map { reader.joins[$0] }.joined()
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  /// The order as SQL has it; nil when a key is not there in SQL.
  private mutating func order(of keys: [FetchKey]) throws -> FetchOrder? {
    // Expressions may be nested so deep in SQL, and no deeper.
    guard keys.count <= 32 else { return nil }
    let joinedBefore = joined
    var order = FetchOrder()
    for key in keys {
      guard case .field(let field) = key.node, let column = column(of: field), try isUsable(column) else {
        joined = joinedBefore
        return nil
      }
      order.keys.append(
        FetchOrder.Key(
          column: name(of: column), isDescending: key.isDescending, isNeverNull: field.isNeverNull,
          program: QueryProgram(key.node)))
      // The entries of an index are ordered by their rowid, too; of the row's own SQL does not know that.
      if keys.count == 1, case .index(let index) = column { order.tieBreak = "i\(index).rowid" }
    }
    return order
  }

  // MARK: What SQL can answer

  /// Where SQL finds the condition better than in the rows' bytes: in columns of the primary key, which are at hand anyway, or
  /// by a search in one complete index. Nil if it does not.
  private mutating func source(of term: QueryNode, _ purpose: Purpose) throws -> Column? {
    let size = term.size(upTo: room)
    guard size < room, let column = try columnAtHand(term, purpose) else { return nil }
    room -= size
    return column
  }

  private mutating func columnAtHand(_ term: QueryNode, _ purpose: Purpose) throws -> Column? {
    var columns: [Column?] = []
    term.forEachField { columns.append(column(of: $0)) }
    guard let first = columns.first, let first, isExpressible(term) else { return nil }
    switch first {
    case .primaryKey:
      return columns.allSatisfy { if case .primaryKey = $0 { true } else { false } } ? first : nil
    case .index:
      // To count, even comparing all entries of an index costs less than reading the rows.
      guard columns.allSatisfy({ $0 == first }), purpose == .count || isSearch(term) else { return nil }
      return try isUsable(first) ? first : nil
    }
  }

  private func column(of field: RecordField) -> Column? {
    if let position = record.primaryKeys.firstIndex(of: field) { return .primaryKey(position) }
    return record.indexes.firstIndex { $0.field == field }.map(Column.index)
  }

  private mutating func isUsable(_ column: Column) throws -> Bool {
    guard case .index(let index) = column else { return true }
    guard usesIndexes else { return false }
    let isComplete = try completeness[index] ?? reader.isComplete(index: index, holding: &plan.holding)
    completeness[index] = isComplete
    if isComplete, !joined.contains(index) { joined.append(index) }
    if !isComplete { plan.missesIndex = true }
    return isComplete
  }

  /// Whether `sql(of:)` can write the condition. Arithmetic is left to the bytes: SQL knows no integer above Int64.max.
  private func isExpressible(_ node: QueryNode) -> Bool {
    switch node {
    case .field, .constant: true
    case .comparison(_, let lhs, let rhs), .and(let lhs, let rhs), .or(let lhs, let rhs):
      isExpressible(lhs) && isExpressible(rhs)
    case .not(let operand), .isNull(let operand), .isIn(let operand, _): isExpressible(operand)
    case .arithmetic, .position: false
    }
  }

  /// Whether the condition is one that an index is searched by, not one that all of its entries are compared with.
  private func isSearch(_ node: QueryNode) -> Bool {
    switch node {
    case .comparison(let comparison, .field, .constant), .comparison(let comparison, .constant, .field):
      comparison != .notEqual
    case .isIn(.field, _), .isNull(.field): true
    case .field, .not(.field): true
    case .and(let lhs, let rhs), .or(let lhs, let rhs): isSearch(lhs) && isSearch(rhs)
    default: false
    }
  }

  // MARK: Writing SQL

  private func name(of column: Column) -> String {
    switch column {
    case .primaryKey(let position): "m.__pk\(position)"
    case .index(let position): reader.indexColumns[position]
    }
  }

  private mutating func sql(of node: QueryNode) -> String {
    switch node {
    case .field(let field) where field.storage == .bool:
      // An equality, and not the bare column, can be searched for.
      return "(\(sql(of: field)) = 1)"
    case .field(let field):
      return sql(of: field)
    case .constant(let value):
      return parameter(value)
    case .comparison(let comparison, let lhs, let rhs):
      return "(\(operand(lhs)) \(comparison.sql) \(operand(rhs)))"
    case .and(let lhs, let rhs):
      return "(\(sql(of: lhs)) AND \(sql(of: rhs)))"
    case .or(let lhs, let rhs):
      return "(\(sql(of: lhs)) OR \(sql(of: rhs)))"
    case .not(.field(let field)) where field.storage == .bool:
      return "(\(sql(of: field)) = 0)"
    case .not(let inner):
      return "(NOT \(sql(of: inner)))"
    case .isNull(let inner):
      return "(\(operand(inner)) IS NULL)"
    case .isIn(let inner, let values):
      let value = operand(inner)
      return "(\(value) IN (\(values.map { parameter($0) }.joined(separator: ", "))))"
    case .arithmetic, .position:
      preconditionFailure("Arithmetic was let through to SQL.")
    }
  }

  /// A node whose value is used, not its truth.
  private mutating func operand(_ node: QueryNode) -> String {
    if case .field(let field) = node { return sql(of: field) }
    return sql(of: node)
  }

  private func sql(of field: RecordField) -> String {
    // Every field of a condition that is written has been found to be a column.
    column(of: field).map { name(of: $0) } ?? "NULL"
  }

  private mutating func parameter(_ value: FieldValue) -> String {
    plan.parameters.append(plan.memory.store(value))
    return "?"
  }
}

extension QueryNode.Comparison {
  fileprivate var sql: String {
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

import Dflat

/// How a fetch is answered: the SQL that yields the rows to look at, and what is left to do with each.
struct FetchPlan: ~Copyable {
  /// Selects rowid and bytes.
  fileprivate(set) var sql = ""
  fileprivate(set) var parameters: [RowValue] = []
  /// What holds the texts of the parameters.
  fileprivate var memory = ConstantMemory()
  /// The part of the condition that is evaluated on each row's bytes.
  fileprivate(set) var residual: QueryProgram?
  /// Whether the rows come in the order that was asked for, so that the first ones are those to return.
  fileprivate(set) var isOrdered = false
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

  /// How many nodes and constants may still go to SQL, whose expressions are limited in depth and parameters.
  private var room = 500

  init(_ record: RecordDescription, _ reader: RecordReader) {
    self.record = record
    self.reader = reader
    completeness = Array(repeating: nil, count: record.indexes.count)
  }

  /// Where SQL finds a field.
  private enum Column: Equatable {
    case primaryKey(Int)
    case index(Int)
  }

  /// - Parameter limitInSQL: false when every row is needed although fewer are asked for.
  consuming func makePlan<Element>(_ request: FetchRequest<Element>, limitInSQL: Bool) throws -> FetchPlan {
    do {
      try lay(request, limitInSQL)
    } catch {
      plan.holding?.reset()
      throw error
    }
    return plan
  }

  private mutating func lay<Element>(_ request: FetchRequest<Element>, _ limitInSQL: Bool) throws {
    let limit = request.limit.count
    var conditions: [String] = []
    var rest: [QueryNode] = []
    for term in request.predicate?.conjuncts ?? [] {
      if try servesInSQL(term) { conditions.append(sql(of: term)) } else { rest.append(term) }
    }
    if let first = rest.first {
      plan.residual = QueryProgram(rest.dropFirst().reduce(first) { .and($0, $1) })
    }
    // Sorting the fetched objects costs less than having SQL look the rows up in the order of an index; unless only
    // the first ones are wanted.
    var order: [String] = []
    if limit < .max {
      order = try self.order(of: request.orderBy) ?? []
      plan.isOrdered = request.orderBy.isEmpty || !order.isEmpty
      if plan.isOrdered { order.append("m.rowid") }
    }
    plan.isLimited = plan.isOrdered && limitInSQL && plan.residual == nil
    var sql = reader.selection
    for index in joined { sql += reader.joins[index] }
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    if !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
    if plan.isLimited {
      sql += " LIMIT ?"
      plan.parameters.append(.integer(Int64(limit)))
    }
    plan.sql = sql
  }

  /// The keys as terms of SQL's ORDER BY; nil when one is not there in SQL.
  private mutating func order<Element>(of keys: [OrderBy<Element>]) throws -> [String]? {
    var terms: [String] = []
    let joinedBefore = joined
    for key in keys {
      guard case .field(let field) = key.node, let column = column(of: field), try isUsable(column) else {
        joined = joinedBefore
        return nil
      }
      terms.append(name(of: column) + (key.isDescending ? " DESC" : ""))
    }
    return terms
  }

  // MARK: What SQL can answer

  /// Whether SQL answers the condition better than the rows' bytes: from the columns of the primary key, which are at
  /// hand anyway, or by a search in one complete index.
  private mutating func servesInSQL(_ term: QueryNode) throws -> Bool {
    let size = term.size(upTo: room)
    guard size < room, try isAtHand(term) else { return false }
    room -= size
    return true
  }

  private mutating func isAtHand(_ term: QueryNode) throws -> Bool {
    var columns: [Column?] = []
    term.forEachField { columns.append(column(of: $0)) }
    guard let first = columns.first, let first, isExpressible(term) else { return false }
    switch first {
    case .primaryKey:
      return columns.allSatisfy { if case .primaryKey = $0 { true } else { false } }
    case .index:
      return columns.allSatisfy { $0 == first } && isSearch(term) ? try isUsable(first) : false
    }
  }

  private func column(of field: RecordField) -> Column? {
    if let position = record.primaryKeys.firstIndex(of: field) { return .primaryKey(position) }
    return record.indexes.firstIndex { $0.field == field }.map(Column.index)
  }

  private mutating func isUsable(_ column: Column) throws -> Bool {
    guard case .index(let index) = column else { return true }
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

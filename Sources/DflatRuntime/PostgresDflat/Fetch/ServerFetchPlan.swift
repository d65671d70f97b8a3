import Dflat
import FlatBuffersCore

/// How a fetch is answered: the SQL that yields the rows to look at, and what is left to do with each.
struct ServerFetchPlan {
  /// Selects row number and bytes; or, of a count that is made in SQL, the number.
  fileprivate(set) var sql = ""
  fileprivate(set) var parameters = PostgresParameters()
  /// Whether SQL returns the number of rows and not the rows.
  fileprivate(set) var isCounted = false
  /// The condition that is evaluated on each row's bytes; nil if SQL leaves nothing to be checked.
  fileprivate(set) var residual: QueryProgram?
  /// Whether the rows come in the order that was asked for.
  fileprivate(set) var isOrdered = false
  /// Whether SQL returns only rows that come after the object to start after.
  fileprivate(set) var isStarted = false
  /// Whether SQL returns no more rows than were asked for.
  fileprivate(set) var isLimited = false
  /// Whether SQL returns so few rows that they may come all at once.
  fileprivate(set) var hasFewRows = false
  /// What the statement is for, in words.
  fileprivate(set) var purpose = ""
  /// Whether an index that would have helped is not complete.
  fileprivate(set) var missesIndex = false
  /// The keys of the order that are strings. If one of a row is longer than `KeyForm.limit`, SQL may have the rows in another
  /// order, and they have to be put in order here.
  fileprivate(set) var orderedStrings: [QueryProgram] = []

  /// Whether SQL may have put a row at a wrong place.
  func isOutOfOrder(_ row: FlatBufferTable) -> Bool {
    orderedStrings.contains { program in
      if case .text(let text) = program.value(for: row) { text.count > KeyForm.limit } else { false }
    }
  }
}

/// Makes the plan of one fetch.
///
/// What the columns of the primary key and complete indexes can answer goes to SQL. The rest of the condition is evaluated here,
/// on the bytes of the rows that come in: the server would take longer for it.
struct ServerFetchPlanner {
  private let table: TableCatalog.Table
  private let layout: DatabaseTable
  private var plan = ServerFetchPlan()
  /// The conditions of SQL.
  private var conditions: [String] = []

  /// What becomes of the rows.
  enum Purpose {
    /// They are counted. Their order is of no interest.
    case count
    /// They become objects, as many as are asked for.
    case objects
    /// They become objects; but every row is needed although fewer are asked for, and they are put in order here.
    case objectsFromAllRows
  }

  private typealias Column = DatabaseTable.Column

  /// So many rows may be in memory before they become objects.
  private static let fewRows = 16
  /// Deeper conditions are evaluated here.
  private static let sizeLimit = 500

  init(_ table: TableCatalog.Table) {
    self.table = table
    layout = table.layout
  }

  consuming func makePlan(_ request: FetchRequest, for purpose: Purpose) -> ServerFetchPlan {
    var rest: [QueryNode] = []
    for term in request.predicate?.conjuncts ?? [] {
      // A term is written as a whole or not at all.
      let parameters = plan.parameters
      if isAnswered(term, purpose), let sql = sql(of: term) {
        conditions.append(sql)
      } else {
        plan.parameters = parameters
        rest.append(term)
      }
    }
    if let first = rest.first { plan.residual = QueryProgram(rest.dropFirst().reduce(first) { .and($0, $1) }) }
    plan.purpose = layout.fetching
    if case .count = purpose { layCount(limit: request.limit.count) } else { layRows(request, purpose) }
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

  private mutating func layRows(_ request: FetchRequest, _ purpose: Purpose) {
    let limit = request.limit.count
    // To sort the objects that were fetched costs less here than in SQL, unless only the first ones are wanted.
    var order = ""
    if limit < .max, purpose == .objects, let keys = orderColumns(request.orderBy) {
      plan.isOrdered = true
      plan.orderedStrings = zip(keys, request.orderBy).filter { $0.0.type == .bytes }.map { QueryProgram($0.1.node) }
      order =
        " ORDER BY "
        + (zip(keys, request.orderBy).map { $0.sql + ($1.isDescending ? " DESC NULLS LAST" : " NULLS FIRST") }
        + ["m.rowid"]).joined(separator: ", ")
      if let start = request.start { begin(after: start, keys, request.orderBy) }
      plan.isLimited = plan.residual == nil && (request.start == nil || plan.isStarted)
    }
    plan.sql = "SELECT m.rowid, m.p FROM \(source)\(order)"
    if plan.isLimited {
      plan.hasFewRows = limit <= ServerFetchPlanner.fewRows
      plan.sql += " LIMIT \(next)"
      plan.parameters.append(Int64(limit))
    }
  }

  private var source: String {
    "\(layout.table) m" + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
  }

  /// The name of the next parameter.
  private var next: String { "$\(plan.parameters.count + 1)" }

  // MARK: Order

  /// The columns of the keys of an order; nil if SQL does not have all of them.
  private mutating func orderColumns(_ keys: [FetchKey]) -> [Column]? {
    var columns: [Column] = []
    for key in keys {
      guard case .field(let field) = key.node, let column = column(of: field) else { return nil }
      columns.append(column)
    }
    return columns
  }

  /// Lets the rows begin after an object.
  private mutating func begin(after start: PageStart, _ columns: [Column], _ keys: [FetchKey]) {
    let parameters = plan.parameters
    var conditions: [String] = []
    var alternatives = ""
    var end = ""
    for (index, (column, key)) in zip(columns, keys).enumerated() {
      let value = QueryProgram(key.node).value(for: start.row)
      if case .null = value {
        alternatives += key.isDescending ? "(\(column.sql) IS NULL AND " : "(\(column.sql) IS NOT NULL OR "
        end += ")"
        continue
      }
      let parameter = next + "::\(column.type.sql)"
      let isLong = if case .text(let text) = value { text.count > KeyForm.limit } else { false }
      guard !isLong, plan.parameters.append(value, as: column.type) else {
        plan.parameters = parameters
        return
      }
      // An index is searched by a plain comparison, not by the alternatives that say it all. NULL comes first.
      if index == 0, !key.isDescending { conditions.append("\(column.sql) >= \(parameter)") }
      let isAfter =
        key.isDescending
        ? "\(column.sql) < \(parameter) OR \(column.sql) IS NULL" : "\(column.sql) > \(parameter)"
      alternatives += "(\(isAfter) OR (\(column.sql) = \(parameter) AND "
      end += "))"
    }
    conditions.append("\(alternatives)m.rowid > \(next)\(end)")
    plan.parameters.append(start.rowid)
    self.conditions += conditions
    plan.isStarted = true
  }

  // MARK: What SQL can answer

  /// Whether SQL answers the condition better than it can be evaluated here: by the primary key, or by searching one index.
  private mutating func isAnswered(_ term: QueryNode, _ purpose: Purpose) -> Bool {
    guard term.size(upTo: ServerFetchPlanner.sizeLimit) < ServerFetchPlanner.sizeLimit else { return false }
    var fields: [RecordField] = []
    term.forEachField { fields.append($0) }
    guard let first = fields.first, column(of: first) != nil else { return false }
    let isOfKey = layout.record.primaryKeys.contains(first)
    if isOfKey { return fields.allSatisfy { layout.record.primaryKeys.contains($0) } }
    return fields.allSatisfy { $0 == first } && (purpose == .count || isSearch(term))
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

  private mutating func column(of field: RecordField) -> Column? {
    if let position = layout.record.primaryKeys.firstIndex(of: field) {
      return layout.keyColumns[position]
    }
    guard let index = layout.record.indexes.firstIndex(where: { $0.field == field }) else { return nil }
    guard table.isIndexUsable[index] else {
      plan.missesIndex = true
      return nil
    }
    return layout.indexes[index].column
  }

  // MARK: Writing SQL

  /// The condition in SQL; nil if SQL has no such condition.
  private mutating func sql(of node: QueryNode) -> String? {
    switch node {
    case .field(let field) where field.storage == .bool:
      // An equality, and not the bare value, can be searched for.
      return column(of: field).map { "(\($0.sql) = 1)" }
    case .not(.field(let field)) where field.storage == .bool:
      return column(of: field).map { "(\($0.sql) = 0)" }
    case .comparison(let comparison, .field(let field), .constant(let value)):
      return sql(comparison, field, value)
    case .comparison(let comparison, .constant(let value), .field(let field)):
      return sql(comparison.mirrored, field, value)
    case .and(let lhs, let rhs):
      guard let lhs = sql(of: lhs), let rhs = sql(of: rhs) else { return nil }
      return "(\(lhs) AND \(rhs))"
    case .or(let lhs, let rhs):
      guard let lhs = sql(of: lhs), let rhs = sql(of: rhs) else { return nil }
      return "(\(lhs) OR \(rhs))"
    case .not(let inner):
      return sql(of: inner).map { "(NOT \($0))" }
    case .isNull(.field(let field)):
      return column(of: field).map { "(\($0.sql) IS NULL)" }
    case .isIn(.field(let field), let values):
      return column(of: field).flatMap { sql($0, isIn: values) }
    default:
      return nil
    }
  }

  private mutating func sql(_ comparison: QueryNode.Comparison, _ field: RecordField, _ value: FieldValue) -> String? {
    guard let column = column(of: field) else { return nil }
    if case .null = value { return nil }
    let parameter = next + "::\(column.type.sql)"
    guard value.withRowValue({ plan.parameters.append($0, as: column.type) }) else { return nil }
    guard case .text(let text) = value, text.utf8.count > KeyForm.limit else {
      return "(\(column.sql) \(comparison.sql) \(parameter))"
    }
    // Of a longer string the column has a form that is equal, and not in order.
    switch comparison {
    case .equal, .notEqual: return "(\(column.sql) \(comparison.sql) \(KeyForm.sql(parameter)))"
    default: return nil
    }
  }

  private mutating func sql(_ column: Column, isIn values: [FieldValue]) -> String? {
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
        guard case .text(let text) = value, text.utf8.count <= KeyForm.limit else { return nil }
        elements.append(text: text)
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

  /// The comparison with the operands in the other order.
  fileprivate var mirrored: QueryNode.Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

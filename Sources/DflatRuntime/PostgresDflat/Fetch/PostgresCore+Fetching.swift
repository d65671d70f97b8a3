import Dflat
import DflatEngine
import FlatBuffersCore

extension PostgresCore: FetchSource {
  func fetch<Element: Atom>(_ request: FetchRequest) throws(StoreError) -> FetchedResult<Element> {
    guard events.queries.isListening else { return try fetch(request, nil) }
    return try events.trace(queryOf: "\(Element.self)", inTransaction: currentTransaction != nil) {
      trace throws(StoreError) in
      let result: FetchedResult<Element> = try fetch(request, trace)
      trace?.rowsReturned = result.count
      return result
    }
  }

  private func fetch<Element: Atom>(
    _ request: FetchRequest, _ trace: QueryTrace?
  ) throws(StoreError) -> FetchedResult<Element> {
    let origin = FetchOrigin(source: ObjectIdentifier(self), request: request, version: 0, isExact: false)
    guard request.limit.count > 0 else { return FetchedResult(unchecked: [], origin: origin) }
    let (objects, damages) = try reading { connection, context in
      var damages: [any Error] = []
      trace?.rowsRead = 0
      let rows = try self.rows(
        of: Element.self, request, .objects, nil, trace, on: connection, context, &damages)
      return (rows.objects, damages)
    }
    for damage in damages { report(damage) }
    return FetchedResult(unchecked: objects, origin: origin)
  }

  func count(_ request: FetchRequest, of record: RecordDescription, type: Any.Type) throws(StoreError) -> Int {
    guard events.queries.isListening else { return try count(request, of: record, nil) }
    return try events.trace(queryOf: "\(type)", inTransaction: currentTransaction != nil) { trace throws(StoreError) in
      let count = try count(request, of: record, trace)
      trace?.rowsReturned = count
      return count
    }
  }

  private func count(
    _ request: FetchRequest, of record: RecordDescription, _ trace: QueryTrace?
  ) throws(StoreError) -> Int {
    guard request.limit.count > 0 else { return 0 }
    let (count, damages) = try reading { connection, context in
      var damages: [any Error] = []
      trace?.rowsRead = 0
      return (try self.count(request, of: record, trace, on: connection, context, &damages), damages)
    }
    for damage in damages { report(damage) }
    return count
  }

  func reading<Result>(
    _ body: (PostgresConnection, ReadContext) throws -> Result
  ) throws(StoreError) -> Result {
    do {
      return try withConnection(body)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .failed(error)
    }
  }

  /// The rows that a fetch has found.
  struct Rows {
    var objects: ContiguousArray<AnyObject> = []
    var rowids: ContiguousArray<Int64> = []
    var sortKeys: ContiguousArray<SortKey> = []
  }

  /// Fetches rows, in order.
  ///
  /// - Parameters:
  ///   - order: the order of a standing query, for which the rows' keys are kept; nil for other fetches.
  ///   - damages: receives an error for each damaged row, which is left out of the result.
  func rows<Element: Atom>(
    of type: Element.Type, _ request: FetchRequest, _ purpose: FetchPurpose, _ order: SortOrder?,
    _ trace: QueryTrace? = nil, on connection: PostgresConnection, _ context: ReadContext, _ damages: inout [any Error]
  ) throws -> Rows {
    let record = Element._record
    let table = try catalog.table(of: record, on: connection)
    guard table.exists else { return Rows() }
    if purpose == .objects, order == nil,
      let found = try rows(
        of: type, havingPrimaryKeyOf: request, table.layout, trace, on: connection, context, &damages)
    {
      return found
    }
    if let start = request.start { try resolve(start, table, on: connection) }
    let plan = PostgresFetchPlanner(table, trace).makePlan(request, for: purpose)
    if plan.missesIndex { indexBuilder.request(record) }
    var list = FetchedRows(
      request, isOrdered: plan.isOrdered, isStarted: plan.isStarted, readAt: context.commitVersion,
      keepingKeysOf: order)
    var damagedRows: [any Error] = []
    var isOutOfOrder = false
    try run(plan, record, trace, on: connection, context, &damagedRows) { row, rowid, budget in
      if plan.isOutOfOrder(row) {
        isOutOfOrder = true
        return .last
      }
      guard list.append(row, rowid, as: type, within: budget) else { return .damaged }
      return list.isFull ? .last : .used
    }
    if isOutOfOrder || plan.isLimited && !damagedRows.isEmpty {
      // A row may be in the wrong position, or unreadable rows took the place of others within the limit.
      return try rows(of: type, request, .objectsFromAllRows, order, trace, on: connection, context, &damages)
    }
    damages += damagedRows
    list.finish()
    return Rows(objects: list.objects, rowids: list.rowids, sortKeys: list.sortKeys)
  }

  /// Fetches the row with a primary key by a statement that needs no planning; nil if the request has any other
  /// condition.
  private func rows<Element: Atom>(
    of _: Element.Type, havingPrimaryKeyOf request: FetchRequest, _ layout: DatabaseTable, _ trace: QueryTrace?,
    on connection: PostgresConnection, _ context: ReadContext, _ damages: inout [any Error]
  ) throws -> Rows? {
    guard let key = request.primaryKey(of: layout.record) else { return nil }
    var parameters = PostgresParameters()
    guard key.withRowValue({ parameters.append($0, as: layout.keyTypes[0]) }) else { return nil }
    var rows = Rows()
    trace?.noteKey(layout.lookUp(parameters))
    try connection.query(layout.lookUp(parameters), parameters, for: layout.fetching) { row in
      trace?.rowsRead += 1
      let rowid = row.integer(0)
      do {
        rows.objects.append(try Element.object(in: row.bytes(1), rowid, readAt: context.commitVersion))
        rows.rowids.append(rowid)
      } catch {
        damages.append(error)
      }
      return true
    }
    return rows
  }

  /// Reads the row of the object that a page starts after, unless that was done before: see `PageStart`.
  private func resolve(_ start: PageStart, _ table: TableCatalog.Table, on connection: PostgresConnection) throws {
    if start.isResolved { return }
    var rowid = PostgresParameters()
    rowid.append(start.rowid)
    try connection.query(table.layout.selectByRow, rowid, for: "Finding the start of a page") { row in
      try start.resolve(by: row.bytes(0))
      return true
    }
    // Without a row, the start keeps the object's values.
    try start.resolve(by: nil)
  }

  private func count(
    _ request: FetchRequest, of record: RecordDescription, _ trace: QueryTrace?, on connection: PostgresConnection,
    _ context: ReadContext, _ damages: inout [any Error]
  ) throws -> Int {
    let table = try catalog.table(of: record, on: connection)
    guard table.exists else { return 0 }
    let plan = PostgresFetchPlanner(table, trace).makePlan(request, for: .count)
    if plan.missesIndex { indexBuilder.request(record) }
    var count = 0
    if plan.isCounted {
      try connection.query(plan.sql, plan.parameters, for: plan.purpose) { row in
        count = Int(row.integer(0))
        return true
      }
      return count
    }
    try run(plan, record, trace, on: connection, context, &damages) { _, _, _ in
      count += 1
      return count < request.limit.count ? .used : .last
    }
    return count
  }

  /// Calls `body` with the rows that the plan finds, until it needs no more.
  private func run(
    _ plan: PostgresFetchPlan, _ record: RecordDescription, _ trace: QueryTrace?, on connection: PostgresConnection,
    _ context: ReadContext, _ damages: inout [any Error], _ body: (FlatBufferTable, Int64, ReadingBudget) -> RowUse
  ) throws {
    let budget = ReadingBudget()
    defer { budget.end() }
    let rows: PostgresConnection.Rows = plan.hasFewRows ? .collected : context.canCancel ? .cancellable : .streamed
    let isFiltered = plan.residual != nil
    // Not an optional: unwrapping one retains and releases the program for each row.
    let filter = plan.residual ?? .accepting
    var rowCount = 0
    defer { trace?.rowsRead += rowCount }
    try connection.query(plan.sql, plan.parameters, rows: rows, for: plan.purpose) { columns in
      rowCount &+= 1
      let rowid = columns.integer(0)
      guard let row = FlatBufferTable(rootOf: columns.bytes(1), within: budget) else {
        damages.append(PostgresError.corruptRow(rowid, of: record))
        return true
      }
      if isFiltered, !filter.matches(row) { return true }
      switch body(row, rowid, budget) {
      case .used: return true
      case .last: return false
      case .damaged:
        damages.append(PostgresError.corruptRow(rowid, of: record))
        return true
      }
    }
  }
}

extension PostgresError {
  static func corruptRow(_ rowid: Int64, of record: RecordDescription) -> PostgresError {
    PostgresError(
      cause: .corruptRow, message: "row \(rowid) of \(record.table) does not hold an object",
      purpose: "Reading an object")
  }
}

extension Atom {
  /// Creates the object of a row.
  ///
  /// - Parameter version: the commit version at which the row was read; 0 if it is not known.
  /// - Throws: `PostgresError` with the cause `.corruptRow` if the bytes are no object, or refer to more than they can
  ///   hold.
  static func object(in bytes: UnsafeRawBufferPointer, _ rowid: Int64, readAt version: UInt64) throws -> Self {
    guard let object = undamagedObject(in: bytes, rowid, readAt: version) else {
      throw PostgresError.corruptRow(rowid, of: _record)
    }
    return object
  }
}

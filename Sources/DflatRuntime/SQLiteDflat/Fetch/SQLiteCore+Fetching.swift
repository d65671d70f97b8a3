import CSQLite
import Dflat
import DflatEngine
import FlatBuffersCore

extension SQLiteCore: FetchSource {
  func fetch<Element: Atom>(_ request: FetchRequest) throws(StoreError) -> FetchedResult<Element> {
    guard tellsOfQueries.isSet else { return try fetch(request, nil) }
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
    guard request.limit.count > 0 else {
      return FetchedResult(
        unchecked: [], origin: FetchOrigin(source: ObjectIdentifier(self), request: request, version: 0, isExact: false)
      )
    }
    var damages: [any Error] = []
    // Here and below, results are put into a variable: to return them through generic functions costs a look-up of
    // their type each time.
    var objects: ContiguousArray<AnyObject> = []
    var version: UInt64 = 0
    var isExact = false
    try read(&damages) { connection, damages in
      // A transaction's own writes have no version yet.
      if connection.access != nil { version = connection.commitVersion }
      objects = try self.rows(of: Element.self, request, .objects, trace, on: connection, &damages)
      connection.noteRead()
      isExact = connection.isExact
    }
    let origin = FetchOrigin(source: ObjectIdentifier(self), request: request, version: version, isExact: isExact)
    let result = FetchedResult<Element>(unchecked: objects, origin: origin)
    currentTransaction?.noteFetch(result.objects, of: request, Element._record)
    for damage in damages { report(damage) }
    return result
  }

  func count(_ request: FetchRequest, of record: RecordDescription, type: Any.Type) throws(StoreError) -> Int {
    guard tellsOfQueries.isSet else { return try count(request, of: record, nil) }
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
    var damages: [any Error] = []
    var count = 0
    try read(&damages) { connection, damages in
      count = try self.count(request, of: record, trace, on: connection, &damages)
    }
    if count == 0 { currentTransaction?.noteFetch([], of: request, record) }
    for damage in damages { report(damage) }
    return count
  }

  /// Calls `body` with the connection on which the calling thread reads. If nothing is stored, `body` is not called. An
  /// error fails the transaction that the thread runs, if any.
  ///
  /// The caller reports the damages when the connection is free again, since the error handler may fetch.
  private func read(
    _ damages: inout [any Error], _ body: (SQLiteConnection, inout [any Error]) throws -> Void
  ) throws(StoreError) {
    do {
      if try withConnection({ try body($0, &damages) }) != nil { return }
    } catch {
      currentTransaction?.noteFailedRead(error)
      throw .failed(error)
    }
    if database.isShutDown { throw .shutDown }
  }

  /// Returns the objects of a fetch in their order. Each is an `Element`: see `FetchedResult`.
  private func rows<Element: Atom>(
    of type: Element.Type, _ request: FetchRequest, _ purpose: FetchPurpose, _ trace: QueryTrace?,
    on connection: SQLiteConnection, _ damages: inout [any Error]
  ) throws -> ContiguousArray<AnyObject> {
    let record = Element._record
    if let key = request.primaryKey(of: record) {
      let objects = try object(type, havingPrimaryKey: key, on: connection, &damages)
      if let trace {
        trace.noteKey(connection.reader(for: record).lookUpByPrimaryKey)
        trace.rowsRead = objects.count
      }
      return objects
    }
    let rows = try fetchedRows(type, request, purpose, nil, trace, on: connection, &damages)
    return rows.objects
  }

  /// Returns the rows of a fetch in their order.
  ///
  /// - Parameters:
  ///   - order: the order of a standing query, whose sort keys are kept.
  ///   - means: what the SQL may search by.
  func fetchedRows<Element: Atom>(
    _ type: Element.Type, _ request: FetchRequest, _ purpose: FetchPurpose, _ order: SortOrder?,
    _ trace: QueryTrace? = nil, means: SearchMeans = .keysAndIndexes, on connection: SQLiteConnection,
    _ damages: inout [any Error]
  ) throws -> FetchedRows {
    let record = Element._record
    let reader = connection.reader(for: record)
    if let start = request.start, !start.isResolved {
      try reader.withRow(start.rowid) { try start.resolve(by: $0) }
    }
    let plan = try SQLiteFetchPlanner(record, reader, trace, means: means).makePlan(request, for: purpose)
    var rows = FetchedRows(
      request, isOrdered: plan.isOrdered, isStarted: plan.isStarted, readAt: connection.commitVersion,
      keepingKeysOf: order)
    var damagedRows: [any Error] = []
    let ending = try run(plan, record, trace, means, on: connection, &damagedRows) { row, rowid, budget in
      guard rows.append(row, rowid, as: type, within: budget) else { return .damaged }
      return rows.isFull ? .last : .used
    }
    if let fewer = ending.fewerMeans {
      requestVerification(after: ending, of: record, on: connection)
      return try fetchedRows(type, request, purpose, order, trace, means: fewer, on: connection, &damages)
    }
    if plan.isLimited, !damagedRows.isEmpty {
      // The limit also counted the damaged rows.
      return try fetchedRows(
        type, request, .objectsFromAllRows, order, trace, means: means, on: connection, &damages)
    }
    damages += damagedRows
    rows.finish()
    return rows
  }

  /// Returns the only object that can have a primary key, by a statement that needs no plan.
  private func object<Element: Atom>(
    _: Element.Type, havingPrimaryKey key: FieldValue, on connection: SQLiteConnection, _ damages: inout [any Error]
  ) throws -> ContiguousArray<AnyObject> {
    var objects: ContiguousArray<AnyObject> = []
    try connection.reader(for: Element._record).withRow(havingPrimaryKey: key) { row in
      guard let row else { return }
      do {
        objects.append(try Element.object(in: row.bytes, row.rowid, on: connection))
      } catch {
        damages.append(error)
      }
    }
    return objects
  }

  /// Returns the number of rows of a request.
  ///
  /// - Parameter namingRows: whether some rows are known to be damaged, and their numbers are needed.
  private func count(
    _ request: FetchRequest, of record: RecordDescription, _ trace: QueryTrace?, means: SearchMeans = .keysAndIndexes,
    namingRows: Bool = false, on connection: SQLiteConnection, _ damages: inout [any Error]
  ) throws -> Int {
    let planner = SQLiteFetchPlanner(record, connection.reader(for: record), trace, means: means)
    let plan = try planner.makePlan(request, for: namingRows ? .objectsFromAllRows : .count)
    if plan.isCounted {
      do {
        guard let statement = try statement(plan, record, connection) else { return 0 }
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(at: 0)) : 0
      } catch let error where means != .none && error.isRefusal {
        return try self.count(request, of: record, trace, means: .none, on: connection, &damages)
      }
    }
    var count = 0
    var damagedRows: [any Error] = []
    let ending = try run(plan, record, trace, means, on: connection, &damagedRows) { _, _, _ in
      count += 1
      return count < request.limit.count ? .used : .last
    }
    if let fewer = ending.fewerMeans {
      requestVerification(after: ending, of: record, on: connection)
      return try self.count(
        request, of: record, trace, means: fewer, namingRows: namingRows, on: connection, &damages)
    }
    // Only now does SQL return the rows' numbers: they are needed for nothing else, and cost time for each row.
    if !damagedRows.isEmpty, !plan.isNumbered {
      return try self.count(
        request, of: record, trace, means: means, namingRows: true, on: connection, &damages)
    }
    damages += damagedRows
    return count
  }

  /// Starts to verify the index in which a wrong entry was found, if any, unless the connection is read-only.
  private func requestVerification(
    after ending: Ending, of record: RecordDescription, on connection: SQLiteConnection
  ) {
    guard case .wrongIndex(let index) = ending, !connection.isReadOnly else { return }
    catchUp.requestVerification(ofIndex: index, of: record)
  }

  /// How the run of a plan has ended.
  private enum Ending {
    case complete
    /// An index has led to a row for which the condition does not hold. Other entries of it may be missing.
    case wrongIndex(Int)
    /// SQLite does not execute the statement, such as for its size.
    case refused

    /// The means by which the fetch has to be repeated; nil if its rows are right.
    var fewerMeans: SearchMeans? {
      switch self {
      case .complete: nil
      case .wrongIndex: .keys
      case .refused: SearchMeans.none
      }
    }
  }

  /// Calls `body` with the rows that the plan finds, until `body` returns `.last`.
  ///
  /// - Parameter means: what the plan searches by.
  /// - Returns: how it ended. Unless it is complete, the caller repeats the fetch by fewer means.
  private func run(
    _ plan: borrowing SQLiteFetchPlan, _ record: RecordDescription, _ trace: QueryTrace?, _ means: SearchMeans,
    on connection: SQLiteConnection, _ damages: inout [any Error],
    _ body: (FlatBufferTable, Int64, ReadingBudget) -> RowUse
  ) throws -> Ending {
    let prepared: SQLiteStatement?
    do {
      prepared = try statement(plan, record, connection)
    } catch let error where means != .none && error.isRefusal {
      return .refused
    }
    guard let statement = prepared else { return .complete }
    defer { statement.reset() }
    let budget = ReadingBudget()
    defer { budget.end() }
    let check = plan.check
    let isChecked = !check.isEmpty
    let isFiltered = plan.residual != nil
    let isNumbered = plan.isNumbered
    // Not an optional: to unwrap one retains and releases the program for each row.
    let filter = plan.residual ?? .accepting
    var rowCount = 0
    defer { trace?.rowsRead += rowCount }
    while try statement.step() {
      rowCount &+= 1
      guard let row = FlatBufferTable(rootOf: statement.bytes(at: isNumbered ? 1 : 0), within: budget) else {
        let rowid = isNumbered ? statement.integer(at: 0) : 0
        damages.append(SQLiteError.corruptRow(rowid, of: record, path: connection.path))
        continue
      }
      if isChecked, let index = check.wrongIndex(for: row, record) { return .wrongIndex(index) }
      if isFiltered, !filter.matches(row) { continue }
      let rowid = isNumbered ? statement.integer(at: 0) : 0
      switch body(row, rowid, budget) {
      case .used: break
      case .last: return .complete
      case .damaged: damages.append(SQLiteError.corruptRow(rowid, of: record, path: connection.path))
      }
    }
    return .complete
  }

  /// Returns the statement of a plan, ready to run; nil while the type has no table.
  private func statement(
    _ plan: borrowing SQLiteFetchPlan, _ record: RecordDescription, _ connection: SQLiteConnection
  ) throws -> SQLiteStatement? {
    guard let statement = try connection.query(plan.sql, ifHasTable: record.table) else { return nil }
    if plan.missesIndex, !connection.isReadOnly { catchUp.request(record) }
    for (index, value) in plan.parameters.enumerated() { statement.bind(borrowing: value, at: Int32(index) + 1) }
    return statement
  }
}

extension Error {
  /// Whether SQLite does not execute a statement for what it asks: it is too deep, too long, or joins too many tables.
  fileprivate var isRefusal: Bool {
    guard let error = self as? SQLiteError else { return false }
    return error.code == SQLITE_ERROR || error.code == SQLITE_TOOBIG
  }
}

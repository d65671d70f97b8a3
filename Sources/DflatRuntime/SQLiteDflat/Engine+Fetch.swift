import CSQLite
import Dflat
import FlatBuffersCore

extension Engine: FetchSource {
  func fetch<Element: Atom>(_ request: FetchRequest<Element>) -> FetchedResult<Element> {
    guard request.limit.count > 0 else { return FetchedResult() }
    // What goes wrong is reported when the connection is free again: the handler may fetch.
    var errors: [any Error] = []
    var result = FetchedResult<Element>()
    do {
      result =
        try withConnection { connection in
          FetchedResult(try rows(request, on: connection, limitInSQL: true, &errors))
        } ?? FetchedResult()
    } catch {
      errors.append(error)
    }
    currentTransaction?.remember(fetched: result)
    for error in errors { report(error) }
    return result
  }

  private func rows<Element: Atom>(
    _ request: FetchRequest<Element>, on connection: SQLiteConnection, limitInSQL: Bool, _ errors: inout [any Error]
  ) throws -> ContiguousArray<Element> {
    let record = Element._record
    let plan = try FetchPlanner(record, connection.reader(for: record)).makePlan(request, limitInSQL: limitInSQL)
    defer { plan.holding?.reset() }
    guard let statement = try self.statement(plan.sql, record, connection) else { return [] }
    defer { statement.reset() }
    if plan.missesIndex, !connection.isReadOnly { catchUp.request(record) }
    for (index, value) in plan.parameters.enumerated() { statement.bind(borrowing: value, at: Int32(index) + 1) }

    var rows = FetchedRows(orderBy: request.orderBy, limit: request.limit.count, isOrdered: plan.isOrdered)
    var corruptRows: [Int64] = []
    while !rows.isFull, try statement.step() {
      let rowid = statement.integer(at: 0)
      guard let row = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: statement.bytes(at: 1))) else {
        corruptRows.append(rowid)
        continue
      }
      if let residual = plan.residual, !residual.matches(row) { continue }
      rows.append(row, rowid)
    }
    if plan.isLimited, !corruptRows.isEmpty {
      // Rows that cannot be read took the place of others.
      statement.reset()
      return try self.rows(request, on: connection, limitInSQL: false, &errors)
    }
    for rowid in corruptRows { errors.append(SQLiteError.corruptRow(rowid, of: record, path: connection.path)) }
    return rows.finish()
  }

  /// The statement for a query; nil while the type has no table.
  private func statement(
    _ sql: String, _ record: RecordDescription, _ connection: SQLiteConnection
  ) throws -> SQLiteStatement? {
    do {
      return try connection.query(sql)
    } catch let error as SQLiteError where error.mayBeMissingTable {
      if try !connection.hasTable(record.table) { return nil }
      throw error
    }
  }
}

import Dflat
import DflatEngine
import FlatBuffersCore

/// The reading of committed rows for subscribers.
extension PostgresCore: ObservableStore {
  func committedRows<Element: Atom>(
    of query: StandingQuery, as type: Element.Type, _ damages: inout [any Error]
  ) throws -> StandingQuery.Rows {
    let found: (value: StandingQuery.Rows, version: UInt64) = try withCommittedRows(of: type) { connection, context in
      // The closure may run again.
      damages = []
      let fetched = try self.rows(
        of: type, query.request, .objects, query.order, on: connection, context, &damages)
      var rows = StandingQuery.Rows()
      rows.objects = fetched.objects
      rows.rowids = fetched.rowids
      rows.keys = fetched.sortKeys
      return rows
    }
    var result = found.value
    result.version = found.version
    return result
  }

  func object<Element: Atom>(
    in rowid: Int64, as type: Element.Type
  ) throws -> (object: (any Atom)?, version: UInt64)? {
    let found: (value: Element?, version: UInt64) = try withCommittedRows(of: type) { connection, context in
      let table = try catalog.table(of: type._record, on: connection)
      guard table.exists else { return nil }
      var parameters = PostgresParameters()
      parameters.append(rowid)
      var object: Element?
      try connection.query(table.layout.selectByRow, parameters, for: "Reading an object") { row in
        object = try Element.object(in: row.bytes(0), rowid, readAt: context.commitVersion)
        return true
      }
      return object
    }
    return (found.value, found.version)
  }

  func row<Element: Atom>(of object: Element) throws -> Int64? {
    guard let stored = object as? any StoredAtom else { return nil }
    return try withConnection { connection, _ in
      let table = try catalog.table(of: Element._record, on: connection)
      guard table.exists else { return nil }
      var parameters = PostgresParameters()
      try RowEncoder.with { encoder in
        parameters.append(keyOf: FlatBufferTable(ofEncoded: try encoder.encode(stored)), table.layout)
      }
      var row: Int64?
      try connection.query(table.layout.lookUp(parameters), parameters, for: "Finding an object") {
        row = $0.integer(0)
        return true
      }
      return row
    }
  }

  /// Calls `body` in a snapshot that shows all commits up to some version of the feed, and no later one. While the feed
  /// does not report the rows of the table, the snapshot may show later commits, too, which are reported again.
  ///
  /// - Returns: the value of `body`, and that version.
  private func withCommittedRows<Element: Atom, Result>(
    of type: Element.Type, _ body: (PostgresConnection, ReadContext) throws -> Result
  ) throws -> (value: Result, version: UInt64) {
    // Not in fetches for earlier subscribers: completion handlers may wait for those.
    if observe(type) { feed.waitUntilOpen() }
    let table = type._record.tableName
    // A standby sends no commits, and has no log of its own to wait for.
    let position = options.readsStandby ? "0::bigint" : "(pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint"
    let look = "SELECT pg_current_snapshot()::text, \(position)"
    var pause = 0.002
    for attempt in 0..<1_000 {
      // While the feed reports changes without their rows, a change that the rows show beyond this version is reported
      // again.
      let version = feed.version
      let isStreamed = feed.tells(of: table)
      let connection = try pool.acquire(for: .readOnly)
      defer { pool.release(connection) }
      do {
        try connection.begin(.reading, for: "Reading for subscribers")
        var snapshot: ServerSnapshot?
        var position: UInt64 = 0
        try connection.query(look, for: "Reading for subscribers") { row in
          snapshot = ServerSnapshot(row.text(0))
          position = UInt64(max(0, row.integer(1)))
          return true
        }
        let value = try body(connection, ReadContext(commitVersion: version, canCancel: false))
        connection.rollBack()
        guard let snapshot else { return (value, version) }
        // Also if the stream has broken or is late: it may have reported some of the commits that the rows show, and
        // they must not be applied to the rows again.
        if isStreamed { _ = feed.wait(for: position) }
        if let version = feed.version(of: snapshot, since: version) { return (value, version) }
      } catch let error as PostgresError where error.isRetryable && attempt < 10 {
        connection.rollBack()
        if error.cause == .connectionLost { pool.dropIdle() }
      } catch let error as PostgresError where error.isMissingRelation && attempt == 0 {
        // Somebody has dropped the table, or made it anew.
        connection.rollBack()
        catalog.forget(type._record)
      } catch {
        connection.rollBack()
        throw error
      }
      // Two transactions that commit at the same time may become visible in another order than the server sends them:
      // for a moment, or for as long as a busy machine or a standby delays one of them.
      usleepRandomly(upTo: pause)
      pause = min(1.2 * pause, 0.1)
    }
    throw PostgresError(
      cause: .other, message: "no snapshot shows the commits in their order", purpose: "Reading for subscribers")
  }

  /// Has the server send the commits of a type's table.
  ///
  /// - Returns: whether the type had no observer before.
  private func observe<Element: Atom>(_ type: Element.Type) -> Bool {
    feed.observe(
      type._record.tableName,
      ReplicationFeed.ObservedRows(record: type._record) { bytes, rowid, version in
        guard let bytes else { return Element(.empty, _rowid: rowid) }
        return try bytes.withUnsafeBytes { try Element.object(in: $0, rowid, readAt: version) }
      })
  }

  /// Has the server send the changes of the dictionary, so that subscribers hear of other processes. Works in the
  /// background.
  func observeKeys() {
    let dictionary = dictionary
    feed.observe(
      ReplicationFeed.ObservedKeys(
        table: DictionaryTable.record.tableName,
        tell: { [weak dictionary] in dictionary?.noteForeignChange($0, by: $1) },
        serverHasChanged: { [weak dictionary] in dictionary?.noteOtherServer() }), DictionaryTable.record)
    feed.start()
  }
}

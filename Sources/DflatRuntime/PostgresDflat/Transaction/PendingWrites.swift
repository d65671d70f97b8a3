import Dflat
import DflatEngine
import FlatBuffersCore

/// The changes of a transaction that have not been sent to the server.
struct PendingWrites {
  /// The pending rows of the table that was written to last.
  private var latest: PendingRows?
  /// The pending rows of other tables, at most one element for each. Most transactions write to one table, and need no
  /// array.
  private var others: [PendingRows] = []

  /// Adds a new object.
  mutating func insert(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable, on connection: PostgresConnection
  ) throws {
    var row = PostgresParameters()
    row.append(rowid)
    row.append(keyOf: FlatBufferTable(ofEncoded: bytes), layout)
    row.append(bytes: bytes)
    try add(row, .insertion, layout, on: connection)
  }

  /// Adds a row's new bytes. No other update of the row may be pending.
  mutating func update(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable, on connection: PostgresConnection
  ) throws {
    var row = PostgresParameters()
    row.append(rowid)
    row.append(bytes: bytes)
    try add(row, .update, layout, on: connection)
  }

  mutating func delete(_ rowid: Int64, _ layout: DatabaseTable, on connection: PostgresConnection) throws {
    var row = PostgresParameters()
    row.append(rowid)
    try add(row, .deletion, layout, on: connection)
  }

  private mutating func add(
    _ row: PostgresParameters, _ kind: PendingRows.Kind, _ layout: DatabaseTable, on connection: PostgresConnection
  ) throws {
    if let layoutBefore = latest?.layout, layoutBefore !== layout { exchangeLatest(for: layout) }
    // The order of the changes to a row matters.
    if let kindBefore = latest?.kind, kindBefore != kind {
      try latest?.send(on: connection)
      latest = nil
    }
    if latest == nil {
      latest = PendingRows(row, kind, layout)
    } else {
      try latest?.append(row, on: connection)
    }
    if latest?.isFull == true {
      try latest?.send(on: connection)
      try connection.finishIfMuchIsUnanswered()
    }
  }

  /// Makes the pending rows of a table the latest ones; nil if it has none yet.
  private mutating func exchangeLatest(for layout: DatabaseTable) {
    let former = latest
    latest = others.firstIndex { $0.layout === layout }.map { others.remove(at: $0) }
    if let former { others.append(former) }
  }

  /// Sends all pending changes.
  mutating func send(on connection: PostgresConnection) throws {
    // Iterating over an empty mutable array would allocate.
    if !others.isEmpty {
      for index in others.indices { try others[index].send(on: connection) }
    }
    try latest?.send(on: connection)
  }

  mutating func removeAll() { self = PendingWrites() }
}

import Dflat
import DflatEngine
import FlatBuffersCore

/// The changes of a transaction that have not been sent to the server. Those of one kind to one table go there in one statement,
/// with an array for each column: that takes a fraction of the time of a statement for each row.
struct PendingWrites {
  /// Of each table one at most.
  private var batches: [Batch] = []

  enum Kind {
    case insertion
    case update
    case deletion
  }

  private struct Batch {
    let layout: DatabaseTable
    let kind: Kind
    var rowids = PostgresArray(of: .int8)
    var keys: [PostgresArray] = []
    var objects = PostgresArray(of: .bytea)
    var byteCount: Int { keys.reduce(objects.byteCount) { $0 + $1.byteCount } }

    init(_ kind: Kind, _ layout: DatabaseTable) {
      self.kind = kind
      self.layout = layout
      if kind == .insertion { keys = layout.keyTypes.map { PostgresArray(of: $0.elementType) } }
    }

    mutating func send(on connection: PostgresConnection) throws {
      let count = rowids.count
      guard count > 0 else { return }
      var parameters = PostgresParameters()
      func append(_ array: inout PostgresArray) {
        if count == 1 { parameters.append(onlyElementOf: array) } else { parameters.append(array) }
        array.removeAll()
      }
      append(&rowids)
      for index in keys.indices { append(&keys[index]) }
      if kind != .deletion { append(&objects) }
      switch kind {
      case .insertion:
        try connection.send(count == 1 ? layout.insert : layout.insertAll, parameters, for: layout.storing)
      case .update:
        try connection.send(
          count == 1 ? layout.update : layout.updateAll, parameters, changedRows: count, for: layout.changing)
      case .deletion:
        try connection.send(
          count == 1 ? layout.delete : layout.deleteAll, parameters, changedRows: count, for: layout.deleting)
      }
    }
  }

  /// How much is sent at once: so much that the cost of a statement is nothing beside that of its rows, and so little that the
  /// server works while the next rows are made.
  private static let limit = (count: 512, byteCount: 1 << 16)

  /// Adds a new object.
  mutating func insert(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable, on connection: PostgresConnection
  ) throws {
    let index = try batch(.insertion, layout, for: bytes.count, on: connection)
    let root = FlatBufferTable(ofEncoded: bytes)
    for (column, type) in layout.keyTypes.enumerated() {
      batches[index].keys[column].append(layout.record.columns.value(at: column, in: root), as: type)
    }
    batches[index].objects.append(bytes: bytes)
    try add(rowid, to: index, on: connection)
  }

  /// Adds a row's new bytes. No other update of the row may be pending.
  mutating func update(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable, on connection: PostgresConnection
  ) throws {
    let index = try batch(.update, layout, for: bytes.count, on: connection)
    batches[index].objects.append(bytes: bytes)
    try add(rowid, to: index, on: connection)
  }

  mutating func delete(_ rowid: Int64, _ layout: DatabaseTable, on connection: PostgresConnection) throws {
    let index = try batch(.deletion, layout, for: 0, on: connection)
    try add(rowid, to: index, on: connection)
  }

  /// The index of the batch of a table. One of another kind is sent first, since the order of the changes of a row matters; and
  /// so is what would go together with a large object.
  private mutating func batch(
    _ kind: Kind, _ layout: DatabaseTable, for byteCount: Int, on connection: PostgresConnection
  ) throws -> Int {
    guard let index = batches.firstIndex(where: { $0.layout === layout }) else {
      batches.append(Batch(kind, layout))
      return batches.count - 1
    }
    if batches[index].kind != kind {
      try batches[index].send(on: connection)
      batches[index] = Batch(kind, layout)
    } else if byteCount >= Self.limit.byteCount {
      try batches[index].send(on: connection)
    }
    return index
  }

  private mutating func add(_ rowid: Int64, to index: Int, on connection: PostgresConnection) throws {
    batches[index].rowids.append(rowid)
    if batches[index].rowids.count >= Self.limit.count || batches[index].byteCount >= Self.limit.byteCount {
      try batches[index].send(on: connection)
      try connection.finishIfMuchIsUnanswered()
    }
  }

  /// Sends what is pending.
  mutating func send(on connection: PostgresConnection) throws {
    for index in batches.indices { try batches[index].send(on: connection) }
  }

  mutating func removeAll() { batches = [] }
}

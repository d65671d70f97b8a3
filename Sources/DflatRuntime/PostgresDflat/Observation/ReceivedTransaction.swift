import Dflat

/// A committed transaction as the stream sends it.
struct ReceivedTransaction {
  let xid: UInt32
  let schema: String
  var changes: [(kind: RowChange.Kind, table: String, rowid: Int64, bytes: [UInt8]?)] = []
  /// Whether the changes of the transaction are not fully known.
  var isUnknown = false
  private var byteCount = 0

  /// The most changes, and the most bytes of them, that are kept. Beyond either, the changes count as unknown, and the
  /// observed results and objects are fetched again.
  private static let limits = (changes: 1 << 18, bytes: 1 << 26)

  init(xid: UInt32 = 0, schema: String) {
    self.xid = xid
    self.schema = schema
  }

  mutating func append(_ kind: RowChange.Kind, _ relation: LogicalMessage.Relation?, _ tuple: LogicalMessage.Tuple) {
    // Somebody may have added a table of another schema, with the same name, to the publication.
    if let relation, relation.schema != schema { return }
    if isUnknown { return }
    if changes.count >= Self.limits.changes || byteCount >= Self.limits.bytes {
      (isUnknown, changes) = (true, [])
      return
    }
    guard let relation, let rowidAt = relation.columns.firstIndex(of: "rowid"), rowidAt < tuple.count,
      let rowid = tuple[rowidAt].integer
    else {
      isUnknown = true
      return
    }
    guard kind != .deleted else {
      changes.append((kind, relation.name, rowid, nil))
      return
    }
    guard let bytesAt = relation.columns.firstIndex(of: "p"), bytesAt < tuple.count, let bytes = tuple[bytesAt].bytes
    else {
      isUnknown = true
      return
    }
    byteCount += bytes.count
    changes.append((kind, relation.name, rowid, bytes))
  }

  /// Appends an update. Another program's update may change the row number; it counts as a deletion and an insertion.
  mutating func appendUpdate(
    _ relation: LogicalMessage.Relation?, from former: LogicalMessage.Tuple?, to tuple: LogicalMessage.Tuple
  ) {
    guard let relation, relation.schema == schema, let column = relation.columns.firstIndex(of: "rowid") else {
      return append(.updated, relation, tuple)
    }
    // Unless the number is part of the replica identity, its former value is not sent.
    guard relation.identity.contains("rowid") else { return isUnknown = true }
    guard let former, column < former.count, column < tuple.count, former[column] != tuple[column] else {
      return append(.updated, relation, tuple)
    }
    append(.deleted, relation, former)
    append(.inserted, relation, tuple)
  }
}

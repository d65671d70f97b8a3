import Dflat
import DflatEngine
import FlatBuffersCore

/// The look-up of an object's latest state: in the transaction's submissions, then in the database.
extension PostgresTransaction {
  func latest<Element: StoredAtom>(_ object: Element) -> Element? {
    do {
      switch state {
      // After `abort()`, objects are as they are committed.
      case .idle, .open, .aborted: break
      // The closure runs again. Until then, it sees the object that it has.
      case .retryNeeded: return object
      case .failed, .ended: return nil
      }
      let record = Element._record
      let found =
        try object._rowid == 0 ? row(holdingPrimaryKeyOf: object, of: record)?.object : current(object, of: record)
      lookedUp = found
      return found
    } catch {
      if case .retryNeeded = state { return object }
      // A failed read has already failed the transaction, and only has to be reported.
      if isOpen { _ = fail(error) } else { report(error) }
      return nil
    }
  }

  func current<Element: StoredAtom>(_ object: Element, _ layout: DatabaseTable) throws -> Element? {
    try current(object, of: layout.record)
  }

  /// Returns the latest state of an object; nil if its row holds another object, or none. It takes no layout of the
  /// table, which is not known before a connection is open.
  private func current<Element: StoredAtom>(_ object: Element, of record: RecordDescription) throws -> Element? {
    if let state = rows[RowID(record, object._rowid)] {
      guard case .stored(let stored) = state, let current = stored as? Element, try isSameObject(object, as: current)
      else { return nil }
      return current
    }
    // The transaction has read the object itself, and its snapshot shows no later changes of others.
    if object._commitVersion == version { return object }
    guard object._rowid != 0 else { return try row(holdingPrimaryKeyOf: object, of: record)?.object }
    guard let current: Element = try storedObject(in: object._rowid), try isSameObject(object, as: current) else {
      return nil
    }
    return current
  }

  private func storedObject<Element: StoredAtom>(in rowid: Int64) throws -> Element? {
    try core.withConnection { connection, context in
      let table = try core.catalog.table(of: Element._record, on: connection)
      guard table.exists else { return nil }
      var parameters = PostgresParameters()
      parameters.append(rowid)
      var found: Element?
      try connection.query(table.layout.selectByRow, parameters, for: "Reading an object") { row in
        found = try Element.object(in: row.bytes(0), rowid, readAt: context.commitVersion)
        return true
      }
      return found
    }
  }

  /// Returns whether two objects with the same row number are states of one object: they have the same primary key, or
  /// this transaction has changed it. The number alone proves nothing: the object may come from another database.
  private func isSameObject<Element: StoredAtom>(_ object: Element, as current: Element) throws -> Bool {
    if object === current { return true }
    let key = try identity(of: object)
    guard let key, try key != identity(of: current) else { return key != nil }
    return formerKeys.contains { $0.rowid == current._rowid && $0.key == key }
  }

  func row<Element: StoredAtom>(
    holdingPrimaryKeyOf object: Element, _ layout: DatabaseTable
  ) throws -> (rowid: Int64, object: Element?)? {
    try row(holdingPrimaryKeyOf: object, of: layout.record)
  }

  /// Returns the row with the primary key of `object`, as this transaction sees it; nil if there is no such row. The
  /// object in the result is nil if the row's bytes are damaged.
  private func row<Element: StoredAtom>(
    holdingPrimaryKeyOf object: Element, of record: RecordDescription
  ) throws -> (rowid: Int64, object: Element?)? {
    let rows = rows
    return try core.withConnection { connection, context in
      let table = try core.catalog.table(of: record, on: connection)
      guard table.exists else { return nil }
      var parameters = PostgresParameters()
      try RowEncoder.with { encoder in
        parameters.append(keyOf: FlatBufferTable(ofEncoded: try encoder.encode(object)), table.layout)
      }
      var found: (rowid: Int64, object: Element?)?
      let lookUp = table.layout.lookUp(parameters)
      try connection.query(lookUp, parameters, for: "Finding an object of \(record.table)") { row in
        let rowid = row.integer(0)
        if case .stored(let own)? = rows[RowID(record, rowid)] {
          found = (rowid, own as? Element)
        } else {
          do {
            found = (rowid, try Element.object(in: row.bytes(1), rowid, readAt: context.commitVersion))
          } catch let error as PostgresError where error.cause == .corruptRow {
            // A damaged row may be replaced.
            found = (rowid, nil)
          }
        }
        return true
      }
      return found
    }
  }
}

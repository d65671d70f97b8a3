import Dflat
import DflatEngine
import FlatBuffersCore

/// The reading and changing of rows for the requests that the closure submits.
extension PostgresTransaction: EngineTransaction {
  func submit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject { try carryOut(request) }

  func `try`(submit request: some ChangeRequest) -> UpdatedObject? { tryToCarryOut(request) }

  var standing: TransactionStanding {
    switch state {
    case .idle, .open, .retryNeeded: .open
    case .aborted: .aborted
    case .failed(let failure): .failed(failure)
    case .ended: .ended
    }
  }

  func report(_ error: any Error) { core.reportLater(error) }

  /// Makes sure that objects of a type can be written, and returns the type's table.
  ///
  /// - Throws: `PreparationNeeded` if something has to be made first, outside of this transaction.
  func prepare(_ record: RecordDescription) throws -> DatabaseTable {
    if case .retryNeeded = state { throw SubmissionError.undone }
    let catalog = core.catalog
    if catalog.outcomes != .unknown, let layout = catalog.writableLayout(of: record) { return layout }
    let table: TableCatalog.Table
    if let known = catalog.knownTable(of: record), known.hasUniqueIndexes, catalog.outcomes != .unknown {
      table = known
    } else {
      guard case .open(let connection) = state else { return try core.prepareForWriting(record) }
      table = try catalog.look(for: record, on: connection)
      // Making an index or a table waits for all open transactions, and this is one.
      guard table.hasUniqueIndexes, try catalog.lookForOutcomes(on: connection) else {
        throw PreparationNeeded(record: record)
      }
    }
    catalog.noteWritable(record)
    if !table.isComplete { core.indexBuilder.request(record) }
    return table.layout
  }

  func noteSubmission() {}

  // Nothing to check: the server undoes a transaction that conflicts with one of another process.
  func checkFetched<Element: StoredAtom>(_ current: Element, isFoundByKey: Bool) {}
  func noteChange<Element: StoredAtom>(of current: Element) {}

  func recover<Request: ChangeRequest>(
    from error: any Error, in request: Request
  ) throws(TransactionError) -> UpdatedObject {
    if let conflict = error as? KeyConflict { throw takenKey(conflict, by: request) }
    guard let reason = reasonToRunAgain(after: error) else { throw fail(error) }
    undo(because: reason)
    // The closure gets an answer as if the request had been carried out.
    defer { request._change = .spent }
    switch request._change {
    case .create, .upsert, .spent: return .inserted(request._object(_rowid: 0))
    case .update(let base): return .updated(request._object(_rowid: base._rowid))
    case .delete(let base): return .deleted(base._rowid)
    }
  }

  // MARK: Creating

  func insert<Request: ChangeRequest>(
    _ request: Request, _ layout: DatabaseTable, _ encoder: RowEncoder
  ) throws -> Request.Element {
    let record = layout.record
    let connection = try openConnection()
    var pauses = RowNumbering.pauses
    while true {
      let rowid = try core.catalog.takeNumber(of: record, afterMany: rows.count, on: connection)
      let object = request._object(_rowid: rowid)
      let bytes = try encoder.encode(object)
      if isCareful {
        if let obstacle = try insertCarefully(rowid, bytes, layout) {
          guard obstacle == .number else { throw try conflict(of: object, layout) }
          // The sequence is behind. Nothing has been stored, so the same transaction goes on.
          guard pauses.wait() else { throw PostgresError.takenNumber(layout.storing) }
          try core.numbering.skipTakenNumbers(of: record)
          continue
        }
      } else {
        // A taken key makes the statement fail, which undoes the attempt. The next attempt is careful.
        try pending.insert(rowid, bytes, layout, on: connection)
      }
      noteWrite(.inserted)
      rows[RowID(record, rowid)] = .stored(object)
      return object
    }
  }

  /// The reason why a row cannot be inserted: another row has its key, or its row number.
  private enum Obstacle {
    case key
    case number
  }

  /// Inserts a row, and waits for the answer.
  ///
  /// - Returns: nil if the row is stored.
  private func insertCarefully(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable
  ) throws -> Obstacle? {
    var parameters = PostgresParameters()
    parameters.append(rowid)
    parameters.append(keyOf: FlatBufferTable(ofEncoded: bytes), layout)
    parameters.append(bytes: bytes)
    var isStored = false
    let connection = try connection()
    try connection.query(layout.insertUnlessTaken, parameters, for: layout.storing) { _ in
      isStored = true
      return true
    }
    if isStored { return nil }
    // The row is visible to the transaction: an invisible one would have failed the statement.
    var obstacle = Obstacle.key
    var row = PostgresParameters()
    row.append(rowid)
    try connection.query(layout.selectByRow, row, for: layout.storing) { _ in
      obstacle = .number
      return true
    }
    return obstacle
  }

  // MARK: Updating

  func write<Element: StoredAtom>(
    _ object: Element, _ bytes: UnsafeRawBufferPointer, from current: Element?, keepsKeys: Bool, _ layout: DatabaseTable
  ) throws {
    let record = layout.record
    let keys = keepsKeys ? [] : RowKey.all(of: FlatBufferTable(ofEncoded: bytes), record)
    let former = try keepsKeys || current == nil ? [] : self.keys(of: current)
    if keepsKeys {
      // An earlier change of the row may still be pending: `connection()` sends it first.
      let connection = try rows[RowID(record, object._rowid)] == nil ? openConnection() : connection()
      try pending.update(object._rowid, bytes, layout, on: connection)
    } else if !isCareful, current != nil, Set(keys) == Set(former) {
      // The keys seem to stay, but the row may hold others, such as the number of an enum case that this version does
      // not know. A taken key makes the statement fail, which undoes the attempt. The next attempt is careful.
      let connection = try connection()
      try connection.send(
        layout.updateWithKeys, parameters(updatingKeysOf: object._rowid, bytes, layout), isChange: true,
        for: layout.changing)
      try connection.finishIfMuchIsUnanswered()
    } else {
      do {
        try writeWithKeys(object._rowid, bytes, layout)
      } catch KeyConflict.unknown {
        throw try conflict(of: object, layout)
      }
      for key in former where key.index == nil && !keys.contains(key) { formerKeys.append((key, object._rowid)) }
    }
    noteWrite(.updated)
    rows[RowID(record, object._rowid)] = .stored(object)
  }

  /// Updates a row whose keys change, and waits for the answer. A conflict undoes this change alone.
  private func writeWithKeys(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable) throws {
    let purpose = layout.changing
    let connection = try connection()
    let parameters = parameters(updatingKeysOf: rowid, bytes, layout)
    try connection.send("SAVEPOINT dflat", for: purpose)
    try connection.finish()
    do {
      try connection.send(layout.updateWithKeys, parameters, isChange: true, for: purpose)
      try connection.send("RELEASE SAVEPOINT dflat", for: purpose)
      try connection.finish()
    } catch let error as PostgresError where error.isConflict {
      try connection.send("ROLLBACK TO SAVEPOINT dflat", for: purpose)
      try connection.finish()
      throw KeyConflict.unknown
    }
  }

  /// Returns the parameters of `DatabaseTable.updateWithKeys`.
  private func parameters(
    updatingKeysOf rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable
  ) -> PostgresParameters {
    var parameters = PostgresParameters()
    parameters.append(rowid)
    parameters.append(keyOf: FlatBufferTable(ofEncoded: bytes), layout)
    parameters.append(bytes: bytes)
    return parameters
  }

  /// Finds out which key of an object another row has.
  private func conflict<Element: StoredAtom>(of object: Element, _ layout: DatabaseTable) throws -> KeyConflict {
    let unique = layout.record.indexes.indices.filter { layout.record.indexes[$0].isUnique }
    if unique.isEmpty { return .primaryKey }
    if let row = try row(holdingPrimaryKeyOf: object, layout), row.rowid != object._rowid { return .primaryKey }
    return unique.count == 1 ? .index(unique[0]) : .unknown
  }

  private func keys<Element: StoredAtom>(of object: Element?) throws -> [RowKey] {
    guard let object else { return [] }
    return try RowEncoder.with { encoder in
      RowKey.all(of: FlatBufferTable(ofEncoded: try encoder.encode(object)), Element._record)
    }
  }

  // MARK: Deleting

  func deleteRow<Element: StoredAtom>(of current: Element, _ layout: DatabaseTable) throws {
    try pending.delete(current._rowid, layout, on: openConnection())
    noteWrite(.deleted)
    rows[RowID(layout.record, current._rowid)] = .deleted
  }
}

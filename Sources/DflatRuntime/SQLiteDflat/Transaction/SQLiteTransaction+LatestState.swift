import CSQLite
import Dflat
import DflatEngine
import FlatBuffersCore

/// The way in which a transaction finds the latest state of an object: in its own submissions, in pending transactions,
/// and in the database.
extension SQLiteTransaction {
  func latest<Element: StoredAtom>(_ object: Element) -> Element? {
    do {
      let found = try object._rowid == 0 ? stored(havingPrimaryKeyOf: object) : current(object, Element._record)
      lookedUp = found
      if found == nil { try noteAbsence(of: object) }
      return found
    } catch {
      // A transaction that has the writer cannot go on after SQLite has rolled back.
      let hasLostWriter = writer.map { !$0.connection.isInTransaction } ?? false
      if hasLostWriter || !SQLiteTransaction.tellsOfAbsence(error) { noteFailedRead(error) }
      report(error)
      return nil
    }
  }

  /// Returns whether an error means that no object is stored, and not that it is unknown whether one is: the bytes of
  /// the row are damaged, or the object that is looked up cannot be encoded.
  private static func tellsOfAbsence(_ error: any Error) -> Bool {
    (error as? SQLiteError)?.code == SQLITE_CORRUPT || error is FlatBufferError
  }

  /// Fails the transaction after a failed read, because nothing may be decided on a missing answer. The caller reports
  /// the error, or throws it.
  func noteFailedRead(_ error: any Error) {
    // What SQLite does not take because of its size is not stored: that is an answer.
    if (error as? SQLiteError)?.code == SQLITE_TOOBIG { return }
    // The writer of a forked child is the parent's.
    guard case .open = standing, !core.reporter.forks.isInChild else { return }
    rollBack(failing: TransactionError(error))
  }

  /// Returns the latest state of an object that was read from a row; nil if the row now holds another object, or none.
  func current<Element: StoredAtom>(_ object: Element, _ record: RecordDescription) throws -> Element? {
    if let state = rowState(record, object._rowid) {
      guard case .stored(let stored) = state, let current = stored as? Element else { return nil }
      if try isSameObject(object, as: current) { return current }
      // Another process has used the number of a new object, and the transaction has read what that process stored.
      if set.inserts(object._rowid, of: record) {
        throw SubmissionError.replaced(type: record.table, rowid: object._rowid)
      }
      return nil
    }
    // Read from the object first: with calls in between, the sequence would be retained and released.
    let (rowid, version) = (object._rowid, object._commitVersion)
    if core.sequence.isUnchanged(ObjectIdentifier(record), rowid, since: version) { return object }
    if let current = try stored(object, at: object._rowid) { return current }
    // The object may have been moved: another process may have used its number before it was stored.
    guard let moved = core.committer.withState({ $0.numbers.actualRow(object._rowid, of: record) }) else { return nil }
    if let state = rowState(record, moved) {
      guard case .stored(let stored) = state else { return nil }
      return stored as? Element
    }
    return try stored(object, at: moved)
  }

  /// Returns the state of a row after the changes of this transaction or a pending one; nil if neither changes it. The
  /// use of a pending change makes this transaction depend on the other one.
  func rowState(_ record: RecordDescription, _ rowid: Int64) -> RowState? {
    if let state = set.state(of: record, rowid) { return state }
    if case .writing = state { return nil }
    guard let row = core.committer.withState({ $0.pending.row(RowID(record, rowid)) }) else { return nil }
    depend(on: row.transaction)
    return row.state
  }

  private func depend(on transaction: QueuedTransaction) {
    if !queued.dependencies.contains(where: { $0 === transaction }) { queued.dependencies.append(transaction) }
  }

  // MARK: Other processes

  /// Checks that no other process has replaced an object since the transaction fetched it.
  ///
  /// - Parameter isFoundByKey: whether it is also checked that no other process has stored the object since the
  ///   transaction looked for it in vain.
  /// - Throws: `SubmissionError.replaced` if another process has, or if the fetched objects are no longer known.
  func checkFetched<Element: StoredAtom>(_ current: Element, isFoundByKey: Bool) throws {
    // While the transaction has the writer, no others can commit.
    let count = if case .writing = state { foreignCommits } else { core.sequence.lookForForeignCommits() }
    guard count != firstForeignCommits else { return }
    let replaced = SubmissionError.replaced(type: Element._record.table, rowid: current._rowid)
    if fetched.isIncomplete { throw replaced }
    // An object that the transaction itself has changed was checked then.
    guard let object = fetched.object(in: RowID(Element._record, current._rowid)) as? Element else {
      if isFoundByKey, try wasAbsent(current) { throw replaced }
      return
    }
    if object === current { return }
    let isSame = try RowEncoder.with { first in
      try RowEncoder.with { second in try first.encode(object).isSame(as: second.encode(current)) }
    }
    if !isSame { throw replaced }
  }

  /// Returns whether the transaction has looked in vain for an object that it now finds by its primary key.
  private func wasAbsent<Element: StoredAtom>(_ current: Element) throws -> Bool {
    let record = Element._record
    let row = RowID(record, current._rowid)
    // What the transaction itself has stored.
    if set.state(of: record, current._rowid) != nil { return false }
    // What a pending transaction of this workspace stores has no row yet.
    guard rowState(record, current._rowid) == nil else {
      return try RowEncoder.with { encoder in
        try fetched.wasAbsent(FlatBufferTable(ofEncoded: try encoder.encode(current)), in: row, record)
      }
    }
    var wasAbsent = false
    try read { connection in
      try connection.reader(for: record).withRow(current._rowid) { bytes in
        let budget = ReadingBudget()
        // Also after an error, or what the thread reads later would be cut short.
        defer { budget.end() }
        guard let bytes, let object = FlatBufferTable(rootOf: bytes, within: budget) else { return }
        wasAbsent = try fetched.wasAbsent(object, in: row, record)
      }
    }
    return wasAbsent
  }

  /// Records the result of a fetch of the closure; an empty one for a count of 0.
  func noteFetch(_ objects: ContiguousArray<AnyObject>, of request: FetchRequest, _ record: RecordDescription) {
    fetched.append(objects, of: request, record, othersMayCommit: othersMayCommit)
  }

  /// Whether another process may commit now, since the transaction does not have the writer.
  private var othersMayCommit: Bool { if case .writing = state { false } else { true } }

  /// Whether nothing has to be checked any more, since no others had committed before the transaction took the writer.
  private var isUndisturbed: Bool {
    if case .writing = state { foreignCommits == firstForeignCommits } else { false }
  }

  /// Records that no row has the primary key of an object that was looked up, so that `checkFetched(_:isFoundByKey:)`
  /// notices if another process stores one.
  private func noteAbsence<Element: StoredAtom>(of object: Element) throws {
    guard othersMayCommit, object._rowid == 0, let key = try primaryKey(of: object) else { return }
    fetched.noteAbsence(of: key)
  }

  /// Records a change that `checkFetched(_:isFoundByKey:)` has allowed, since later fetches return the changed object.
  func noteChange<Element: StoredAtom>(of current: Element) {
    if isUndisturbed { return }
    fetched.noteChange(of: RowID(Element._record, current._rowid))
  }

  // MARK: Reading

  /// Returns the stored object in a row if it is the same object as `object`; otherwise nil.
  private func stored<Element: StoredAtom>(_ object: Element, at rowid: Int64) throws -> Element? {
    var found: Element?
    let record = Element._record
    try read { connection in
      try connection.reader(for: record).withRow(rowid) { bytes in
        guard let bytes else { return }
        let current = try Element.object(in: bytes, rowid, on: connection)
        if try isSameObject(object, as: current) { found = current }
      }
    }
    return found
  }

  /// Returns whether an object and the one that is stored in its row are the same: the primary keys are equal, or this
  /// workspace has changed the key since. The row number is not enough: after a rollback, another process may use it.
  private func isSameObject<Element: StoredAtom>(_ object: Element, as current: Element) throws -> Bool {
    if object === current { return true }
    let record = Element._record
    let key = try identity(of: object)
    guard let key, try key != identity(of: current) else { return key != nil }
    if set.hasTaken(key, from: current._rowid) { return true }
    return core.committer.withState { $0.formerKeys.contains(key, of: RowID(record, current._rowid)) }
  }

  /// Returns the stored object with the primary key of `object`; nil if there is none.
  func stored<Element: StoredAtom>(havingPrimaryKeyOf object: Element) throws -> Element? {
    guard let key = try primaryKey(of: object) else { return nil }
    return try RowEncoder.with { encoder in
      let bytes = try encoder.encode(object)
      guard let rowid = try row(holding: key, of: FlatBufferTable(ofEncoded: bytes), Element.self) else { return nil }
      if let state = rowState(Element._record, rowid) {
        guard case .stored(let stored) = state else { return nil }
        return stored as? Element
      }
      var found: Element?
      try read { connection in
        try connection.reader(for: Element._record).withRow(rowid) { bytes in
          if let bytes { found = try Element.object(in: bytes, rowid, on: connection) }
        }
      }
      return found
    }
  }

  // MARK: Keys

  /// Returns the row that holds a key after the changes of this transaction and of pending ones; nil if none does.
  ///
  /// - Parameter object: an encoded object that has the key.
  func row<Element: StoredAtom>(
    holding key: RowKey, of object: FlatBufferTable, _ type: Element.Type
  ) throws -> Int64? {
    let record = Element._record
    if let row = set.row(claiming: key), let state = rowState(record, row), try state.holds(key, type) { return row }
    if case .writing = state {
      if key.index == nil, let row = set.row(claimingPrimaryKeyOf: object, record),
        let state = set.state(of: record, row), try state.holds(key, type)
      {
        return row
      }
      guard let row = try storedRow(holding: key, of: object, record) else { return nil }
      // The collected changes may delete the row, or change its key.
      if let state = set.state(of: record, row), try !state.holds(key, type) { return nil }
      return row
    }
    if let row = core.committer.withState({ $0.pending.row(claiming: key) }), let state = rowState(record, row),
      try state.holds(key, type)
    {
      return row
    }
    while true {
      let settled = core.committer.withState { $0.pending.settledSerial(before: queued.queues) }
      guard let stored = try storedRow(holding: key, of: object, record) else { return nil }
      // A pending transaction may have deleted the row, or changed its key.
      if let state = rowState(record, stored) { return try state.holds(key, type) ? stored : nil }
      // If a preceding transaction was settled after the database was read, the database is read again. This ends,
      // since only so many transactions precede this one.
      if core.committer.withState({ $0.pending.settledSerial(before: queued.queues) }) == settled { return stored }
    }
  }

  /// Returns true if no row can hold the primary key of a new object; false is inconclusive. It is for a transaction
  /// that has the writer, and a type without unique indexes.
  func isFree(
    primaryKeyOf object: FlatBufferTable, _ record: RecordDescription, _ writer: WriterConnection
  ) throws -> Bool {
    try set.claims.isEmpty && set.row(claimingPrimaryKeyOf: object, record) == nil
      && writer.connection.reader(for: record).row(holding: nil, of: object) == nil
  }

  /// Returns the row that holds a key in the database; nil if none does.
  private func storedRow(
    holding key: RowKey, of object: FlatBufferTable, _ record: RecordDescription
  ) throws -> Int64? {
    var stored: Int64?
    try read { connection in stored = try connection.reader(for: record).row(holding: key.index, of: object) }
    return stored
  }

  /// Calls `body` with a connection that shows what is committed, and what the transaction has written to SQLite. If
  /// nothing is stored, `body` is not called.
  ///
  /// `body` puts its result into a variable: to return it through generic functions costs a look-up of its type each
  /// time.
  func read(_ body: (SQLiteConnection) throws -> Void) throws {
    if let writer {
      try checkWriter()
      return try body(writer.connection)
    }
    try core.database.withReader(inTransaction: true, body)
  }
}

extension RowState {
  /// Returns whether the row holds a key.
  fileprivate func holds<Element: StoredAtom>(_ key: RowKey, _ type: Element.Type) throws -> Bool {
    guard case .stored(let object) = self, let object = object as? Element else { return false }
    return try RowEncoder.with { encoder in
      RowKey.all(of: FlatBufferTable(ofEncoded: try encoder.encode(object)), Element._record).contains(key)
    }
  }
}

import CSQLite
import Dflat
import Foundation

/// The connection that writes. The holder of the write lock uses it.
final class Writer {
  let connection: SQLiteConnection
  /// The store, whose connection this is.
  private unowned let store: Store
  let encoder = RowEncoder()
  /// For the state that an object is compared with.
  let comparisonEncoder = RowEncoder()
  private var records: [ObjectIdentifier: RecordWriter] = [:]
  /// The one of `records` that was used last.
  private var latest: RecordWriter?
  /// The type of `latest`, when it was asked for by that.
  private var latestType: ObjectIdentifier?
  /// The first rows, by their tables, that have not been used in transactions that were undone. Objects of those may still
  /// be around, and must not lead to others.
  private var firstUnusedRows: [String: Int64] = [:]
  /// The same for one that has been undone to be done again.
  private var suspendedRows: [String: Int64] = [:]
  /// The types whose unique indexes have been found complete, or been completed.
  private var completeTypes: Set<ObjectIdentifier> = []
  /// Changes when another connection has written.
  private var dataVersion: Int64?
  /// What the transaction that is open, or was last, ends when it is committed; see `Atom._moment`.
  private(set) var moment: UInt64 = 0
  private let beginStatement: SQLiteStatement
  private let commitStatement: SQLiteStatement
  private let rollbackStatement: SQLiteStatement
  private let versionStatement: SQLiteStatement
  private let beginMemberStatement: SQLiteStatement
  private let endMemberStatement: SQLiteStatement
  private let undoMemberStatement: SQLiteStatement

  init(_ connection: SQLiteConnection, of store: Store) throws {
    self.connection = connection
    self.store = store
    beginStatement = try SQLiteStatement("BEGIN IMMEDIATE", for: "Beginning a transaction", on: connection)
    commitStatement = try SQLiteStatement("COMMIT", for: "Committing a transaction", on: connection)
    rollbackStatement = try SQLiteStatement("ROLLBACK", for: "Rolling a transaction back", on: connection)
    versionStatement = try SQLiteStatement("PRAGMA data_version", for: "Beginning a transaction", on: connection)
    beginMemberStatement = try SQLiteStatement("SAVEPOINT member", for: "Beginning a transaction", on: connection)
    endMemberStatement = try SQLiteStatement("RELEASE member", for: "Ending a transaction", on: connection)
    undoMemberStatement = try SQLiteStatement("ROLLBACK TO member", for: "Rolling a transaction back", on: connection)
    dataVersion = try readVersion()
  }

  private func readVersion() throws -> Int64? {
    defer { versionStatement.reset() }
    return try versionStatement.step() ? versionStatement.integer(at: 0) : nil
  }

  /// Begins a write transaction, and notices whether another process has written since the last one.
  func begin(noticing foreignChanges: ForeignChanges) throws {
    endOverwriting()
    // One that could not be rolled back: nobody was told that it is stored.
    if connection.isInTransaction { rollBack() }
    try beginStatement.run()
    do {
      let version = try readVersion()
      if version != dataVersion {
        for writer in records.values { writer.forgetTables() }
        completeTypes = []
        foreignChanges.increment()
        store.noticeForeignCommit()
      }
      dataVersion = version
      moment = store.moment
    } catch {
      rollBack()
      throw error
    }
  }

  func commit() throws {
    store.beginCommit()
    defer { store.endCommit() }
    do {
      try carryOutDeletions()
      endOverwriting()
      try commitStatement.run()
    } catch {
      rollBack()
      throw error
    }
  }

  func rollBack() {
    endOverwriting()
    // After some errors SQLite has already rolled back. Otherwise a rollback that fails leaves a transaction that no
    // later one could begin in: it is tried again before that.
    if connection.isInTransaction { _ = Result { try rollbackStatement.run() } }
    firstUnusedRows.merge(suspendedRows) { max($0, $1) }
    firstUnusedRows.merge(usedRows) { max($0, $1) }
    forgetUndone()
  }

  /// Where the transaction that is open, or those before it, have stored the last object of each type, and one more.
  private var usedRows: [String: Int64] {
    records.values.reduce(into: [:]) { rows, writer in
      if writer.expectedRow > 0 { rows[writer.record.table] = writer.expectedRow }
    }
  }

  func firstUnusedRow(of record: RecordDescription) -> Int64 { firstUnusedRows[record.table] ?? 0 }

  /// Deletes the rows whose deletion is deferred: before anything is read, and before a transaction ends, of which others
  /// may be committed without those after it.
  func carryOutDeletions() throws {
    // Only the latest one has some: see `record(_:)`.
    try latest?.carryOutDeletions()
  }

  /// Ends what SQLite would take for a statement that is still writing.
  private func endOverwriting() {
    // Only the latest one's is open: see `record(_:)`.
    latest?.endTransaction()
  }

  private func forgetUndone() {
    // Tables may have been made and filled in what is undone, and a statement may have failed to be prepared.
    records = [:]
    latest = nil
    latestType = nil
    connection.forgetStatements()
  }

  // MARK: Transactions that are committed together

  /// Begins a transaction within the one that is open.
  func beginMember() throws {
    try carryOutDeletions()
    endOverwriting()
    try beginMemberStatement.run()
  }

  func endMember() throws {
    try carryOutDeletions()
    endOverwriting()
    try endMemberStatement.run()
  }

  /// Undoes what the last one begun has written.
  ///
  /// - Parameter toRepeat: whether it is done again, with the same rows.
  /// - Throws: when it cannot be done, or SQLite has already rolled everything back.
  func undoMember(toRepeat: Bool = false) throws {
    endOverwriting()
    defer {
      if toRepeat {
        suspendedRows.merge(usedRows) { max($0, $1) }
      } else {
        firstUnusedRows.merge(usedRows) { max($0, $1) }
      }
      forgetUndone()
    }
    try undoMemberStatement.run()
    try endMemberStatement.run()
  }

  // MARK: Records

  /// What writes the objects of `type`.
  func record<Element: Atom>(of type: Element.Type) throws -> RecordWriter {
    let type = ObjectIdentifier(type)
    if latestType == type, let latest { return latest }
    let writer = try record(Element._record)
    latestType = type
    return writer
  }

  /// What writes the objects of `record`.
  func record(_ record: RecordDescription) throws -> RecordWriter {
    if let latest, latest.record === record { return latest }
    try carryOutDeletions()
    latest?.endTransaction()
    let key = ObjectIdentifier(record)
    let writer = records[key] ?? RecordWriter(record, on: connection)
    records[key] = writer
    latest = writer
    latestType = nil
    return writer
  }

  /// Whether the unique indexes of all `types` are known to be complete, or to be of no use.
  func hasCompleteUniqueIndexes(of types: [ObjectIdentifier]) -> Bool {
    types.allSatisfy { completeTypes.contains($0) }
  }

  func noteCompleteUniqueIndexes(of types: [Any.Type]) {
    completeTypes.formUnion(types.map { ObjectIdentifier($0) })
  }

  /// The types of which an index is known to be behind.
  var recordsBehind: [RecordDescription] {
    records.values.filter(\.hasIndexBehind).map(\.record)
  }
}

/// Counts how often it was noticed that another process had written.
final class ForeignChanges: @unchecked Sendable {
  // Unchecked because the variable is guarded by the lock.
  private let lock = NSLock()
  private var value = 0

  var count: Int {
    lock.lock()
    defer { lock.unlock() }
    return value
  }

  func increment() {
    lock.lock()
    defer { lock.unlock() }
    value += 1
  }
}

import CSQLite
import Dflat
import DflatEngine
import Foundation

/// A snapshot that is open on a thread.
private final class SQLiteSnapshot {
  /// The connection of the snapshot; nil if nothing was stored when the snapshot began. If it could not begin, this is
  /// the error with which each fetch in it fails.
  let connection: Result<SQLiteConnection?, any Error>
  let dictionary: DictionarySnapshot

  init(_ core: SQLiteCore, _ connection: Result<SQLiteConnection?, any Error>, _ pending: DictionaryCache.Pending) {
    self.connection = connection
    dictionary = DictionarySnapshot(connection, pending, handle: core.handle)
  }
}

/// Selects the connection on which a thread reads: its transaction's, its snapshot's, or one of the pool.
extension SQLiteCore {
  /// The transaction of this workspace whose closure the calling thread runs; nil if there is none.
  var currentTransaction: SQLiteTransaction? {
    guard let transaction = CurrentTransaction.running as? SQLiteTransaction, transaction.core === self else {
      return nil
    }
    return transaction
  }

  private var currentSnapshot: SQLiteSnapshot? { ThreadScope.innermost(of: self)?.content as? SQLiteSnapshot }

  /// The dictionary of the snapshot that is open on the calling thread; nil if none is.
  var dictionarySnapshot: DictionarySnapshot? { currentSnapshot?.dictionary }

  /// Whether the calling thread is in a transaction or a snapshot, for which a shutdown would wait.
  var isInUseByThread: Bool { currentTransaction != nil || currentSnapshot != nil }

  /// Calls `body` with the connection on which the calling thread reads. A transaction that has submitted something
  /// takes the writer.
  ///
  /// - Returns: nil if nothing is stored, or the workspace has been shut down.
  func withConnection<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result? {
    let transaction = currentTransaction
    let snapshot = currentSnapshot
    if let transaction {
      if let connection = try transaction.connectionThatShowsItsWrites() { return try body(connection) }
      if snapshot == nil { committer.settlePredecessors(of: transaction.queued.queues) }
    }
    if let snapshot {
      guard let connection = try snapshot.connection.get() else { return nil }
      let result = try body(connection)
      try database.checkIsIntact(connection.access)
      return result
    }
    guard let transaction else { return try database.withReader(inTransaction: false, body) }
    do {
      return try database.withReader(inTransaction: true, body)
    } catch let error as SuspensionError {
      // Fails the transaction: otherwise it would go on as if nothing were stored.
      throw transaction.fail(error)
    }
  }

  /// Runs `body` so that all its fetches on this thread show one commit version. If the thread is in a transaction that
  /// has submitted changes, takes no snapshot: the fetches show the transaction's changes.
  func withSnapshot<Result>(_ body: () throws -> Result) rethrows -> Result {
    if currentSnapshot != nil { return try body() }
    if let transaction = currentTransaction {
      if transaction.hasSubmitted { return try body() }
      // A snapshot shows only committed changes, and these transactions come before this one.
      committer.settlePredecessors(of: transaction.queued.queues)
    }
    let (connection, pending) = beginSnapshot()
    defer { if case .success(let connection?) = connection { database.release(connection, .snapshot) } }
    return try ThreadScope(of: self, holding: SQLiteSnapshot(self, connection, pending)).run(body)
  }

  /// How often a snapshot is begun until its objects and its keys are those of one moment. Each attempt takes some
  /// microseconds, and fails if somebody sets a key and somebody commits within them.
  private static let snapshotAttempts = 200

  /// Begins a snapshot on a reader of the pool.
  ///
  /// - Returns: no connection if nothing is stored yet. Then fetches find nothing until the snapshot ends, whatever is
  ///   stored meanwhile.
  private func beginSnapshot() -> (Result<SQLiteConnection?, any Error>, DictionaryCache.Pending) {
    var pending = dictionary.cache.capturePending()
    do {
      let isInTransaction = currentTransaction != nil
      guard let reader = try database.acquireReader(.snapshot, inTransaction: isInTransaction) else {
        return (.success(nil), pending)
      }
      do {
        // The pending values and the read transaction must show one state. The keys of a transaction show only with its
        // objects, and its objects only with the keys that were set before. No pending value hides a later one of the
        // transaction.
        var attempts = 1
        var pause: UInt32 = 16
        try reader.takeSnapshot()
        while !dictionary.cache.isCurrent(pending, on: reader) {
          // Without this error, the fetches would show objects and keys of different moments.
          guard attempts < SQLiteCore.snapshotAttempts else { throw database.opener.snapshotError }
          if attempts > 10 {
            // Gets out of step with threads that set keys and commit without a pause.
            usleep(pause)
            pause = min(2 * pause, 1024)
          }
          pending = dictionary.cache.capturePending()
          try database.beginAnew(reader)
          try reader.takeSnapshot()
          attempts += 1
        }
        return (.success(reader), pending)
      } catch {
        database.release(reader, .snapshot, hasFailed: true)
        throw error
      }
    } catch {
      return (.failure(error), pending)
    }
  }
}

extension DatabaseOpener {
  /// The error of a snapshot whose objects and keys were never those of one moment.
  fileprivate var snapshotError: SQLiteError {
    SQLiteError(
      extendedCode: SQLITE_BUSY,
      message: "at each attempt, keys of the dictionary were set and others have committed meanwhile; take it again",
      purpose: "Taking a snapshot", path: path.text)
  }
}

extension SQLiteTransaction {
  /// Whether fetches have to show changes that are not committed.
  var hasSubmitted: Bool {
    switch state {
    case .writing: true
    case .collecting: !set.isEmpty
    case .aborted, .failed, .ended: false
    }
  }

  /// Returns the connection that shows the changes that the transaction has submitted; nil if it has submitted none.
  fileprivate func connectionThatShowsItsWrites() throws -> SQLiteConnection? {
    guard hasSubmitted else { return nil }
    do {
      return try takeWriter().connection
    } catch {
      // Some submissions may have been applied and others not.
      throw fail(error)
    }
  }
}

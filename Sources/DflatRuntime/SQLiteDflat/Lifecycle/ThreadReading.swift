import Dflat

/// A snapshot that is open on a thread.
private final class Snapshot {
  let core: WorkspaceCore
  /// Nil if nothing was stored when the snapshot began.
  let connection: SQLiteConnection?
  let dictionary: DictionarySnapshot
  /// The snapshot inside of which this one was begun, of whatever workspace.
  let outer: Snapshot?

  init(
    _ core: WorkspaceCore, _ connection: SQLiteConnection?, _ pending: DictionaryCache.Pending,
    inside outer: Snapshot?
  ) {
    self.core = core
    self.connection = connection
    dictionary = DictionarySnapshot(connection, pending, report: core.reporter.report)
    self.outer = outer
  }

  private static let slot = ThreadSlot()

  /// The innermost snapshot of the calling thread.
  static var innermost: Snapshot? {
    // Nothing else is put into the slot.
    get { slot.object.map { unsafeDowncast($0, to: Snapshot.self) } }
    set { slot.object = newValue }
  }
}

/// The connection on which a thread reads: that of its transaction, of its snapshot, or one of the pool.
extension WorkspaceCore {
  /// The transaction of this workspace whose closure the calling thread runs.
  var currentTransaction: SQLiteTransaction? {
    guard let transaction = CurrentTransaction.running as? SQLiteTransaction, transaction.core === self else {
      return nil
    }
    return transaction
  }

  private var currentSnapshot: Snapshot? {
    var snapshot = Snapshot.innermost
    while let each = snapshot {
      if each.core === self { return each }
      snapshot = each.outer
    }
    return nil
  }

  /// The dictionary of the snapshot that is open on the calling thread; nil if none is.
  var dictionarySnapshot: DictionarySnapshot? { currentSnapshot?.dictionary }

  /// Whether the calling thread holds something that a shutdown would wait for.
  var isInUseByThread: Bool { currentTransaction != nil || currentSnapshot != nil }

  /// Calls `body` with the connection on which the calling thread reads.
  ///
  /// - Returns: nil if nothing is stored, or the workspace has been shut down.
  func withConnection<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result? {
    let transaction = currentTransaction
    let snapshot = currentSnapshot
    if let transaction {
      if let connection = try transaction.connectionThatShowsItsWrites() { return try body(connection) }
      if snapshot == nil { committer.settlePredecessors(of: transaction.queued.queues) }
    }
    if let snapshot { return try snapshot.connection.map(body) }
    guard let reader = try database.acquireReader(.fetch, inTransaction: transaction != nil) else { return nil }
    do {
      let result = try body(reader)
      database.release(reader, .fetch)
      return result
    } catch {
      database.release(reader, .fetch, hasFailed: true)
      throw error
    }
  }

  /// Runs `body` such that all it fetches on this thread shows one commit version.
  func withSnapshot<Result>(_ body: () throws -> Result) rethrows -> Result {
    if currentSnapshot != nil { return try body() }
    if let transaction = currentTransaction {
      if transaction.hasSubmitted { return try body() }
      // A snapshot shows what has been committed.
      committer.settlePredecessors(of: transaction.queued.queues)
    }
    let (connection, pending) = beginSnapshot()
    let snapshot = Snapshot(self, connection, pending, inside: Snapshot.innermost)
    Snapshot.innermost = snapshot
    defer {
      Snapshot.innermost = snapshot.outer
      if let connection { database.release(connection, .snapshot) }
    }
    // The slot keeps no reference.
    return try withExtendedLifetime(snapshot) { try body() }
  }

  /// - Returns: no connection if nothing is stored yet, or it cannot be read, which is reported. Then nothing is found until
  ///   the snapshot ends, whatever is stored meanwhile.
  private func beginSnapshot() -> (SQLiteConnection?, DictionaryCache.Pending) {
    var pending = dictionary.cache.capturePending()
    do {
      let isInTransaction = currentTransaction != nil
      guard let reader = try database.acquireReader(.snapshot, inTransaction: isInTransaction) else {
        return (nil, pending)
      }
      do {
        // A transaction's keys must not be hidden by values that were pending before it, nor shown without its objects.
        var attempts = 0
        while !pending.values.isEmpty, attempts < 100 {
          try database.makeExact(reader)
          if dictionary.cache.isCurrent(pending) { break }
          pending = dictionary.cache.capturePending()
          try database.beginAnew(reader)
          attempts += 1
        }
        // SQLite takes its snapshot at the first read.
        let read = try reader.query("SELECT 1 FROM sqlite_master")
        defer { read.reset() }
        _ = try read.step()
        return (reader, pending)
      } catch {
        database.release(reader, .snapshot, hasFailed: true)
        throw error
      }
    } catch {
      report(error)
      return (nil, pending)
    }
  }
}

extension SQLiteTransaction {
  /// Whether fetches show more than what is committed.
  var hasSubmitted: Bool {
    switch state {
    case .writing: true
    case .collecting: !set.isEmpty
    case .aborted, .failed, .ended: false
    }
  }

  /// The connection that shows what the transaction has submitted; nil if that is nothing.
  fileprivate func connectionThatShowsItsWrites() throws -> SQLiteConnection? {
    guard hasSubmitted else { return nil }
    do {
      return try takeWriter().connection
    } catch {
      // What was submitted is in part applied, or cannot be.
      throw fail(error)
    }
  }
}

import Dflat
import Dispatch
import Foundation

/// What a workspace is made of. It lives as long as something of it is in use, the workspace itself or not.
final class Engine: Sendable {
  let store: Store
  let scheduler: TransactionScheduler
  let writeLock = WriteLock()
  let foreignChanges = ForeignChanges()
  let sharing = CommitSharing()
  let catchUp: IndexCatchUp
  let reporter: ErrorReporter

  init(store: Store, scheduler: TransactionScheduler, errorHandler: @escaping @Sendable (any Error) -> Void) {
    self.store = store
    self.scheduler = scheduler
    let reporter = ErrorReporter(errorHandler)
    self.reporter = reporter
    catchUp = IndexCatchUp(
      store: store, writeLock: writeLock, foreignChanges: foreignChanges, report: { reporter.report($0) })
  }

  /// Tells the error handler. Nothing is to be held: the handler may wait for whoever wants it.
  func report(_ error: any Error) { reporter.report(error) }

  // MARK: Connections of a thread

  /// A snapshot that is open on a thread, and those around it.
  private final class Snapshot {
    let engine: Engine
    /// Nil when there was nothing to read.
    let connection: SQLiteConnection?
    let outer: Snapshot?

    init(_ engine: Engine, _ connection: SQLiteConnection?, inside outer: Snapshot?) {
      self.engine = engine
      self.connection = connection
      self.outer = outer
    }
  }

  private static let snapshots = ThreadSlot()

  /// The innermost one of the thread, of whatever workspace.
  private static var innermost: Snapshot? {
    // Only `withSnapshot` puts anything into the slot.
    snapshots.object.map { unsafeDowncast($0, to: Snapshot.self) }
  }

  /// The transaction of this workspace whose closure the calling thread runs.
  var currentTransaction: SQLiteTransaction? {
    guard let transaction = CurrentTransaction.running as? SQLiteTransaction, transaction.engine === self else {
      return nil
    }
    return transaction
  }

  private var currentSnapshot: Snapshot? {
    var snapshot = Engine.innermost
    while let each = snapshot {
      if each.engine === self { return each }
      snapshot = each.outer
    }
    return nil
  }

  /// Whether the calling thread holds something that closing would wait for.
  var isInUseByThread: Bool { currentTransaction != nil || currentSnapshot != nil }

  /// Calls `body` with the connection on which the calling thread reads: the one that its transaction writes on, the one
  /// of its snapshot, or one of those that are shared.
  ///
  /// - Returns: nil when nothing is stored, or the workspace has been shut down.
  func withConnection<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result? {
    let transaction = currentTransaction
    let snapshot = currentSnapshot
    if let transaction, let reading = try transaction.beginReading(inSnapshot: snapshot != nil) {
      defer { transaction.endReading(reading) }
      return try body(reading.connection)
    }
    if let snapshot { return try snapshot.connection.map(body) }
    guard let connection = try store.acquireReader(inTransaction: transaction != nil) else { return nil }
    do {
      let result = try body(connection)
      store.release(connection)
      return result
    } catch {
      store.release(connection, hasFailed: true)
      throw error
    }
  }

  /// Runs `body` such that all it fetches on this thread is of one moment.
  func withSnapshot<Result>(_ body: () throws -> Result) rethrows -> Result {
    if currentSnapshot != nil || currentTransaction?.hasWritten == true { return try body() }
    // A snapshot is of what has been committed.
    currentTransaction?.settlePredecessors()
    let connection = beginSnapshot()
    let snapshot = Snapshot(self, connection, inside: Engine.innermost)
    Engine.snapshots.object = snapshot
    defer {
      Engine.snapshots.object = snapshot.outer
      if let connection { store.release(connection) }
    }
    return try body()
  }

  /// - Returns: nil when nothing is stored yet, or it cannot be read, which is reported. Then nothing is found until the
  ///   snapshot ends, whatever is stored meanwhile.
  private func beginSnapshot() -> SQLiteConnection? {
    do {
      guard let connection = try store.acquireReader(inTransaction: currentTransaction != nil) else { return nil }
      do {
        if !connection.isInTransaction { try connection.begin(nil) }
        // SQLite decides on the moment at the first read.
        let read = try connection.query("SELECT 1 FROM sqlite_master")
        defer { read.reset() }
        _ = try read.step()
        return connection
      } catch {
        store.release(connection, hasFailed: true)
        throw error
      }
    } catch {
      report(error)
      return nil
    }
  }
}

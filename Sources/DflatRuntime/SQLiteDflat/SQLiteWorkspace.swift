import Dflat
import Dispatch
import Foundation

/// A type that a `SQLiteWorkspace` stores. Generated classes conform to it.
public protocol SQLiteAtom: Atom {}

/// A store of objects in an SQLite database file.
///
/// The file is opened when it is first needed. When that fails, the error handler is told, transactions complete with
/// `false`, fetches return nothing, and the next use tries again.
public final class SQLiteWorkspace: Workspace {
  /// When the file may be read, on devices that protect files. Elsewhere it means nothing.
  public enum FileProtectionLevel: Sendable {
    case noProtection
    case completeFileProtection
    case completeFileProtectionUnlessOpen
    case completeFileProtectionUntilFirstUserAuthentication
  }

  /// When a transaction's changes are on the disk.
  public enum Synchronous: Sendable {
    /// Soon after it completes. A loss of power may undo the last transactions, each as a whole.
    case normal
    /// When it completes.
    case full
  }

  /// Which transactions run at the same time.
  public enum WriteConcurrency: Sendable {
    /// Those that share no type.
    case concurrent
    /// None.
    case serial
  }

  let engine: Engine
  private let scheduler: TransactionScheduler
  private let closing: Closing

  /// A workspace in the file at `filePath`, whose folder must be there.
  ///
  /// - Parameters:
  ///   - filePath: the path of the database file. A relative one means what it does now, also when the process changes its
  ///     folder later.
  ///   - fileProtectionLevel: when the file may be read, on devices that protect files.
  ///   - synchronous: when a transaction's changes are on the disk.
  ///   - writeConcurrency: which transactions run at the same time.
  ///   - targetQueue: where transactions run. One that runs on few threads lets few transactions run at the same time,
  ///     and with one each transaction is committed alone.
  ///   - errorHandler: called, on any thread, with every error that no call could hand back. Without one, each is
  ///     written to standard error as one line. It may use the workspace; when it shuts it down, that does not wait.
  public init(
    filePath: String, fileProtectionLevel: FileProtectionLevel, synchronous: Synchronous = .normal,
    writeConcurrency: WriteConcurrency = .concurrent, targetQueue: DispatchQueue? = nil,
    errorHandler: (@Sendable (any Error) -> Void)? = nil
  ) {
    let store = Store(path: filePath, fileProtection: fileProtectionLevel, synchronous: synchronous)
    scheduler = TransactionScheduler(targetQueue: targetQueue, isSerial: writeConcurrency == .serial)
    engine = Engine(
      store: store, scheduler: scheduler, errorHandler: errorHandler ?? SQLiteWorkspace.writeToStandardError)
    closing = Closing(engine, scheduler)
  }

  private static let writeToStandardError: @Sendable (any Error) -> Void = { error in
    FileHandle.standardError.write(Data("dflat: \(error)\n".utf8))
  }

  // MARK: Reading

  /// Fetches objects of a type: go on with `where` or `all`. In a transaction its own changes are seen.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> {
    QueryBuilder(engine)
  }

  /// Runs `closure` on the calling thread; every fetch in it on this thread sees one moment. In a transaction that has
  /// submitted something, fetches see its own changes instead.
  ///
  /// A snapshot holds one of a limited number of connections: `closure` should not wait for the snapshots of others.
  public func fetchWithinASnapshot<T>(_ closure: () throws -> T) rethrows -> T {
    try engine.withSnapshot(closure)
  }

  // MARK: Writing

  /// Runs `changesHandler` as a transaction, on a background queue; see `Workspace`.
  ///
  /// The write lock is taken when the first change is submitted; until then the closure runs beside all others of
  /// disjoint types. The completion handler is called when the next transactions may already have begun, and that of one
  /// that has failed may be called before those of earlier ones.
  ///
  /// Until the first change is submitted, another workspace of the same file, or another process, may write. So what was
  /// read before may be out of date then; a request that was made from it is written in full.
  ///
  /// Transactions that queue up are committed together, unless the workspace has a target queue, or another process writes
  /// to the file, too: up to 1,024 of them, and the first after 10 ms at the latest. Each is undone alone; but when their
  /// commit fails, all of them complete with `false`. A later one, and nobody else, sees what an earlier one has written
  /// before that is committed.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void,
    completionHandler: sending ((_ success: Bool) -> Void)? = nil
  ) {
    let completion = completionHandler.map { Handover($0) }
    perform(transactionalObjectTypes, changesHandler) { completion?.closure($0 == nil) }
  }

  private func perform(
    _ transactionalObjectTypes: [Any.Type],
    _ changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void,
    completion: @escaping @Sendable (_ failure: TransactionError?) -> Void
  ) {
    let types = transactionalObjectTypes.map { ObjectIdentifier($0) }
    let engine = engine
    scheduler.enqueue(
      types,
      work: { ticket in
        let transaction = SQLiteTransaction(engine, ticket, types: types, transactionalObjectTypes)
        CurrentTransaction.run(transaction) { changesHandler(transaction) }
        transaction.finish()
      }, completion: completion)
  }

  /// Runs `changesHandler` as a transaction and returns whether its changes are stored.
  @discardableResult
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void
  ) async -> Bool {
    let handler = Handover(changesHandler)
    return await withCheckedContinuation { continuation in
      perform(transactionalObjectTypes, { handler.closure($0) }) { continuation.resume(returning: $0 == nil) }
    }
  }

  /// Runs `changesHandler` as a transaction and returns its value once the changes are stored; see `Workspace`.
  @_disfavoredOverload
  @discardableResult
  public func performChanges<Value: Sendable>(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) throws -> Value
  ) async throws -> Value {
    let attempt = TransactionAttempt(changesHandler)
    let failure = await withCheckedContinuation { continuation in
      perform(transactionalObjectTypes, { attempt.run(in: $0) }) { continuation.resume(returning: $0) }
    }
    return try attempt.outcome(failure: failure)
  }

  // MARK: Closing

  /// Closes the store; see `Workspace`.
  public func shutdown(flags: WorkspaceShutdownFlag = [], completion: sending (() -> Void)? = nil) {
    closing.begin(flags)
    guard let completion else {
      // What has failed, and tells of it here, may be what closing would wait for.
      if engine.reporter.isReporting { return closing.finish(then: {}) }
      precondition(
        !engine.isInUseByThread,
        "A workspace cannot be shut down inside its own transaction or snapshot: it would wait for itself.")
      closing.finish()
      return
    }
    closing.finish(then: completion)
  }

  /// Closes the store and returns when all is closed.
  public func shutdown(flags: WorkspaceShutdownFlag) async {
    await withCheckedContinuation { continuation in
      shutdown(flags: flags) { continuation.resume() }
    }
  }
}

import Dflat
import DflatEngine
import Foundation

/// A store of objects in a database of PostgreSQL, version 13 or newer.
///
/// It has the API of every `Workspace`. What differs from a `SQLiteWorkspace` is that other processes, on other machines too, may
/// use the database at the same time: a transaction that conflicts with one of theirs is undone, and **its closure is run again**.
/// So a closure should do nothing but read and change objects.
///
/// The server is connected to when it is first needed. When that fails, the error handler is told, transactions complete with
/// `false`, fetches return nothing, and the next use tries again.
public final class PostgresWorkspace: Workspace {
  let core: PostgresCore

  /// Values by keys that are persisted; see `WorkspaceDictionary`. A key is read from the server each time.
  public let dictionary: any WorkspaceDictionary

  /// Which transactions of this workspace run at the same time.
  public enum WriteConcurrency: Sendable {
    /// Those that share no type.
    case concurrent
    /// None.
    case serial
  }

  /// A workspace in the database of a connection string.
  ///
  /// - Parameters:
  ///   - connection: the connection string: `postgresql://user@host/database`, or `host=... dbname=...`.
  ///   - errorHandler: called, on any thread, with every error that no call could hand back. Without one, each is written to
  ///     standard error as one line. It may use the workspace; when it shuts it down, that does not wait.
  public convenience init(connection: String, errorHandler: (@Sendable (any Error) -> Void)? = nil) {
    self.init(PostgresOptions(connection: connection), errorHandler: errorHandler)
  }

  /// A workspace in the database that the options name.
  ///
  /// - Parameters:
  ///   - options: where the server is, and how it is used.
  ///   - writeConcurrency: which transactions of this workspace run at the same time.
  ///   - errorHandler: called with every error that no call could hand back.
  public init(
    _ options: PostgresOptions, writeConcurrency: WriteConcurrency = .concurrent,
    errorHandler: (@Sendable (any Error) -> Void)? = nil
  ) {
    core = PostgresCore(
      options, isSerial: writeConcurrency == .serial,
      errorHandler: errorHandler ?? { error in
        FileHandle.standardError.write(Data("dflat: \(error)\n".utf8))
      })
    dictionary = PostgresDictionary(core, "")
  }

  // MARK: Reading

  /// Fetches objects of a type: go on with `where` or `all`. In a transaction its own changes are seen.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> { QueryBuilder(core) }

  /// Runs `closure` on the calling thread; all fetches in it on this thread show the same state of the database. In a transaction,
  /// which is a snapshot itself, they show its own changes, too.
  ///
  /// As long as a snapshot is open, it holds one of the workspace's connections.
  public func fetchWithinASnapshot<T>(_ closure: () throws -> T) rethrows -> T {
    try core.withSnapshot(closure)
  }

  // MARK: Writing

  /// Runs `changesHandler` as a transaction, on a background queue; see `Workspace`.
  ///
  /// It is a serializable transaction of the server. If that conflicts with another one, of whatever process, it is undone, and the
  /// closure is run again: see `PostgresOptions.retry`.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void,
    completionHandler: sending ((_ success: Bool) -> Void)? = nil
  ) {
    let completion = completionHandler.map { UncheckedSendableBox($0) }
    core.perform(transactionalObjectTypes.map { ObjectIdentifier($0) }, changesHandler) {
      completion?.closure($0 == nil)
    }
  }

  /// Runs `changesHandler` as a transaction and returns whether its changes are stored.
  ///
  /// If the task is cancelled before the closure has begun, the closure does not run, and the result is false.
  @discardableResult
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void
  ) async -> Bool {
    let handler = UncheckedSendableBox(changesHandler)
    return await perform(transactionalObjectTypes, unlessCancelled: { handler.closure($0) }) == nil
  }

  /// Runs `changesHandler` as a transaction and returns its value once the changes are stored; see `Workspace`.
  ///
  /// If the task is cancelled before the closure has begun, the closure does not run, and `CancellationError` is thrown.
  @_disfavoredOverload
  @discardableResult
  public func performChanges<Value: Sendable>(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) throws -> Value
  ) async throws -> Value {
    let attempt = TransactionAttempt(changesHandler)
    let failure = await perform(transactionalObjectTypes, unlessCancelled: { attempt.run(in: $0) })
    return try attempt.outcome(failure: failure)
  }

  /// - Returns: why the changes are not stored; nil if they are.
  private func perform(
    _ types: [Any.Type], unlessCancelled changesHandler: @escaping @Sendable (any TransactionContext) -> Void
  ) async -> TransactionError? {
    let (scheduler, cancellation) = (core.scheduler, TaskCancellation())
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        core.perform(types.map { ObjectIdentifier($0) }) { transaction in
          if scheduler.isCancelled(cancellation) { transaction.abort() } else { changesHandler(transaction) }
        } completion: {
          continuation.resume(returning: $0)
        }
      }
    } onCancel: {
      scheduler.cancel(cancellation)
    }
  }

  // MARK: Closing

  /// Closes the connections; see `Workspace`. The flags mean nothing here: the server keeps the database in order.
  public func shutdown(flags: WorkspaceShutdownFlag = [], completion: sending (() -> Void)? = nil) {
    core.scheduler.stop()
    guard let completion else {
      // What has failed, and tells of it here, may be what closing would wait for.
      if core.reporter.isReporting { return finish(then: {}) }
      precondition(
        !core.isInUseByThread,
        "A workspace cannot be shut down inside its own transaction or snapshot: it would wait for itself.")
      return core.finish()
    }
    finish(then: completion)
  }

  /// Closes the store and returns when all is closed.
  public func shutdown(flags: WorkspaceShutdownFlag) async {
    await withCheckedContinuation { continuation in
      shutdown(flags: flags) { continuation.resume() }
    }
  }

  private func finish(then completion: sending @escaping () -> Void) {
    let completion = UncheckedSendableBox(completion)
    let core = core
    // On a thread of its own: it only waits, and must not take one from the transactions that it waits for.
    Thread.detachNewThread {
      core.finish()
      completion.closure()
    }
  }
}

extension PostgresCore {
  /// Waits until everything that has begun is done, and closes all connections.
  func finish() {
    scheduler.waitUntilIdle()
    if dictionary.close() { feed.stop() }
    observation.close()
    feed.finish()
    indexBuilder.stop()
    pool.close()
  }
}

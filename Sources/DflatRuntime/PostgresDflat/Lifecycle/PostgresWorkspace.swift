import Dflat
import DflatEngine

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
    /// Those that share no type. Those that share one run one after another, in the order of the calls.
    case concurrent
    /// All, as many as `PostgresOptions.connectionLimit` less one: also those that share a type, if many threads or tasks write
    /// objects that differ.
    ///
    /// They are serializable all the same, which the server sees to; of two that conflict, one is run again. But of two calls
    /// that are made before either has completed, any may come first, also if one thread has made both, and their completion
    /// handlers are called in any order.
    case unordered
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
      options, order: writeConcurrency.order(options), errorHandler: errorHandler ?? ErrorReporter.writeToStandardError)
    dictionary = PostgresDictionary(core, "")
  }

  // MARK: Reading

  /// Fetches objects of a type: go on with `where` or `all`. In a transaction its own changes are seen.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> { QueryBuilder(core) }

  /// Runs `closure` on the calling thread; all fetches in it on this thread show the same state of the database. In a transaction,
  /// which is a snapshot itself, they show its own changes, too.
  ///
  /// As long as a snapshot is open, it holds one of the workspace's connections.
  public func fetchWithinASnapshot<T>(_ closure: () -> T) -> T {
    core.withSnapshot(closure)
  }

  /// Runs `closure`, which may throw, on the calling thread, as the form for closures that do not throw does.
  ///
  /// - Throws: what `closure` throws; or else the `StoreError` of the first of its fetches that failed.
  @_disfavoredOverload
  public func fetchWithinASnapshot<T>(_ closure: () throws -> T) throws -> T {
    try core.withCheckedSnapshot(closure)
  }

  // MARK: Writing

  /// Runs `changesHandler` as a transaction, on a background queue; see `Workspace`.
  ///
  /// It is a serializable transaction of the server. If that conflicts with another one, of whatever process, it is undone, and the
  /// closure is run again: see `PostgresOptions.retry`.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void,
    completionHandler: sending ((_ success: Bool) -> Void)?
  ) {
    core.performChanges(transactionalObjectTypes, changesHandler, completionHandler)
  }

  /// Runs `changesHandler` as a transaction and returns whether its changes are stored.
  ///
  /// If the task is cancelled before the closure has begun, the closure does not run, and the result is false.
  @discardableResult
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void
  ) async -> Bool {
    await core.performChanges(transactionalObjectTypes, changesHandler)
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
    try await core.performChanges(transactionalObjectTypes, changesHandler)
  }

  // MARK: Events

  /// Calls `handler` after each fetch and count, on a background queue; see `Workspace`.
  public func onQuery(_ handler: @escaping @Sendable (_ event: QueryEvent) -> Void) -> any WorkspaceSubscription {
    core.onQuery(handler)
  }

  /// Calls `handler` after each transaction, on a background queue; see `Workspace`.
  public func onTransaction(
    _ handler: @escaping @Sendable (_ event: TransactionEvent) -> Void
  ) -> any WorkspaceSubscription {
    core.onTransaction(handler)
  }

  // MARK: Closing

  /// Closes the connections; see `Workspace`. The flags mean nothing here: the server keeps the database in order.
  public func shutdown(flags: WorkspaceShutdownFlag = [], completion: sending (() -> Void)? = nil) {
    core.shutdown(flags, completion)
  }

  /// Closes the store and returns when all is closed.
  public func shutdown(flags: WorkspaceShutdownFlag) async {
    await core.shutdown(flags)
  }
}

extension PostgresWorkspace.WriteConcurrency {
  fileprivate func order(_ options: PostgresOptions) -> TransactionScheduler.Order {
    switch self {
    case .concurrent: .byType
    case .serial: .oneByOne
    // A fetch within a closure, on another thread, finds a connection.
    case .unordered: .sideBySide(atMost: max(1, options.connectionLimit - 1))
    }
  }
}

import Dflat
import DflatEngine

/// A store of objects in a database of PostgreSQL, version 13 or newer.
///
/// ```swift
/// let workspace = PostgresWorkspace(connection: "host=localhost dbname=posts")
/// await workspace.performChanges([Post.self]) { transaction in
///   transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "Hello")))
/// }
/// await workspace.shutdown()
/// ```
///
/// It has the API of every `Workspace`. Unlike with a `SQLiteWorkspace`, other processes, on other machines too, may
/// write to the database at the same time. A transaction that conflicts with one of theirs is undone, and **its closure
/// is run again**. So a closure should do nothing but read and change objects.
///
/// The workspace connects to the server when it first needs it. If that fails, the error handler is told, transactions
/// complete with `false`, fetches return nothing, and the next use tries again.
///
/// Any thread may use a workspace. Make one for each database in a process: it has a pool of connections. Fetches block
/// their thread while the server works; in a server, use those of `QueryBuilder.async`.
///
/// See also: ``PostgresOptions``, `Workspace` and `Queryable` for what it can do, Documentation/postgres.md,
/// Documentation/postgres-promises.md.
public final class PostgresWorkspace: Workspace {
  let core: PostgresCore

  /// Persisted values by their keys; see `WorkspaceDictionary`. Each read asks the server, unless the key was just set
  /// and is not written yet.
  public let dictionary: any WorkspaceDictionary

  /// Which transactions of this workspace run at the same time.
  ///
  /// ```swift
  /// let options = PostgresOptions(connection: "host=localhost dbname=posts")
  /// let workspace = PostgresWorkspace(options, writeConcurrency: .unordered)
  /// ```
  ///
  /// See also: Documentation/postgres-running.md (Many writers in one process).
  public enum WriteConcurrency: Sendable {
    /// Transactions that share no type run at the same time. Those that share one run one after another, in the order
    /// of the calls.
    case concurrent
    /// All transactions run at the same time, up to `PostgresOptions.connectionLimit` less one, even if they share a
    /// type. Choose it if many threads or tasks write different objects.
    ///
    /// They are serializable all the same: of two that conflict, the server undoes one, which runs again. But two calls
    /// that are made before either has completed may run in any order, even if one thread has made both, and their
    /// completion handlers are called in any order.
    case unordered
    /// One transaction runs at a time.
    case serial
  }

  /// Creates a workspace in the database of a connection string.
  ///
  /// ```swift
  /// let workspace = PostgresWorkspace(connection: "postgresql://app@db.example.com/app") { error in
  ///   print("The store reports: \(error)")
  /// }
  /// ```
  ///
  /// The call connects to nothing: the first use of the workspace does.
  ///
  /// See also: ``PostgresOptions``, Documentation/postgres.md (Four rules).
  ///
  /// - Parameters:
  ///   - connection: the connection string: `postgresql://user@host/database`, or `host=... dbname=...`.
  ///   - errorHandler: called, on any thread, with every error that no call could throw or return. Without a handler,
  ///     each error is written to standard error as one line. The handler may use the workspace. A call of `shutdown`
  ///     in the handler returns before the workspace is closed.
  public convenience init(connection: String, errorHandler: (@Sendable (any Error) -> Void)? = nil) {
    self.init(PostgresOptions(connection: connection), errorHandler: errorHandler)
  }

  /// Creates a workspace in the database that the options name.
  ///
  /// ```swift
  /// var options = PostgresOptions(connection: "postgresql://app@db.example.com/app")
  /// options.statementTimeout = 30
  /// let workspace = PostgresWorkspace(options)
  /// ```
  ///
  /// The call connects to nothing: the first use of the workspace does.
  ///
  /// See also: ``PostgresOptions``, Documentation/postgres.md (Every option).
  ///
  /// - Parameters:
  ///   - options: where the server is, and how it is used.
  ///   - writeConcurrency: which transactions of this workspace run at the same time.
  ///   - errorHandler: called with every error that no call could throw or return.
  public init(
    _ options: PostgresOptions, writeConcurrency: WriteConcurrency = .concurrent,
    errorHandler: (@Sendable (any Error) -> Void)? = nil
  ) {
    core = PostgresCore(
      options, order: writeConcurrency.order(options), errorHandler: errorHandler ?? ErrorReporter.writeToStandardError)
    dictionary = PostgresDictionary(core, "")
  }

  // MARK: Reading

  /// Begins a fetch of objects of a type: call `where` or `all` on it. In a transaction, it sees the transaction's own
  /// changes.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> { QueryBuilder(core) }

  /// Runs `closure` on the calling thread. All fetches of the closure on this thread show the same state of the
  /// database. A transaction is a snapshot already: in a transaction, the fetches also show its own changes.
  ///
  /// An open snapshot occupies one of the workspace's connections.
  public func fetchWithinASnapshot<T>(_ closure: () -> T) -> T {
    core.withSnapshot(closure)
  }

  /// Runs `closure`, which may throw, on the calling thread, with all its fetches showing the same state of the
  /// database.
  ///
  /// - Throws: what `closure` throws; otherwise the `StoreError` of its first fetch that failed.
  @_disfavoredOverload
  public func fetchWithinASnapshot<T>(_ closure: () throws -> T) throws -> T {
    try core.withCheckedSnapshot(closure)
  }

  // MARK: Writing

  /// Runs `changesHandler` as a transaction, on a background queue; see `Workspace`.
  ///
  /// It is a serializable transaction of the server. If it conflicts with another one, of any process, it is undone,
  /// and the closure is run again: see `PostgresOptions.retry`.
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

  /// Closes the connections; see `Workspace`. The flags have no effect: the server keeps the database in order.
  public func shutdown(flags: WorkspaceShutdownFlag = [], completion: sending (() -> Void)? = nil) {
    core.shutdown(flags, completion)
  }

  /// Closes the connections, and returns when all are closed.
  public func shutdown(flags: WorkspaceShutdownFlag) async {
    await core.shutdown(flags)
  }
}

extension PostgresWorkspace.WriteConcurrency {
  fileprivate func order(_ options: PostgresOptions) -> TransactionScheduler.Order {
    switch self {
    case .concurrent: .byType
    case .serial: .oneByOne
    // One connection is left for fetches that a closure makes on another thread.
    case .unordered: .sideBySide(atMost: max(1, options.connectionLimit - 1))
    }
  }
}

import Dflat
import DflatEngine
import Dispatch

/// A type that a `SQLiteWorkspace` stores, by its name in Dflat 0.6. Every `Atom` can be stored by every engine.
@available(*, deprecated, renamed: "Atom")
public typealias SQLiteAtom = Atom

/// A store of objects in an SQLite database file.
///
/// ```swift
/// let workspace = SQLiteWorkspace(filePath: "posts.sqlite3", fileProtectionLevel: .noProtection)
/// await workspace.performChanges([Post.self]) { transaction in
///   transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "Hello")))
/// }
/// await workspace.shutdown()
/// ```
///
/// The file is opened when it is first needed. If that fails, the error handler is told, transactions complete with
/// `false`, fetches return nothing, and the next use tries again.
///
/// Any thread may use a workspace, and one for each file of a process is enough. Other processes may use the file, too.
/// `shutdown()` closes it.
///
/// See also: `Workspace` and `Queryable` for what it can do, Documentation/using-the-store.md,
/// Documentation/app-groups.md for extensions.
public final class SQLiteWorkspace: Workspace {
  /// When the file can be read, on devices that protect files. On others it has no effect.
  ///
  /// The raw values are the numbers of the system's protection classes, from A to D.
  public enum FileProtectionLevel: Int32, Sendable {
    /// The file can be read at any time.
    case noProtection = 4
    /// The file can be read while the device is unlocked.
    case completeFileProtection = 1
    /// The file can be read while the device is unlocked, and afterwards if it was opened then.
    case completeFileProtectionUnlessOpen = 2
    /// The file can be read once the device has been unlocked for the first time since it started.
    case completeFileProtectionUntilFirstUserAuthentication = 3
  }

  /// When a transaction's changes are written to the disk. A crash of the process loses none in either case.
  public enum Synchronous: Sendable {
    /// The changes are written soon after the transaction completes. A loss of power may undo the last transactions,
    /// each as a whole.
    case normal
    /// The changes are written when the transaction completes.
    case full
  }

  /// Which transactions run at the same time.
  public enum WriteConcurrency: Sendable {
    /// Transactions that share no type run at the same time.
    case concurrent
    /// One transaction runs at a time.
    case serial
  }

  /// What a workspace does with its file.
  ///
  /// ```swift
  /// let widget = SQLiteWorkspace(filePath: "posts.sqlite3", fileProtectionLevel: .noProtection, role: .reader)
  /// ```
  ///
  /// See also: Documentation/app-groups.md (Readers).
  public enum Role: Sendable {
    /// The workspace reads and writes. The file is created when something is first stored, and indexes are filled.
    case writer
    /// The workspace reads and never writes: for extensions and widgets, and for files in the app's bundle or on
    /// read-only media.
    ///
    /// It creates and changes no file, and fills no index, not even when it opens the file. A transaction that submits
    /// something fails, and the error handler is told. Values set in the dictionary are dropped again. Commits of other
    /// processes are observed.
    ///
    /// SQLite shares among the workspaces of one process how the file is open. So do not create a writer of a file in a
    /// process that has a reader of it: the writer's transactions would fail.
    ///
    /// Where an index is missing, queries are answered from the rows. So let a writer open the file once after its
    /// schema has got new indexes.
    case reader
  }

  let core: SQLiteCore

  /// The persistent dictionary of the workspace, cached in memory; see `WorkspaceDictionary`.
  public let dictionary: any WorkspaceDictionary

  /// Creates a workspace for the file at `filePath`. The folder of the file must exist.
  ///
  /// ```swift
  /// let workspace = SQLiteWorkspace(
  ///   filePath: "posts.sqlite3", fileProtectionLevel: .completeFileProtectionUntilFirstUserAuthentication
  /// ) { error in print("The store reports: \(error)") }
  /// ```
  ///
  /// The call opens nothing: the first use of the workspace does.
  ///
  /// See also: Documentation/using-the-store.md (Opening), Documentation/concurrency.md (Settings).
  ///
  /// - Parameters:
  ///   - filePath: the path of the database file. A relative path keeps its meaning when the process changes its
  ///     working directory later.
  ///   - fileProtectionLevel: when the file can be read, on devices that protect files.
  ///   - synchronous: when a transaction's changes are written to the disk.
  ///   - writeConcurrency: which transactions run at the same time.
  ///   - targetQueue: the queue on which transactions run. If it has few threads, few transactions run at the same
  ///     time. With a target queue, each transaction is committed alone.
  ///   - role: whether the workspace writes, or only reads.
  ///   - errorHandler: called, on any thread, with every error that no call can return. Without one, each error is
  ///     written to standard error as one line. It may use the workspace: if that fails, too, it is called once more, and
  ///     further errors of that call's work are written to standard error. Work that the handler starts on a Dispatch queue
  ///     or another thread counts as the app's own: the handler is called with each of its errors. Such work has to end by
  ///     itself. If the handler shuts the workspace down, the call does not wait.
  public convenience init(
    filePath: String, fileProtectionLevel: FileProtectionLevel, synchronous: Synchronous = .normal,
    writeConcurrency: WriteConcurrency = .concurrent, targetQueue: DispatchQueue? = nil, role: Role = .writer,
    errorHandler: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.init(filePath, fileProtectionLevel, synchronous, writeConcurrency, targetQueue, role, errorHandler, nil)
  }

  /// Creates a workspace that reads the file at `filePath` and never writes: short for `role: .reader`.
  ///
  /// ```swift
  /// let cities = SQLiteWorkspace(readOnly: "Cities.sqlite3")
  /// ```
  ///
  /// Do not use it beside a writer of the file in one process: ``Role/reader`` says why.
  ///
  /// See also: Documentation/app-groups.md (Readers).
  ///
  /// - Parameters:
  ///   - filePath: the path of the database file, such as one in the app's bundle.
  ///   - errorHandler: called, on any thread, with every error that no call can return.
  public convenience init(readOnly filePath: String, errorHandler: (@Sendable (any Error) -> Void)? = nil) {
    self.init(filePath, .noProtection, .normal, .concurrent, nil, .reader, errorHandler, nil)
  }

  /// Creates a workspace.
  /// - Parameter folder: the folder that is removed when the workspace is closed; nil if the file belongs to the user.
  init(
    _ filePath: String, _ fileProtectionLevel: FileProtectionLevel, _ synchronous: Synchronous,
    _ writeConcurrency: WriteConcurrency, _ targetQueue: DispatchQueue?, _ role: Role,
    _ errorHandler: (@Sendable (any Error) -> Void)?, _ folder: TemporaryFolder?
  ) {
    core = SQLiteCore(
      path: filePath, role: role, fileProtection: fileProtectionLevel, synchronous: synchronous,
      isSerial: writeConcurrency == .serial, targetQueue: targetQueue,
      errorHandler: errorHandler ?? ErrorReporter.writeToStandardError, folder: folder)
    dictionary = SQLiteDictionary(core, "")
  }

  deinit { Suspension(core).endAtRelease() }

  // MARK: Reading

  /// Begins a query for objects of a type: continue with `where` or `all`. In a transaction, the query shows its own
  /// changes.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> {
    QueryBuilder(core)
  }

  /// Runs `closure` on the calling thread. All fetches of the closure on this thread show the same commit version. If
  /// the thread is in a transaction that has submitted changes, no snapshot is taken, and the fetches show the
  /// transaction's changes.
  ///
  /// While a snapshot is open, the write-ahead log cannot be reset, and grows with what is written.
  public func fetchWithinASnapshot<T>(_ closure: () -> T) -> T {
    core.withSnapshot(closure)
  }

  /// Runs `closure`, which may throw, on the calling thread. All fetches of the closure on this thread show the same
  /// commit version.
  ///
  /// - Throws: the error of `closure`; otherwise the `StoreError` of the first of its fetches that failed.
  @_disfavoredOverload
  public func fetchWithinASnapshot<T>(_ closure: () throws -> T) throws -> T {
    try core.withCheckedSnapshot(closure)
  }

  // MARK: Writing

  /// Runs `changesHandler` as a transaction, on a background queue; see `Workspace`.
  ///
  /// Changes that the closure submits are collected, and written when it has returned, together with other transactions
  /// that have returned by then. Each is still atomic by itself. If their commit fails, each is tried alone. In
  /// some cases a transaction writes while it runs, and nothing else can be written until it ends: if it fetches after
  /// it has submitted something, submits more than some dozens of changes, or runs while another process writes to the
  /// file.
  ///
  /// If another process, or another workspace of the file, has changed a row since the transaction read it, and the
  /// transaction also changes it, the transaction fails. The error handler is told why.
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void,
    completionHandler: sending ((_ success: Bool) -> Void)?
  ) {
    core.performChanges(transactionalObjectTypes, changesHandler, completionHandler)
  }

  /// Runs `changesHandler` as a transaction, and returns whether its changes are stored.
  ///
  /// If the task is cancelled before the closure has begun, the closure does not run, and the result is false.
  @discardableResult
  public func performChanges(
    _ transactionalObjectTypes: [Any.Type],
    changesHandler: sending @escaping (_ transactionContext: any TransactionContext) -> Void
  ) async -> Bool {
    await core.performChanges(transactionalObjectTypes, changesHandler)
  }

  /// Runs `changesHandler` as a transaction, and returns its value once the changes are stored; see `Workspace`.
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

  /// Closes the store; see `Workspace`.
  public func shutdown(flags: WorkspaceShutdownFlag = [], completion: sending (() -> Void)? = nil) {
    core.shutdown(flags, completion)
  }

  /// Closes the store, and returns when it is closed.
  public func shutdown(flags: WorkspaceShutdownFlag) async {
    await core.shutdown(flags)
  }
}

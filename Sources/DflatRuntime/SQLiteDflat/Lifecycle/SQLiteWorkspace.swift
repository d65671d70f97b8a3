import Dflat
import DflatEngine
import Dispatch

/// A type that a `SQLiteWorkspace` stores, by its name in Dflat 0.6. Every `Atom` can be stored by every engine.
@available(*, deprecated, renamed: "Atom")
public typealias SQLiteAtom = Atom

/// A store of objects in an SQLite database file.
///
/// The file is opened when it is first needed. When that fails, the error handler is told, transactions complete with
/// `false`, fetches return nothing, and the next use tries again.
public final class SQLiteWorkspace: Workspace {
  /// When the file may be read, on devices that protect files. Elsewhere it means nothing.
  ///
  /// The raw values are the numbers of the system's protection classes, from A to D.
  public enum FileProtectionLevel: Int32, Sendable {
    /// At any time.
    case noProtection = 4
    /// While the device is unlocked.
    case completeFileProtection = 1
    /// While the device is unlocked, or if the file was opened then.
    case completeFileProtectionUnlessOpen = 2
    /// From the first time on that the device is unlocked after it has started.
    case completeFileProtectionUntilFirstUserAuthentication = 3
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

  /// What a workspace does with its file.
  public enum Role: Sendable {
    /// It reads and writes. The file is made when something is stored first, and indexes are filled.
    case writer
    /// It reads, and writes nothing at all: for extensions and widgets, and for files in the app's bundle or on read-only media.
    ///
    /// It makes no file, changes none, and fills no index, also on opening. A transaction that submits something fails, and the error
    /// handler is told so; what is set in the dictionary is taken back. Commits of other processes are observed.
    ///
    /// SQLite shares among the workspaces of one process how the file is open. So do not make a writer of a file in the process that
    /// has a reader of it: its transactions would fail.
    ///
    /// A query that an index does not answer is answered from the rows, so that a writer should open the file once after its schema
    /// has got new indexes.
    case reader
  }

  let core: SQLiteCore

  /// Values by keys that are persisted and cached in memory; see `WorkspaceDictionary`.
  public let dictionary: any WorkspaceDictionary

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
  ///   - role: whether the workspace writes, or only reads.
  ///   - errorHandler: called, on any thread, with every error that no call could hand back. Without one, each is
  ///     written to standard error as one line. It may use the workspace; when it shuts it down, that does not wait.
  public convenience init(
    filePath: String, fileProtectionLevel: FileProtectionLevel, synchronous: Synchronous = .normal,
    writeConcurrency: WriteConcurrency = .concurrent, targetQueue: DispatchQueue? = nil, role: Role = .writer,
    errorHandler: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.init(filePath, fileProtectionLevel, synchronous, writeConcurrency, targetQueue, role, errorHandler, nil)
  }

  /// A workspace that reads the file at `filePath`, and writes nothing: short for one with `role: .reader`.
  ///
  /// ```swift
  /// let cities = SQLiteWorkspace(readOnly: "Cities.sqlite3")
  /// ```
  ///
  /// - Parameters:
  ///   - filePath: the path of the database file, such as one in the app's bundle.
  ///   - errorHandler: called, on any thread, with every error that no call could hand back.
  public convenience init(readOnly filePath: String, errorHandler: (@Sendable (any Error) -> Void)? = nil) {
    self.init(filePath, .noProtection, .normal, .concurrent, nil, .reader, errorHandler, nil)
  }

  /// - Parameter folder: is removed when the workspace is closed.
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

  // MARK: Reading

  /// Fetches objects of a type: go on with `where` or `all`. In a transaction its own changes are seen.
  public func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> {
    QueryBuilder(core)
  }

  /// Runs `closure` on the calling thread; all fetches in it on this thread show the same commit version. In a transaction that
  /// has submitted something, they show its own changes instead.
  ///
  /// As long as a snapshot is open, the write-ahead log cannot be cut back, and grows with what is written.
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
  /// What the closure submits is collected, and written when it has returned: together with other transactions that have
  /// returned by then, each still atomic by itself. If their commit fails, each is tried alone. A transaction that fetches
  /// after it has submitted something, that submits more than some dozens of changes, or that runs while another process
  /// writes to the file, writes while it runs, and nobody else can write until it ends.
  ///
  /// If another process, or another workspace of the file, has changed a row since the transaction has read it, and the
  /// transaction changes it, too, the transaction fails, and the error handler is told why.
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

  /// Closes the store; see `Workspace`.
  public func shutdown(flags: WorkspaceShutdownFlag = [], completion: sending (() -> Void)? = nil) {
    core.shutdown(flags, completion)
  }

  /// Closes the store and returns when all is closed.
  public func shutdown(flags: WorkspaceShutdownFlag) async {
    await core.shutdown(flags)
  }
}

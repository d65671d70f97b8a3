import CSQLite
import Dflat
import DflatEngine
import Dispatch

/// The database file of a workspace, with its connections: one that writes, and those that read. The file is opened at
/// its first use, and closed by a shutdown.
final class Database: Sendable {
  let opener: DatabaseOpener
  let sequence: CommitSequence
  let state = Guarded(State(), rank: .database)
  let forks = ForkDetector()
  private let dictionary: DictionaryCommits
  /// Calls the error handler later, on another thread.
  private let report: @Sendable (any Error) -> Void

  struct State {
    /// The open file; nil while it is not open.
    private(set) var file: OpenFile?
    /// Whether a thread opens or closes the file. Since that may take long, it does so without the lock, and other
    /// threads wait.
    private(set) var isChanging = false
    var readers = ReaderPool()
    /// The flags of shutdowns whose work no thread has begun yet.
    var flags: WorkspaceShutdownFlag = []
    /// The flags of shutdowns whose work has been done.
    var done: WorkspaceShutdownFlag = []
    /// Whether readers are lent only to transactions, since the workspace is being shut down.
    var isClosing = false
    /// Whether no reader is lent, since the workspace has been shut down.
    var isClosed = false
    /// Whether no reader is lent, since the store is suspended or being suspended.
    var isSuspended = false
    /// How many backups are running.
    var backupCount = 0

    /// Takes the file out, for the calling thread, which opens or closes it; nil if it is not open. Has to be followed
    /// by `endChange(_:)`.
    mutating func beginChange() -> OpenFile? {
      isChanging = true
      defer { file = nil }
      return file
    }

    mutating func endChange(_ file: OpenFile?) {
      isChanging = false
      self.file = file
    }
  }

  struct OpenFile {
    /// The writing connection, used by the thread that has the writer.
    let writer: WriterConnection
    /// How readers open the file.
    let access: ReadAccess
  }

  /// Whether a transaction that needs a reader while the store is suspended waits; otherwise it fails.
  let transactionsWait: Bool
  /// The folder of a temporary store, which is removed with the database; nil if the file belongs to the user. It is
  /// kept here because a thread that stores what is pending may outlive the workspace, and keeps only the database.
  let folder: TemporaryFolder?

  init(
    _ opener: DatabaseOpener, transactionsWait: Bool, sequence: CommitSequence, dictionary: DictionaryCommits,
    folder: TemporaryFolder?, report: @escaping @Sendable (any Error) -> Void
  ) {
    self.opener = opener
    self.transactionsWait = transactionsWait
    self.sequence = sequence
    self.dictionary = dictionary
    self.folder = folder
    self.report = report
  }

  // MARK: Opening

  /// Returns the connection that writes, and creates the file if it is missing. The caller has the writer.
  func writer() throws -> WriterConnection {
    try opener.checkMayWrite()
    enum Step { case use(WriterConnection), open(OpenFile?) }
    try forks.check()
    let step: Step = state.wait { state in
      if state.isChanging { return nil }
      if let writer = state.file?.writer, !writer.connection.isReadOnly { return .use(writer) }
      // A file that could only be read when it was opened may have become writable.
      return .open(state.beginChange())
    }
    switch step {
    case .use(let writer): return writer
    case .open(let former):
      let file = try open(insteadOf: former, creating: true)
      guard let file else { throw opener.error(SQLITE_MISUSE, "the workspace has been shut down") }
      if file.writer.connection.isReadOnly { throw opener.error(SQLITE_READONLY, "the file cannot be written") }
      return file.writer
    }
  }

  /// Returns the connection that writes; nil if there is no file, so that there is nothing to remove or to fill. The
  /// caller has the writer.
  func existingWriter() throws -> WriterConnection? {
    try opener.checkMayWrite()
    // If an open file was removed, the connection says so.
    let isOpen = state.withLock { $0.file != nil }
    return try !isOpen && opener.path.isMissing ? nil : writer()
  }

  /// Checkpoints the log if it is too long. The caller has the writer, and has published its commit.
  func checkpointLog() {
    let (current, isBackedUp) = state.withLock { state in
      (state.isChanging ? nil : state.file?.writer, state.backupCount > 0)
    }
    guard let writer = current, writer.connection.walIndex != nil, !writer.connection.isInTransaction else { return }
    writer.checkpoints.checkpoint(writer.connection, waits: !isBackedUp)
  }

  /// Records that a backup begins or ends. A backup reads for so long that commits must not wait for it.
  func noteBackup(begins: Bool) { state.withLock { $0.backupCount += begins ? 1 : -1 } }

  /// Opens the file, after closing it if it was open. The caller has called `beginChange()`.
  ///
  /// - Returns: nil if there is no file, and none is to be created.
  func open(insteadOf former: consuming OpenFile?, creating: Bool) throws -> OpenFile? {
    if former != nil {
      // Connections share the way in which SQLite has opened the WAL index, so no connection may be left that can only
      // read it.
      for reader in state.withLock({ $0.readers.removeIdle { _ in true } }) { reader.close() }
      stopWatching()
    }
    former = nil
    var file: OpenFile?
    defer { endChange(file) }
    file = try open(creating: creating)
    return file
  }

  private func open(creating: Bool) throws -> OpenFile? {
    let isNew = opener.path.isMissing
    guard let (connection, access) = try opener.openWriter(creating: creating) else { return nil }
    let writer = try WriterConnection(
      connection, of: self, sequence: sequence, dictionary: dictionary, report: report)
    if case .readWrite = access.mode { try connection.findWALIndex() }
    // Without a WAL index the length of the log is unknown, and SQLite keeps checkpointing.
    if connection.walIndex != nil { try connection.run("PRAGMA wal_autocheckpoint = 0", for: "Opening the database") }
    sequence.watch(connection.walIndex, isNew: isNew)
    dictionary.cache.watch(connection.walIndex)
    return OpenFile(writer: writer, access: access)
  }

  private func endChange(_ file: OpenFile?) {
    state.withLock { $0.endChange(file) }
    state.notifyAll()
  }

  /// Stops the use of the WAL index, which is mapped only while the connection is open.
  private func stopWatching() {
    sequence.watch(nil)
    dictionary.cache.watch(nil)
  }

  /// Looks whether others have committed. Opens the file first if it is not open, since otherwise their commits would
  /// not show.
  func lookForForeignCommits() throws {
    if !sequence.isWatching {
      guard !opener.path.isMissing, let reader = try acquireReader(.fetch, inTransaction: false) else { return }
      release(reader, .fetch)
      // Without a WAL index commits of others cannot be noticed, so it counts as if there had been one.
      guard sequence.isWatching else { return sequence.noteForeignCommit() }
    }
    _ = sequence.lookForForeignCommits()
  }

  // MARK: Suspending

  /// Stops lending readers, waits for those that are lent, and closes all connections, since SQLite holds locks while
  /// one is open. The caller has the writer.
  ///
  /// - Returns: true if all are closed; nil if `end` has passed; false if `endSuspension()` was called, or
  ///   `isCancelled` returns true.
  func suspend(until end: DispatchTime, isCancelled: () -> Bool) -> Bool? {
    state.withLock { $0.isSuspended = true }
    if isCancelled() { return false }
    enum Step { case cancelled, close(OpenFile?, [SQLiteConnection]) }
    let step: Step? = state.wait(atMost: end.timeFromNow) { state in
      if !state.isSuspended { return .cancelled }
      if state.isChanging || state.readers.lentCount > 0 { return nil }
      return .close(state.beginChange(), state.readers.removeIdle { _ in true })
    }
    guard case .close(let file, let idle)? = step else { return step == nil ? nil : false }
    for reader in idle { reader.close() }
    stopWatching()
    if let file { closeForSuspension(file.writer.connection, hasTime: end.timeFromNow >= 1) }
    endChange(nil)
    return true
  }

  /// Closes the connection that writes.
  ///
  /// - Parameter hasTime: whether there is time to checkpoint a long log.
  private func closeForSuspension(_ connection: SQLiteConnection, hasTime: Bool) {
    // Or the next opener of the file would have to read the whole log. No reader of this process is in the way now.
    if hasTime, let length = connection.walIndexHeader?.frameCount, length >= LogCheckpoints.defaultLimit {
      connection.withLockTimeout(0) {
        _ = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
      }
    }
    // A short log stays as it is: to checkpoint it may take longer than to close it.
    dflat_leave_log(connection.handle)
    // Closed explicitly: threads that have just released the writer may still refer to the connection.
    connection.close()
  }

  /// Lends readers again.
  func endSuspension() {
    state.withLock { $0.isSuspended = false }
    state.notifyAll()
  }

  /// Waits until a shutdown has closed all connections.
  ///
  /// - Returns: false if they are not closed by `end`.
  func waitUntilClosed(until end: DispatchTime) -> Bool {
    state.wait(atMost: end.timeFromNow) { $0.isClosed && !$0.isChanging && $0.file == nil ? true : nil } ?? false
  }

  // MARK: Closing

  /// Whether the workspace is being shut down, or has been.
  var isShutDown: Bool { state.withLock { $0.isClosing || $0.isClosed } }

  /// Begins a shutdown: from now on, readers are lent only to transactions.
  ///
  /// - Parameter flags: what the shutdown has to do, besides what earlier ones have asked for.
  func beginClosing(_ flags: WorkspaceShutdownFlag) {
    state.withLock { state in
      state.flags.formUnion(flags)
      state.isClosing = true
    }
    state.notifyAll()
  }

  /// Stops lending readers, waits for the lent ones, carries out the flags of all shutdowns, and closes all
  /// connections. The caller has the writer.
  ///
  /// - Throws: `SQLiteError` if a flag cannot be carried out. All connections are closed then as well.
  func close() throws {
    state.withLock { $0.isClosed = true }
    state.notifyAll()
    let (file, idle, flags) = state.wait { state -> (OpenFile?, [SQLiteConnection], WorkspaceShutdownFlag)? in
      if state.isChanging || state.readers.lentCount > 0 { return nil }
      let flags = state.flags.subtracting(state.done)
      state.flags = []
      return (state.beginChange(), state.readers.removeIdle { _ in true }, flags)
    }
    for reader in idle { reader.close() }
    defer { endChange(nil) }
    if file == nil, flags.isEmpty { return }
    var current = file
    defer { current?.writer.connection.close() }
    var work = flags
    if current == nil {
      current = try open(creating: false)
      // A file that is opened again has its log again.
      if state.withLock({ $0.done.contains(.truncate) }) { work.insert(.truncate) }
    }
    // To leave WAL mode unmaps the WAL index, as to close the connection does. Other threads may read it up to this
    // line.
    stopWatching()
    guard let current, !work.isEmpty else { return }
    try current.writer.connection.finish(work)
    state.withLock { $0.done.formUnion(work) }
  }
}

extension SQLiteConnection {
  /// Carries out the flags of a shutdown on the last connection.
  fileprivate func finish(_ flags: WorkspaceShutdownFlag) throws {
    // Another file may have this name now, and its log may be beside it.
    if let movedFile { throw SQLiteError.moved(movedFile, during: "Closing the database") }
    if flags.contains(.vacuum) { try run("VACUUM", for: "Vacuuming the database") }
    guard flags.contains(.truncate) else { return }
    try run("PRAGMA wal_checkpoint(TRUNCATE)", for: "Truncating the log")
    // Leaving WAL mode removes the log and its index.
    try run("PRAGMA journal_mode = DELETE", for: "Leaving the log")
  }
}

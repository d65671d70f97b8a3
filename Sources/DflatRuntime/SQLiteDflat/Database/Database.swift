import CSQLite
import Dflat
import DflatEngine
import Dispatch

/// The database file of a workspace, with its connections: the one that writes, and those that read. The file is opened at its
/// first use, and closed by a shutdown.
final class Database: Sendable {
  let opener: DatabaseOpener
  let sequence: CommitSequence
  let state = Guarded(State(), rank: .database)
  let forks = ForkDetector()
  private let dictionary: DictionaryCommits
  /// Calls the error handler, later and on another thread.
  private let report: @Sendable (any Error) -> Void

  struct State {
    /// Nil while the file is not open.
    private(set) var file: OpenFile?
    /// Whether a thread opens the file, or closes it. That may take long: it holds no lock meanwhile, and the others wait.
    private(set) var isChanging = false
    var readers = ReaderPool()
    /// What shutdowns have asked for and has not been tried, and what has been done.
    var flags: WorkspaceShutdownFlag = []
    var done: WorkspaceShutdownFlag = []
    /// Whether readers are lent to transactions only, since the workspace is being shut down, or to nobody.
    var isClosing = false
    var isClosed = false
    /// Whether no reader is lent, since the store is suspended, or about to be.
    var isSuspended = false
    /// How many backups are being made.
    var backupCount = 0

    /// Takes the file, for the thread that opens or closes it.
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
    /// It is used by the thread that has the writer.
    let writer: WriterConnection
    /// How readers open the file.
    let access: ReadAccess
  }

  /// Whether transactions wait for readers while the store is suspended, or fail.
  let transactionsWait: Bool

  init(
    _ opener: DatabaseOpener, transactionsWait: Bool, sequence: CommitSequence, dictionary: DictionaryCommits,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.opener = opener
    self.transactionsWait = transactionsWait
    self.sequence = sequence
    self.dictionary = dictionary
    self.report = report
  }

  // MARK: Opening

  /// The connection that writes; the file is created if it is missing. For the thread that has the writer.
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

  /// Puts the log into the file if it is too long. For the thread that has the writer, when what it has committed is published.
  func checkpointLog() {
    let (current, isBackedUp) = state.withLock { state in
      (state.isChanging ? nil : state.file?.writer, state.backupCount > 0)
    }
    guard let writer = current, writer.connection.walIndex != nil, !writer.connection.isInTransaction else { return }
    writer.checkpoints.checkpoint(writer.connection, waits: !isBackedUp)
  }

  /// Notes that a backup begins or ends. It reads for so long that commits must not wait for it.
  func noteBackup(begins: Bool) { state.withLock { $0.backupCount += begins ? 1 : -1 } }

  /// Opens the file, after it has been closed if it was open. For the thread that has begun to change it.
  ///
  /// - Returns: nil if there is no file.
  func open(insteadOf former: consuming OpenFile?, creating: Bool) throws -> OpenFile? {
    if former != nil {
      // SQLite shares among connections how it has opened the WAL index, so none that only reads may be left.
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
    // Without an index nobody sees how long the log is, and SQLite goes on to look after it.
    if connection.walIndex != nil { try connection.run("PRAGMA wal_autocheckpoint = 0", for: "Opening the database") }
    sequence.watch(connection.walIndex, isNew: isNew)
    dictionary.cache.watch(connection.walIndex)
    return OpenFile(writer: writer, access: access)
  }

  private func endChange(_ file: OpenFile?) {
    state.withLock { $0.endChange(file) }
    state.notifyAll()
  }

  /// The WAL index is mapped no longer than the connection is open.
  private func stopWatching() {
    sequence.watch(nil)
    dictionary.cache.watch(nil)
  }

  /// Looks whether somebody else has committed, and opens the file if it has not been: or else that would not show.
  func lookForForeignCommits() throws {
    if !sequence.isWatching {
      guard !opener.path.isMissing, let reader = try acquireReader(.fetch, inTransaction: false) else { return }
      release(reader, .fetch)
      // A file that this process cannot take part in writing does not tell whether it was written.
      guard sequence.isWatching else { return sequence.noteForeignCommit() }
    }
    _ = sequence.lookForForeignCommits()
  }

  // MARK: Suspending

  /// Lends no more readers, waits for those that are lent, and closes all connections: SQLite holds locks for as long as one is open.
  /// For the thread that has the writer.
  ///
  /// - Returns: nil if the time is over; false if `endSuspension()` was called, or `isCancelled` is true.
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

  /// - Parameter hasTime: whether there is time to put a long log into the file.
  private func closeForSuspension(_ connection: SQLiteConnection, hasTime: Bool) {
    // Whoever opens the file next reads the whole log. No reader of this process is in the way now.
    if hasTime, let length = connection.walIndexHeader?.frameCount, length >= LogCheckpoints.defaultLimit {
      connection.withLockTimeout(0) {
        _ = sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
      }
    }
    // A short log stays as it is: to put it into the file may take longer than to close it.
    dflat_leave_log(connection.handle)
    // Threads that have just given the writer back may refer to it for another moment.
    connection.close()
  }

  /// Lends readers again.
  func endSuspension() {
    state.withLock { $0.isSuspended = false }
    state.notifyAll()
  }

  /// Waits until a shutdown has closed all connections.
  ///
  /// - Returns: false if it has not until `end`.
  func waitUntilClosed(until end: DispatchTime) -> Bool {
    state.wait(atMost: end.timeFromNow) { $0.isClosed && !$0.isChanging && $0.file == nil ? true : nil } ?? false
  }

  // MARK: Closing

  /// Whether the workspace is being shut down, or has been.
  var isShutDown: Bool { state.withLock { $0.isClosing || $0.isClosed } }

  /// Lends readers to transactions only from now on, and notes what the shutdown is to do besides.
  func beginClosing(_ flags: WorkspaceShutdownFlag) {
    state.withLock { state in
      state.flags.formUnion(flags)
      state.isClosing = true
    }
    state.notifyAll()
  }

  /// Lends no more readers, waits for those that are lent, closes all connections, and does what shutdowns have asked for. For the
  /// thread that has the writer.
  ///
  /// - Throws: `SQLiteError`, if what was asked for cannot be done. All is closed then, too.
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
    // Who leaves the log unmaps the WAL index, as who closes the connection does. Other threads may look at it until here.
    stopWatching()
    guard let current, !work.isEmpty else { return }
    try current.writer.connection.finish(work)
    state.withLock { $0.done.formUnion(work) }
  }
}

extension SQLiteConnection {
  /// What a shutdown does with the last connection.
  fileprivate func finish(_ flags: WorkspaceShutdownFlag) throws {
    // Another file may have the name now, and its log beside it.
    if let movedFile { throw SQLiteError.moved(movedFile, during: "Closing the database") }
    if flags.contains(.vacuum) { try run("VACUUM", for: "Vacuuming the database") }
    guard flags.contains(.truncate) else { return }
    try run("PRAGMA wal_checkpoint(TRUNCATE)", for: "Truncating the log")
    // Leaving WAL mode removes the files beside the database's own.
    try run("PRAGMA journal_mode = DELETE", for: "Leaving the log")
  }
}

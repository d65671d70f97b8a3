import CSQLite
import Dflat
import Dispatch
import Foundation

/// The database file: opened at its first use, with one connection that writes and some that read.
final class Store: @unchecked Sendable {
  // Unchecked because the variables are guarded: by `opening` or by `condition`, as they say.
  private let place: StorePath
  var path: String { place.text }
  private let fileProtection: SQLiteWorkspace.FileProtectionLevel
  private let synchronous: SQLiteWorkspace.Synchronous

  /// Held while the file is being opened, which may take long.
  private let opening = NSLock()
  /// What this workspace has changed.
  let changedRows = ChangedRows()
  /// Guarded by `opening`; the writer itself is used by the holder of the write lock.
  private var openWriter: Writer?

  private let condition = NSCondition()
  /// How readers open the file; nil until it has been opened. Guarded by `condition`, like what follows.
  private var access: Access?
  private var idleReaders: [SQLiteConnection] = []
  private var readerCount = 0
  /// Nil until the file has been opened.
  private var commits: CommitClock?
  /// Whether the snapshots of idle readers are about to be ended.
  private var isEndScheduled = false
  private var isClosing = false
  private var isClosed = false
  /// Readers beyond this number wait: a connection costs two file descriptors and its page cache. But those of transactions
  /// do not wait for long, since the others may be waiting for them.
  static let readerLimit = min(16, max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  /// In seconds. A fetch takes less.
  private static let readerPatience = 0.01

  private enum Access {
    case readWrite
    case readOnly
    /// The folder cannot be written, so SQLite cannot make the files that coordinate readers and writers. If somebody
    /// else writes nevertheless, the file is opened anew.
    case immutable(UnwrittenFile)

    var unwrittenFile: UnwrittenFile? {
      if case .immutable(let file) = self { file } else { nil }
    }
  }

  init(
    path: String, fileProtection: SQLiteWorkspace.FileProtectionLevel, synchronous: SQLiteWorkspace.Synchronous
  ) {
    place = StorePath(path)
    self.fileProtection = fileProtection
    self.synchronous = synchronous
  }

  deinit {
    commits?.leave()
  }

  // MARK: Opening

  /// The connection that writes; the file is created when it is missing. For the holder of the write lock.
  func writer() throws -> Writer {
    opening.lock()
    defer { opening.unlock() }
    if let writer = openWriter, !writer.connection.isReadOnly { return writer }
    // A file that could only be read when it was opened may have become writable.
    openWriter = nil
    guard let writer = try open(creating: true) else { throw closedError }
    if writer.connection.isReadOnly {
      throw SQLiteError(
        extendedCode: SQLITE_READONLY, message: "the file cannot be written", purpose: "Opening the database",
        path: path)
    }
    return writer
  }

  private var closedError: SQLiteError {
    SQLiteError(
      extendedCode: SQLITE_MISUSE, message: "the workspace has been shut down", purpose: "Opening the database",
      path: path)
  }

  /// Opens the file for readers, unless it has been.
  ///
  /// - Returns: false when there is no file, so nothing is stored.
  private func openForReading() throws -> Bool {
    opening.lock()
    defer { opening.unlock() }
    if openWriter != nil { return true }
    return try open(creating: false) != nil
  }

  /// Makes the connection that writes, and with it says how readers open the file. With `opening` held.
  private func open(creating: Bool) throws -> Writer? {
    guard !place.isMisleading else {
      throw SQLiteError(
        extendedCode: SQLITE_CANTOPEN, message: "a path has at least one byte, and no byte that is 0",
        purpose: "Opening the database", path: path)
    }
    if !creating, place.isMissing { return nil }
    var flags = SQLITE_OPEN_READWRITE | protectionFlags
    if creating { flags |= SQLITE_OPEN_CREATE }
    var connection = try SQLiteConnection(path: path, name: place.name, flags: flags)
    var access = connection.isReadOnly ? Access.readOnly : .readWrite
    do {
      try configure(connection)
    } catch let error as SQLiteError where place.isUnwritable(error) && !creating {
      let file = place.unwrittenFile
      connection = try SQLiteConnection(
        path: path, name: place.immutableURI, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      access = .immutable(file)
      try configure(connection)
    }
    let writer = try Writer(connection, of: self)
    openWriter = writer
    condition.lock()
    self.access = access
    commits?.leave()
    commits = CommitClock.join(fileAt: path)
    // This connection does not notice what others have committed before.
    commits?.noticeForeignCommit()
    changedRows.forget(before: commits?.now ?? 0)
    // Those opened when nobody could write do not look for what others write.
    let outdated = idleReaders.filter(isOutdated)
    idleReaders.removeAll(where: isOutdated)
    readerCount -= outdated.count
    condition.broadcast()
    condition.unlock()
    return writer
  }

  /// Whether a reader was opened when nobody wrote, and somebody has since. With `condition` held.
  private func isOutdated(_ reader: SQLiteConnection) -> Bool {
    reader.isImmutable && reader.unwrittenFile != access?.unwrittenFile
  }

  /// Opens the file anew after somebody has written it. What was opened before is closed as soon as it is not in use.
  private func reopen(_ file: UnwrittenFile) throws {
    opening.lock()
    defer { opening.unlock() }
    let isFirst = condition.withLock {
      guard access?.unwrittenFile == file else { return false }
      access = nil
      return true
    }
    guard isFirst else { return }
    openWriter = nil
    _ = try open(creating: false)
  }

  private func configure(_ connection: SQLiteConnection) throws {
    try connection.run("PRAGMA trusted_schema = OFF", for: "Opening the database")
    if !connection.isReadOnly {
      try enterLogMode(connection)
      try connection.run(
        synchronous == .full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
        for: "Opening the database")
    }
    // The file is read for the first time: now it turns out whether it is a database.
    try connection.run("PRAGMA schema_version", for: "Opening the database")
  }

  /// Makes the file one with a log, if it is not. Where two do so at once, SQLite lets both hold the file and then refuses
  /// one of them, without the wait for a lock that it takes everywhere else: or they would wait for each other.
  private func enterLogMode(_ connection: SQLiteConnection) throws {
    let end = DispatchTime.now() + .milliseconds(Int(SQLiteConnection.busyTimeout))
    while true {
      do {
        try connection.run("PRAGMA journal_mode = WAL", for: "Opening the database")
        return
      } catch let error as SQLiteError where error.code == SQLITE_BUSY && DispatchTime.now() < end {
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
  }

  private var protectionFlags: Int32 {
    #if os(iOS) || os(tvOS) || os(watchOS)
      switch fileProtection {
      case .noProtection: SQLITE_OPEN_FILEPROTECTION_NONE
      case .completeFileProtection: SQLITE_OPEN_FILEPROTECTION_COMPLETE
      case .completeFileProtectionUnlessOpen: SQLITE_OPEN_FILEPROTECTION_COMPLETEUNLESSOPEN
      case .completeFileProtectionUntilFirstUserAuthentication:
        SQLITE_OPEN_FILEPROTECTION_COMPLETEUNTILFIRSTUSERAUTHENTICATION
      }
    #else
      0
    #endif
  }

  // MARK: Readers

  /// Takes a connection for reading, and waits for one when too many are in use; nil when nothing is stored, or the
  /// store is closed. Give it back with `release(_:)`.
  ///
  /// - Parameter inTransaction: whether a transaction reads, which may still do so while the store is closing.
  func acquireReader(inTransaction: Bool) throws -> SQLiteConnection? {
    condition.lock()
    var mayExceedLimit = false
    while true {
      if isClosed || isClosing && !inTransaction {
        condition.unlock()
        return nil
      }
      guard let access else {
        condition.unlock()
        guard try openForReading() else { return nil }
        condition.lock()
        continue
      }
      if let file = access.unwrittenFile, file.hasChanged {
        condition.unlock()
        try reopen(file)
        condition.lock()
        continue
      }
      if let reader = idleReaders.popLast() {
        let snapshot = inTransaction ? nil : commits?.next
        condition.unlock()
        return try begin(snapshot, on: reader)
      }
      if readerCount < Store.readerLimit || mayExceedLimit {
        readerCount += 1
        let snapshot = inTransaction ? nil : commits?.next
        condition.unlock()
        return try begin(snapshot, on: try openReader(access))
      }
      if inTransaction {
        mayExceedLimit = !condition.wait(until: Date() + Store.readerPatience)
      } else {
        condition.wait()
      }
    }
  }

  private func openReader(_ access: Access) throws -> SQLiteConnection {
    do {
      let reader = try SQLiteConnection(
        path: path, name: access.unwrittenFile != nil ? place.immutableURI : place.name,
        flags: access.unwrittenFile != nil
          ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | protectionFlags)
      reader.unwrittenFile = access.unwrittenFile
      try reader.run("PRAGMA trusted_schema = OFF", for: "Opening the database")
      try reader.run("PRAGMA query_only = ON", for: "Opening the database")
      return reader
    } catch {
      forgetReader()
      throw error
    }
  }

  /// Makes `reader` ready to be lent: with the snapshot that it has kept, if that is still good, or with a new one.
  ///
  /// - Parameter snapshot: what a snapshot that is taken from now on is good for; nil when it must not be kept.
  private func begin(_ snapshot: KeptSnapshot?, on reader: SQLiteConnection) throws -> SQLiteConnection {
    if let kept = reader.snapshot, let snapshot, kept.serves(snapshot) { return reader }
    do {
      try reader.endSnapshot()
      if let snapshot { try reader.begin(snapshot) }
      return reader
    } catch {
      // The connection goes with its last reference; the next fetch opens another.
      forgetReader()
      throw error
    }
  }

  /// Makes room for another reader.
  private func forgetReader() {
    condition.lock()
    readerCount -= 1
    condition.broadcast()
    condition.unlock()
  }

  /// Takes a reader back.
  ///
  /// - Parameter hasFailed: whether something went wrong with it, so that its snapshot is not to be relied on.
  func release(_ reader: SQLiteConnection, hasFailed: Bool = false) {
    condition.lock()
    defer { condition.unlock() }
    // All are woken: a shutdown may wait beside those who want a reader.
    defer { condition.broadcast() }
    let isKept = !hasFailed && !isClosing && commits?.isGood(reader.snapshot) == true
    if isOutdated(reader) || !isKept && !endSnapshot(of: reader) {
      readerCount -= 1
      return
    }
    if readerCount > Store.readerLimit, idleReaders.popLast() != nil { readerCount -= 1 }
    idleReaders.append(reader)
    if isKept, !isEndScheduled {
      isEndScheduled = true
      KeptSnapshot.queue.asyncAfter(deadline: .now() + KeptSnapshot.lifetime) { self.endSnapshotsInTime() }
    }
  }

  // MARK: Kept snapshots

  /// Does not let readers keep their snapshots from now on, and ends those of idle ones: a commit begins, which they must
  /// not hide, nor keep from reusing the log.
  func beginCommit() {
    condition.lock()
    defer { condition.unlock() }
    commits?.beginCommit()
    endIdleSnapshots()
  }

  /// Lets readers keep their snapshots again: what was committed shows.
  func endCommit() {
    condition.lock()
    defer { condition.unlock() }
    commits?.endCommit()
  }

  /// Notes that another process has committed.
  func noticeForeignCommit() {
    condition.lock()
    let commits = commits
    condition.unlock()
    commits?.noticeForeignCommit()
    changedRows.forget(before: commits?.now ?? 0)
  }

  /// What lasts until the next commit; see `Atom._moment`. For the holder of SQLite's own lock, who alone can commit.
  var moment: UInt64 { condition.withLock { commits }?.now ?? 0 }

  /// How many idle readers keep a snapshot.
  var keptSnapshotCount: Int {
    condition.lock()
    defer { condition.unlock() }
    return idleReaders.count { $0.snapshot != nil }
  }

  private func endSnapshotsInTime() {
    condition.lock()
    defer { condition.unlock() }
    isEndScheduled = false
    endIdleSnapshots()
  }

  /// With `condition` held.
  private func endIdleSnapshots() {
    guard idleReaders.contains(where: { $0.snapshot != nil }) else { return }
    let count = idleReaders.count
    idleReaders.removeAll { !endSnapshot(of: $0) }
    readerCount -= count - idleReaders.count
  }

  /// Ends the snapshot of a reader.
  ///
  /// - Returns: false when that fails. The connection is to be closed then, which ends it for sure.
  private func endSnapshot(of reader: SQLiteConnection) -> Bool {
    do {
      try reader.endSnapshot()
      return true
    } catch {
      return false
    }
  }

  // MARK: Closing

  /// Whether the store has been closed, or is about to be.
  var isShutDown: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isClosing || isClosed
  }

  /// Lends readers to transactions only from now on.
  func beginClosing() {
    condition.lock()
    isClosing = true
    condition.broadcast()
    condition.unlock()
  }

  /// Lends no more readers, waits for those that are lent, and closes all connections. With the write lock held.
  ///
  /// - Parameter finish: what is done last, with the only connection left: nil when there is no file.
  func close(finish: ((SQLiteConnection) throws -> Void)?) throws {
    condition.lock()
    isClosed = true
    // Those that wait for a reader get none.
    condition.broadcast()
    while idleReaders.count < readerCount { condition.wait() }
    idleReaders = []
    readerCount = 0
    condition.unlock()

    opening.lock()
    defer { opening.unlock() }
    defer { openWriter = nil }
    guard let finish, let writer = try openWriter ?? open(creating: false) else { return }
    try finish(writer.connection)
  }
}

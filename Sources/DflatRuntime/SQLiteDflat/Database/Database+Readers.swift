import CSQLite
import Dflat
import DflatEngine
import Dispatch
import Foundation

// How readers are lent.
//
// An idle reader keeps its read transaction open (a cached read transaction), since to begin one costs more than many
// fetches do. It is used again only if nobody has committed since, in this process or another, as the header of the WAL
// index shows. So a fetch sees all that was committed before it, and never less than an earlier fetch saw. A cached
// read transaction is ended before this workspace commits, and after 10 ms, so that the log can be reused.

extension Database {
  /// How long an idle reader keeps its read transaction.
  private static let idleTime = DispatchTimeInterval.milliseconds(10)

  /// The queue that ends cached read transactions after `idleTime`.
  private static let queue = DispatchQueue(label: "dflat.readers", qos: .utility)

  // MARK: Lending

  /// Lends a reader whose read transaction shows all that has been committed. Give it back with `release(_:_:)`.
  ///
  /// - Parameters:
  ///   - inTransaction: whether the caller is a transaction, which may read while the workspace is shut down.
  ///   - forSubscribers: whether subscribers are to be told what is read. They are told of the last transactions while
  ///     the workspace is shut down.
  /// - Returns: nil if nothing is stored, or the workspace has been shut down.
  func acquireReader(
    _ purpose: ReaderPool.Purpose, inTransaction: Bool, forSubscribers: Bool = false
  ) throws -> SQLiteConnection? {
    try forks.check()
    let lent = try lend(purpose, inTransaction: inTransaction, whileClosing: inTransaction || forSubscribers)
    var lentReader: SQLiteConnection?
    do {
      let reader: SQLiteConnection
      switch lent {
      case .nothing: return nil
      case .idle(let idle): reader = idle
      case .toBeOpened(let access): reader = try opener.openReader(access)
      }
      lentReader = reader
      try begin(reader)
      return reader
    } catch {
      // The next fetch opens another reader. As in `release(_:_:)`, this one is closed before it counts as returned.
      lentReader?.close()
      state.withLock { $0.readers.endLending(for: purpose) }
      state.notifyAll()
      throw error
    }
  }

  /// Calls `body` with a lent reader, and takes the reader back. For a fetch, `body` is called again if an
  /// immutable file was written meanwhile.
  ///
  /// - Parameters:
  ///   - inTransaction: whether the caller is a transaction, which may read while the workspace is shut down.
  ///   - forSubscribers: whether subscribers are to be told what is read, also while the workspace is shut down.
  /// - Returns: nil if nothing is stored, or the workspace has been shut down.
  func withReader<Result>(
    lentFor purpose: ReaderPool.Purpose = .fetch, inTransaction: Bool, forSubscribers: Bool = false,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result? {
    var attempts = 0
    while true {
      guard let reader = try acquireReader(purpose, inTransaction: inTransaction, forSubscribers: forSubscribers) else {
        return nil
      }
      do {
        let result = try body(reader)
        try checkIsIntact(reader.access)
        release(reader, purpose)
        return result
      } catch {
        let isTorn = purpose == .fetch && reader.access?.isTorn == true
        release(reader, purpose, hasFailed: true)
        attempts += 1
        guard isTorn, attempts < 10 else { throw error }
      }
    }
  }

  /// Checks that a reader with this access has not read a mixture of two states: other processes may write a file that is opened as
  /// immutable.
  ///
  /// - Throws: `SQLiteError` with `SQLITE_BUSY` if it may have.
  func checkIsIntact(_ access: ReadAccess?) throws {
    guard access?.isTorn == true else { return }
    throw SQLiteError(
      extendedCode: SQLITE_BUSY, message: "another process has begun to write the file meanwhile; read it again",
      purpose: "Reading", path: opener.path.text)
  }

  private enum Lent {
    /// Nothing is stored, or the workspace has been shut down.
    case nothing
    case idle(SQLiteConnection)
    case toBeOpened(ReadAccess)
  }

  private func lend(_ purpose: ReaderPool.Purpose, inTransaction: Bool, whileClosing: Bool) throws -> Lent {
    while true {
      enum Step { case lend(Lent), open(OpenFile?), refuse }
      let step: Step = state.wait { state in
        if state.isClosed || state.isClosing && !whileClosing { return .lend(.nothing) }
        if state.isSuspended { return inTransaction && transactionsWait ? nil : .refuse }
        if state.isChanging { return nil }
        // Another process, which this one cannot coordinate with, may have written the file.
        guard let access = state.file?.access, !access.hasChanged else { return .open(state.beginChange()) }
        guard state.readers.mayLend(for: purpose) else { return nil }
        return .lend(state.readers.lend(for: purpose).map(Lent.idle) ?? .toBeOpened(access))
      }
      switch step {
      case .lend(let lent): return lent
      case .refuse: throw SuspensionError.suspended
      case .open(let former): if try open(insteadOf: former, creating: false) == nil { return .nothing }
      }
    }
  }

  /// Prepares `reader` to be lent. It keeps its cached read transaction if nobody has committed since.
  private func begin(_ reader: SQLiteConnection) throws {
    if let kept = reader.readHeader, let now = reader.walIndexHeader, kept == now { return }
    try reader.endReading()
    // Before SQLite takes its snapshot: later commits may show, and no commit up to this version is missing.
    let (version, header) = sequence.versionAndHeader
    reader.commitVersion = version
    reader.readHeader = reader.walIndexHeader
    try reader.beginReading()
    reader.isExact =
      reader.readHeader.hasSameCommits(as: header) && reader.readHeader.hasSameCommits(as: reader.walIndexHeader)
  }

  /// Restarts the read transaction of a lent reader until it shows no commit that is not published yet.
  ///
  /// A commit is published as soon as SQLite has made it, so this takes a moment. It gives up after a second, since
  /// SQLite may be busy with a checkpoint. Without a WAL index this cannot be known; but then this workspace does not
  /// commit.
  func makeExact(_ reader: SQLiteConnection) throws {
    let end = DispatchTime.now() + .seconds(1)
    var pause: UInt32 = 16
    try reader.takeSnapshot()
    while !reader.isExact, sequence.isWatching, DispatchTime.now() < end {
      try reader.endReading()
      // A commit of another process is published only when it is looked for.
      _ = sequence.lookForForeignCommits()
      usleep(pause)
      pause = min(2 * pause, 1024)
      try begin(reader)
      try reader.takeSnapshot()
    }
  }

  /// Restarts the read transaction of a lent reader, which then shows all that has been committed by now.
  func beginAnew(_ reader: SQLiteConnection) throws {
    try reader.endReading()
    try begin(reader)
  }

  /// Takes a reader back.
  ///
  /// - Parameter hasFailed: whether an error has occurred, so that its read transaction cannot be kept.
  func release(_ reader: SQLiteConnection, _ purpose: ReaderPool.Purpose, hasFailed: Bool = false) {
    // Whether others have committed since it began is checked when the reader is lent again.
    let isKept = !hasFailed && reader.readHeader != nil
    if hasFailed { reader.resetStatements() }
    let isUsable = isKept || endReading(of: reader)
    enum Step { case close, keep, keepReading }
    let step: Step = state.withLock { state in
      guard isUsable, !state.isClosing, reader.access === state.file?.access,
        state.readers.takeBack(reader, lentFor: purpose)
      else { return .close }
      guard isKept, !state.readers.isEndScheduled else { return .keep }
      state.readers.isEndScheduled = true
      return .keepReading
    }
    if case .close = step {
      // Closed before it counts as returned: the thread that closes the file waits for that, and may need the file for
      // itself. Closed without a lock, since that may take long.
      reader.close()
      state.withLock { $0.readers.endLending(for: purpose) }
    }
    state.notifyAll()
    if case .keepReading = step {
      Database.queue.asyncAfter(deadline: .now() + Database.idleTime) { self.endIdleReadingInTime() }
    }
  }

  // MARK: Idle readers

  /// Ends the cached read transactions of idle readers before a commit, so that it can reuse the log.
  func endIdleReading() {
    let failed = state.withLock { state -> [SQLiteConnection] in
      guard state.readers.idle.contains(where: { $0.readHeader != nil }) else { return [] }
      let failed = state.readers.idle.filter { !endReading(of: $0) }
      return state.readers.removeIdle { reader in failed.contains { $0 === reader } }
    }
    for reader in failed { reader.close() }
  }

  private func endIdleReadingInTime() {
    state.withLock { $0.readers.isEndScheduled = false }
    endIdleReading()
  }

  /// Ends the read transaction of a reader.
  ///
  /// - Returns: false if that fails. The caller then has to close the connection, which certainly ends it.
  private func endReading(of reader: SQLiteConnection) -> Bool {
    do {
      try reader.endReading()
      return true
    } catch {
      return false
    }
  }

  /// How many idle readers have a cached read transaction.
  var idleReadingCount: Int { state.withLock { $0.readers.idle.count { $0.readHeader != nil } } }
}

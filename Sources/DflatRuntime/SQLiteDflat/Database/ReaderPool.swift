import CSQLite
import Dflat
import DflatEngine
import Dispatch
import Foundation

/// The connections of a workspace that read.
///
/// A reader that is idle keeps its read transaction open, since to begin one costs more than many a fetch does. It is used
/// again only if nobody has committed since, in this process or another, as the header of the WAL index tells: so a fetch sees
/// all that was committed before it, and never less than one before it saw. It is ended before this workspace commits, and
/// after 10 ms, so that it does not keep the log from being reused.
final class ReaderPool: Sendable {
  private let state = Guarded(State(), rank: .readers)
  private let path: DatabasePath
  private let sequence: CommitSequence
  private let flags: Int32

  private struct State {
    /// How readers open the file; nil until it has been opened.
    var access: ReadAccess?
    var idle: [SQLiteConnection] = []
    /// The readers that are lent, and those of them that are lent to single fetches, which give them back soon.
    var lentCount = 0
    var fetchingCount = 0
    /// Whether the read transactions of idle readers are about to be ended.
    var isEndScheduled = false
    var isClosing = false
    var isClosed = false

    mutating func endLending(_ purpose: Purpose) {
      lentCount -= 1
      if purpose == .fetch { fetchingCount -= 1 }
    }
  }

  /// How many readers single fetches use at a time, and how many idle ones are kept: each costs two file descriptors and a page
  /// cache. Fetches need no more threads than the machine has processors, and some more for those that wait for the disk.
  static let limit = min(16, max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  /// How long an idle reader keeps its read transaction.
  static let idleTime = DispatchTimeInterval.milliseconds(10)

  /// Where the read transactions of idle readers are ended in time.
  private static let queue = DispatchQueue(label: "dflat.readers", qos: .utility)

  /// - Parameter flags: SQLite's flags for opening a file for reading and writing.
  init(path: DatabasePath, sequence: CommitSequence, flags: Int32) {
    self.path = path
    self.sequence = sequence
    self.flags = flags
  }

  // MARK: Lending

  /// What a reader is lent for.
  enum Purpose {
    /// For one fetch: it comes back without a call of the user's code.
    case fetch
    /// For a snapshot, which user code may keep as long as it likes.
    case snapshot
  }

  /// Lends a reader in a read transaction that shows all that has been committed. Give it back with `release(_:)`.
  ///
  /// A fetch waits for others if many fetch at a time, but never for snapshots: more readers are opened then.
  ///
  /// - Parameters:
  ///   - inTransaction: whether a transaction reads, which may still do so while the workspace is shut down.
  ///   - open: opens the file, if it has not been, or was written by another process that this one cannot take part with.
  ///     Returns false if there is no file, so that nothing is stored.
  /// - Returns: nil if nothing is stored, or the workspace has been shut down.
  func acquire(
    _ purpose: Purpose, inTransaction: Bool, opening open: (_ outdated: ReadAccess?) throws -> Bool
  ) throws -> SQLiteConnection? {
    let taken = try take(purpose, inTransaction: inTransaction, opening: open)
    do {
      let reader: SQLiteConnection
      switch taken {
      case .nothing: return nil
      case .idle(let idle): reader = idle
      case .place(let access): reader = try openReader(access)
      }
      try begin(reader)
      return reader
    } catch {
      // The connection goes with its last reference; the next fetch opens another.
      giveUp(purpose)
      throw error
    }
  }

  private enum Taken {
    case nothing
    case idle(SQLiteConnection)
    /// The place of a reader that is to be opened.
    case place(ReadAccess)
  }

  private func take(
    _ purpose: Purpose, inTransaction: Bool, opening open: (_ outdated: ReadAccess?) throws -> Bool
  ) throws -> Taken {
    while true {
      enum Step { case take(Taken), open(ReadAccess?) }
      let step: Step = state.wait { state in
        if state.isClosed || state.isClosing && !inTransaction { return .take(.nothing) }
        guard let access = state.access else { return .open(nil) }
        if access.hasChanged { return .open(access) }
        if purpose == .fetch, state.fetchingCount >= ReaderPool.limit { return nil }
        state.lentCount += 1
        if purpose == .fetch { state.fetchingCount += 1 }
        return .take(state.idle.popLast().map(Taken.idle) ?? .place(access))
      }
      switch step {
      case .take(let taken): return taken
      case .open(let outdated): guard try open(outdated) else { return .nothing }
      }
    }
  }

  private func openReader(_ access: ReadAccess) throws -> SQLiteConnection {
    let reader: SQLiteConnection
    if case .immutable = access.mode {
      reader = try SQLiteConnection(
        path: path.text, name: path.immutableURI, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    } else {
      reader = try SQLiteConnection(path: path.text, name: path.name, flags: flags)
    }
    guard path.identity == access.file else { throw SQLiteError.moved(path.text, during: "Opening the database") }
    try reader.run("PRAGMA trusted_schema = OFF", for: "Opening the database")
    try reader.run("PRAGMA query_only = ON", for: "Opening the database")
    // A log that this process cannot write may be replaced by another one, whose index is not the one that is mapped.
    if case .readWrite = access.mode { try reader.findWALIndex() }
    reader.access = access
    return reader
  }

  /// Makes `reader` ready to be lent: with the read transaction that it has kept, if nobody has committed since.
  private func begin(_ reader: SQLiteConnection) throws {
    if let kept = reader.readHeader, let now = reader.walIndexHeader, kept.isSame(as: now) { return }
    try reader.endReading()
    // Before SQLite takes its snapshot: what is committed between may show, and nothing that was committed before is missing.
    let (version, header) = sequence.versionAndHeader
    reader.commitVersion = version
    reader.readHeader = reader.walIndexHeader
    try reader.beginReading()
    reader.isExact =
      reader.readHeader.hasSameCommits(as: header) && reader.readHeader.hasSameCommits(as: reader.walIndexHeader)
  }

  /// Begins the read transaction of a lent reader anew, until it shows no commit that has not been published yet.
  ///
  /// A commit is published as soon as SQLite has made it, so this takes a moment; it is given up after a second, when SQLite may be
  /// busy with a checkpoint. Without a WAL index nobody can tell; but then this workspace does not commit.
  func makeExact(_ reader: SQLiteConnection) throws {
    let end = DispatchTime.now() + .seconds(1)
    var pause: UInt32 = 16
    while !reader.isExact, sequence.isWatching, DispatchTime.now() < end {
      try reader.endReading()
      // What another process has committed is not published before it is looked for.
      _ = sequence.lookForForeignCommits()
      usleep(pause)
      pause = min(2 * pause, 1024)
      try begin(reader)
    }
  }

  /// Begins the read transaction of a lent reader anew: it shows all that has been committed by now.
  func beginAnew(_ reader: SQLiteConnection) throws {
    try reader.endReading()
    try begin(reader)
  }

  /// Takes a reader back.
  ///
  /// - Parameter hasFailed: whether an error has occurred, so that its read transaction is not to be relied on.
  func release(_ reader: SQLiteConnection, _ purpose: Purpose, hasFailed: Bool = false) {
    // The read transaction shows what the header said when it was begun, if it still says so: or else a commit came between.
    var isKept = false
    if hasFailed { reader.resetStatements() }
    if !hasFailed, let began = reader.readHeader, let now = reader.walIndexHeader { isKept = began.isSame(as: now) }
    let isUsable = isKept || endReading(of: reader)
    enum Step { case close, keep, keepReading }
    let step: Step = state.withLock { state in
      let isOutdated = reader.access !== state.access
      guard isUsable, !isOutdated, !state.isClosing, state.idle.count < ReaderPool.limit else { return .close }
      state.endLending(purpose)
      state.idle.append(reader)
      guard isKept, !state.isEndScheduled else { return .keep }
      state.isEndScheduled = true
      return .keepReading
    }
    if case .close = step {
      // Before it counts as given back: who closes the file waits for that, and may need the file for itself alone. When
      // nothing is locked: to close a connection may take long.
      reader.close()
      state.withLock { $0.endLending(purpose) }
    }
    state.notifyAll()
    if case .keepReading = step {
      ReaderPool.queue.asyncAfter(deadline: .now() + ReaderPool.idleTime) { self.endIdleReadingInTime() }
    }
  }

  private func giveUp(_ purpose: Purpose) {
    state.withLock { $0.endLending(purpose) }
    state.notifyAll()
  }

  // MARK: Idle readers

  /// Ends the read transactions of idle readers: a commit begins, which they must not keep from reusing the log.
  func endIdleReading() {
    let closed = state.withLock { state -> [SQLiteConnection] in
      guard state.idle.contains(where: { $0.readHeader != nil }) else { return [] }
      let failed = state.idle.filter { !endReading(of: $0) }
      state.idle.removeAll { reader in failed.contains { $0 === reader } }
      return failed
    }
    _ = closed
  }

  private func endIdleReadingInTime() {
    state.withLock { $0.isEndScheduled = false }
    endIdleReading()
  }

  /// Ends the read transaction of a reader.
  ///
  /// - Returns: false if that fails. The connection has to be closed then, which ends it for sure.
  private func endReading(of reader: SQLiteConnection) -> Bool {
    do {
      try reader.endReading()
      return true
    } catch {
      return false
    }
  }

  /// How many idle readers keep a read transaction.
  var idleReadingCount: Int { state.withLock { $0.idle.count { $0.readHeader != nil } } }

  // MARK: Opening and closing

  /// Says how readers open the file from now on; nil if it has to be opened anew.
  func setAccess(_ access: ReadAccess?) {
    let outdated = state.withLock { state -> [SQLiteConnection] in
      state.access = access
      let outdated = state.idle.filter { $0.access !== access }
      state.idle.removeAll { reader in outdated.contains { $0 === reader } }
      return outdated
    }
    _ = outdated
    state.notifyAll()
  }

  /// How readers open the file now.
  var access: ReadAccess? { state.withLock { $0.access } }

  /// Whether the workspace is being shut down, or has been.
  var isShutDown: Bool { state.withLock { $0.isClosing || $0.isClosed } }

  /// Lends readers to transactions only from now on.
  func beginClosing() {
    state.withLock { $0.isClosing = true }
    state.notifyAll()
  }

  /// Lends no more readers, waits for those that are lent, and closes all.
  func close() {
    state.withLock { $0.isClosed = true }
    state.notifyAll()
    let idle = state.wait { state -> [SQLiteConnection]? in
      guard state.lentCount == 0 else { return nil }
      defer { state.idle = [] }
      return state.idle
    }
    _ = idle
  }
}

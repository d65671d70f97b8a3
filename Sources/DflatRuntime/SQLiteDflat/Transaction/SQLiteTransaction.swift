import Dflat
import DflatEngine
import FlatBuffersCore

/// A transaction while its closure runs, on the thread that runs it.
///
/// It collects the submitted changes, which SQLite does not know of until the closure returns. In four cases it takes
/// the writer, and from then on writes to SQLite while it runs: if it fetches after it has submitted something, if it
/// submits much, if another process writes to the file, or if the workspace has a target queue.
final class SQLiteTransaction {
  let core: SQLiteCore
  let queued: QueuedTransaction
  let types: [ObjectIdentifier]
  // Exclusivity is unchecked in some variables: each access is short, and a check for each submission is noticeable in
  // the benchmark rows "update documents, one transaction" and "set 40,000 Int in a transaction, until on disk".
  @exclusivity(unchecked) private(set) var state = State.collecting
  /// The connection that writes, in this transaction's SQLite transaction, while `state` is `writing`; else nil. It is
  /// not a part of the state, so that reading the state retains nothing.
  @exclusivity(unchecked) private(set) var writer: WriterConnection?
  /// The changes for the change feed's listener, if the transaction has the writer; nil if there is no listener.
  private var collected: CollectedChanges?
  /// The submitted changes that are not applied yet.
  let set = WriteSet()
  /// The object that was looked up last; nil if something has been submitted since. A request for this object need not
  /// look it up again.
  @exclusivity(unchecked) var lookedUp: AnyObject?
  /// Encodes submitted objects. The bytes are valid until the next submission.
  let encoder = RowEncoder.take()
  /// The objects that the closure has fetched.
  @exclusivity(unchecked) var fetched = FetchedObjects()
  /// The keys of the dictionary that the closure has set and read; nil if there are none.
  @exclusivity(unchecked) var keys: TransactionKeys?
  /// How many commits of other processes had been noticed when the transaction began.
  let firstForeignCommits: Int
  /// How many commits of other processes had been noticed when the transaction took the writer. Since then, no others
  /// can commit.
  private(set) var foreignCommits = 0
  /// The type whose row numbers the transaction hands out while it has the writer, and the last such number.
  private var numberedRecord: RecordDescription?
  @exclusivity(unchecked) var lastNumber: Int64 = 0
  /// The types whose tables are known to exist since the transaction has taken the writer.
  private var preparedRecords: Set<ObjectIdentifier> = []

  enum State {
    /// Submissions are collected.
    case collecting
    /// The transaction has the writer, in a SQLite transaction of its own.
    case writing
    case aborted
    case failed(TransactionError)
    /// The closure has returned.
    case ended
  }

  init(_ core: SQLiteCore, _ queued: QueuedTransaction) {
    self.core = core
    self.queued = queued
    types = queued.types
    firstForeignCommits = core.sequence.lookForForeignCommits()
    queued.foreignCommits = firstForeignCommits
  }

  // MARK: The writer

  /// Takes the writer, in a SQLite transaction of its own, and applies the collected changes. If it already has the
  /// writer, it only applies them.
  ///
  /// - Throws: an error with which the caller fails the transaction.
  @discardableResult
  func takeWriter() throws -> WriterConnection {
    if case .writing = state {
      try checkRecall()
      return try applyCollected()
    }
    try acquireWriter()
    do {
      let connection = try core.database.writer()
      if queued.dependencies.contains(where: core.committer.hasFailed) { throw SubmissionError.undone }
      queued.dependencies = []
      try connection.begin()
      writer = connection
      collected = core.sequence.beginCollecting()
      state = .writing
      foreignCommits = core.sequence.foreignCommits
      // The object may have been replaced since it was looked up.
      if foreignCommits != firstForeignCommits { lookedUp = nil }
    } catch {
      core.committer.releaseWriter()
      throw error
    }
    return try applyCollected()
  }

  /// Takes the writer. While the store is suspended, it waits. With a target queue it throws instead, since the queue's
  /// only thread may have to resume the store.
  func acquireWriter() throws {
    if core.hasTargetQueue {
      try core.committer.acquireWriterUnlessSuspended()
    } else {
      core.committer.acquireWriter(.transaction)
    }
  }

  /// Checks that no suspension is waiting for the writer.
  ///
  /// - Throws: `SuspensionError.suspended` if the transaction has to give the writer up.
  func checkRecall() throws {
    if core.committer.writerIsRecalled.isSet { throw SuspensionError.suspended }
  }

  /// Whether the transaction has collected so many changes that they should be written to SQLite before the closure
  /// ends.
  var isToApply: Bool { writer == nil ? set.isLarge : set.isFull }

  /// Checks that SQLite has not rolled back the transaction that has the writer. SQLite does so after some errors, even
  /// of a fetch, and would then commit each further write by itself.
  ///
  /// - Throws: `SubmissionError.undone` if SQLite has rolled it back.
  func checkWriter() throws {
    if let writer, !writer.connection.isInTransaction { throw SubmissionError.undone }
  }

  /// Applies the collected changes, so that SQLite shows them.
  @discardableResult
  private func applyCollected() throws -> WriterConnection {
    guard let writer else { throw SubmissionError.undone }
    try checkWriter()
    guard !set.isEmpty else { return writer }
    // Changes collected before the writer was taken may be based on rows that another process has replaced since.
    try writer.apply(alone: set, verifying: queued.foreignCommits != foreignCommits, core.committer)
    core.sequence.noteChanges(of: set)
    if foreignCommits != firstForeignCommits { fetched.noteInsertions(of: set) }
    collected?.collect(set)
    queued.trace?.changes.add(set)
    queued.foreignCommits = foreignCommits
    keepFormerKeys()
    set.removeAll()
    return writer
  }

  /// Creates the tables of a type, and finds out which row numbers are used. For a transaction that has the writer.
  func prepareRows(of record: RecordDescription, _ writer: WriterConnection) throws {
    guard numberedRecord !== record else { return }
    noteNumbers()
    numberedRecord = nil
    var last = core.committer.withState { $0.numbers.last(of: record) }
    if !preparedRecords.contains(ObjectIdentifier(record)) {
      last = max(last, try writer.preparedRows(of: record).lastRow)
      preparedRecords.insert(ObjectIdentifier(record))
    }
    (numberedRecord, lastNumber) = (record, last)
  }

  /// Records the row numbers that were handed out: they are not used again, even after a rollback.
  private func noteNumbers() {
    guard let numberedRecord else { return }
    core.committer.withState { $0.numbers.raise(to: lastNumber, of: numberedRecord) }
  }

  /// Records the row numbers that the writer has used: they are not used again, even after a rollback.
  private func noteNumbers(of writer: WriterConnection) {
    core.committer.withState { state in
      writer.forEachRows { state.numbers.raise(to: $0.lastRow, of: $0.record) }
    }
  }

  /// Whether the transaction should write alone, not be committed together with others.
  var isToWriteAlone: Bool { core.hasTargetQueue || core.sequence.hasForeignWriter }

  // MARK: Ending

  func abort() -> Bool {
    switch state {
    case .collecting, .writing:
      rollBack(to: .aborted)
      return true
    case .aborted, .failed: return false
    case .ended: stopProgram(SQLiteTransaction.endedMessage)
    }
  }

  /// Drops everything that was submitted, and gives the writer back.
  private func rollBack(to next: State) {
    if let writer {
      noteNumbers()
      noteNumbers(of: writer)
      writer.rollBack()
      // Objects that were fetched in this transaction may show changes that are rolled back.
      core.sequence.forgetChanges()
      self.writer = nil
      collected = nil
      core.committer.releaseWriter()
      core.completions.makeCallsInBackground()
    }
    set.removeAll()
    keys = nil
    lookedUp = nil
    state = next
  }

  func rollBack(failing failure: TransactionError) { rollBack(to: .failed(failure)) }

  /// Calls the error handler. While the transaction has the writer, that is done later: the handler may wait for the
  /// writer.
  func report(_ error: any Error) {
    if case .writing = state { core.reportLater(error) } else { core.reporter.report(error) }
  }

  /// Ends the transaction after its closure has returned: it becomes pending, or is committed if it has the writer.
  func end() {
    encoder.giveBack()
    let last = state
    switch last {
    case .collecting:
      if !set.isEmpty {
        keepFormerKeys()
        queued.trace?.changes.add(set)
        queued.writes = set
      }
    case .writing: queued.run { commit() }
    case .aborted: dropReads(failing: .aborted)
    case .failed(let failure): dropReads(failing: failure)
    case .ended: break
    }
    if case .writing = last {
      core.committer.complete(queued)
    } else {
      core.committer.add(queued)
    }
    state = .ended
  }

  /// Records why the transaction stores nothing. It no longer depends on what it has read: if an earlier transaction
  /// fails, the error handler would be told of this one, too.
  private func dropReads(failing failure: TransactionError) {
    queued.failure = failure
    queued.dependencies = []
  }

  private func commit() {
    guard let writer else { return }
    do {
      try applyCollected()
      noteNumbers()
      noteNumbers(of: writer)
      try writer.commit(publishing: collected.map { .collected($0) } ?? .unknown, keyReads: keys?.reads)
      let behind = writer.hasIndexBehind ? writer.recordsBehind : []
      self.writer = nil
      core.committer.releaseWriter()
      for record in behind { core.catchUp.request(record) }
    } catch {
      queued.failure = fail(error)
    }
  }

  /// Remembers the keys that rows have lost, so that an object with an old key still leads to its row.
  private func keepFormerKeys() {
    guard !set.formerKeys.isEmpty else { return }
    core.committer.withState { $0.formerKeys.append(contentsOf: set.formerKeys) }
  }
}

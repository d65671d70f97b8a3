import Dflat
import DflatEngine
import FlatBuffersCore

/// A transaction while its closure runs, on the thread that runs it.
///
/// It collects what the closure submits, and SQLite knows nothing of that, until the closure returns. It takes the writer for
/// itself, and writes through to SQLite from then on, if it fetches after it has submitted something, if it submits much, if
/// another process writes to the file, too, or if the workspace has a target queue.
final class SQLiteTransaction {
  let core: SQLiteCore
  let queued: QueuedTransaction
  let types: [ObjectIdentifier]
  // Exclusivity is unchecked in some variables: each access is short, and a check for each submission is felt.
  @exclusivity(unchecked) private(set) var state = State.collecting
  /// The connection that writes, in a SQLite transaction of this one, while `state` is `writing`; else nil. Beside the state and not
  /// in it, since a look at the state then counts no references.
  @exclusivity(unchecked) private(set) var writer: WriterConnection?
  /// What the change feed's listener is to hear of, since the transaction has the writer; nil if nobody listens.
  private var collected: CollectedChanges?
  /// What has been submitted, and has not been applied yet.
  let set = WriteSet()
  /// The object that was looked up last, unless something has been submitted since: a request for it need not look again.
  @exclusivity(unchecked) var lookedUp: AnyObject?
  /// Encodes what is submitted. What that makes of it is good until the next submission.
  let encoder = RowEncoder.take()
  /// What has been fetched in the closure.
  @exclusivity(unchecked) var fetched = FetchedObjects()
  /// The keys of the dictionary that the closure has set and read; nil if there are none.
  @exclusivity(unchecked) var keys: TransactionKeys?
  /// How many commits of other processes had been noticed when the transaction began.
  let firstForeignCommits: Int
  /// The same when it took the writer: since then, nobody else can commit.
  private(set) var foreignCommits = 0
  /// The type whose row numbers the transaction hands out, where it has the writer, and the last one of them.
  private var numberedRecord: RecordDescription?
  @exclusivity(unchecked) var lastNumber: Int64 = 0
  /// The types whose tables are there, since the transaction has the writer.
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

  /// Takes the writer, in a SQLite transaction of this one alone, and applies what has been collected.
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
      // What was looked up before may be replaced by now.
      if foreignCommits != firstForeignCommits { lookedUp = nil }
    } catch {
      core.committer.releaseWriter()
      throw error
    }
    return try applyCollected()
  }

  /// Takes the writer. It is waited for while the store is suspended; but not on a queue of the user's, on which somebody may be about
  /// to resume the store.
  func acquireWriter() throws {
    if core.hasTargetQueue {
      try core.committer.acquireWriterUnlessSuspended()
    } else {
      core.committer.acquireWriter(.transaction)
    }
  }

  /// Throws if the transaction keeps the writer for longer than a suspension may wait for it.
  func checkRecall() throws {
    if core.committer.writerIsRecalled.isSet { throw SuspensionError.suspended }
  }

  /// Whether so much has been collected that it should be applied.
  var isToApply: Bool { writer == nil ? set.isLarge : set.isFull }

  /// Throws if SQLite has rolled back the transaction that has the writer. It does so after some errors, even of a fetch, and would
  /// commit by itself whatever is written then.
  func checkWriter() throws {
    if let writer, !writer.connection.isInTransaction { throw SubmissionError.undone }
  }

  /// Applies what has been collected, so that SQLite shows it.
  @discardableResult
  private func applyCollected() throws -> WriterConnection {
    guard let writer else { throw SubmissionError.undone }
    try checkWriter()
    guard !set.isEmpty else { return writer }
    // What was collected before the writer was taken may have been made from rows that another process has replaced since.
    try writer.apply(alone: set, verifying: queued.foreignCommits != foreignCommits, core.committer)
    core.sequence.noteChanges(of: set)
    collected?.collect(set)
    queued.trace?.changes.add(set)
    queued.foreignCommits = foreignCommits
    keepFormerKeys()
    set.removeAll()
    return writer
  }

  /// Makes the tables of a type, and finds out which row numbers are used, where the transaction has the writer.
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

  /// Notes which row numbers have been handed out: they are not used again, also if the transaction is rolled back.
  private func noteNumbers() {
    guard let numberedRecord else { return }
    core.committer.withState { $0.numbers.raise(to: lastNumber, of: numberedRecord) }
  }

  /// Notes the numbers that the writer has used: they are not used again, also if the transaction is rolled back.
  private func noteNumbers(of writer: WriterConnection) {
    core.committer.withState { state in
      writer.forEachRows { state.numbers.raise(to: $0.lastRow, of: $0.record) }
    }
  }

  /// Whether the transaction should write alone, and not be committed together with others.
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

  /// Drops everything that has been submitted.
  private func rollBack(to next: State) {
    if let writer {
      noteNumbers()
      noteNumbers(of: writer)
      writer.rollBack()
      // Objects that were fetched in this transaction may show what is undone.
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

  /// Reports an error that does not fail the transaction. Not at once if it has the writer: the error handler may wait for that.
  func report(_ error: any Error) {
    if case .writing = state { core.reportLater(error) } else { core.report(error) }
  }

  /// Ends the transaction, whose closure has returned: it becomes pending, or is committed if it has the writer.
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
    case .writing: commit()
    case .aborted: queued.failure = .aborted
    case .failed(let failure): queued.failure = failure
    case .ended: break
    }
    if case .writing = last {
      core.committer.complete(queued)
    } else {
      core.committer.add(queued)
    }
    state = .ended
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

  /// Remembers the keys that rows have lost, so that an older object leads to its row.
  private func keepFormerKeys() {
    guard !set.formerKeys.isEmpty else { return }
    core.committer.withState { $0.formerKeys.append(contentsOf: set.formerKeys) }
  }
}

import Dflat
import DflatEngine
import Dispatch

/// The state shared by a workspace and the work in flight. It outlives the workspace until that work has ended.
final class SQLiteCore: Sendable {
  let database: Database
  let sequence: CommitSequence
  let scheduler: TransactionScheduler
  let completions: Completions
  let committer: Committer
  let catchUp: IndexCatchUp
  let observation: Observation
  let dictionary: DictionaryStore
  let reporter: ErrorReporter
  let events: StoreEvents
  /// Whether query events have handlers.
  let tellsOfQueries: SharedFlag
  /// Whether transactions run on a queue of the user, which may have few threads.
  let hasTargetQueue: Bool
  /// Calls the error handler later, on another thread. A thread that has the writer reports errors in this way, since
  /// the handler may wait for the writer.
  let reportLater: @Sendable (any Error) -> Void
  /// Calls the error handler. For the closure of a transaction, of this workspace or another one, another thread does:
  /// the handler may wait for the writer that the closure has.
  let reportFromAnyThread: @Sendable (any Error) -> Void

  init(
    path: String, role: SQLiteWorkspace.Role, fileProtection: SQLiteWorkspace.FileProtectionLevel,
    synchronous: SQLiteWorkspace.Synchronous, isSerial: Bool, targetQueue: DispatchQueue?,
    errorHandler: @escaping @Sendable (any Error) -> Void, folder: TemporaryFolder?
  ) {
    let reporter = ErrorReporter(errorHandler)
    let completions = Completions(targetQueue: targetQueue, reporter: reporter)
    let reportLater: @Sendable (any Error) -> Void = { error in
      // A forked child of a thread that runs a closure has no other thread, and never gets one.
      if reporter.forks.isInChild { return reporter.report(error) }
      completions.appendError(error)
      completions.makeCallsInBackground()
    }
    let reportFromAnyThread: @Sendable (any Error) -> Void = {
      CurrentTransaction.running == nil ? reporter.report($0) : reportLater($0)
    }
    // Not an error: observed results are updated when the store is resumed.
    let reportUnlessSuspended: @Sendable (any Error) -> Void = { error in
      if !(error is SuspensionError) { reportFromAnyThread(error) }
    }
    let sequence = CommitSequence()
    let keys = DictionaryCache()
    let opener = DatabaseOpener(path: path, role: role, fileProtection: fileProtection, synchronous: synchronous)
    let database = Database(
      opener, transactionsWait: targetQueue == nil, sequence: sequence,
      dictionary: DictionaryCommits(keys, completions), folder: folder, report: reportLater)
    let catchUp = IndexCatchUp(report: reportLater)
    let committer = Committer(
      database: database, sequence: sequence, completions: completions,
      requestCatchUp: { [weak catchUp] in catchUp?.request($0) })
    catchUp.start(database, committer)
    let watcher = ForeignCommitWatcher(opener.path.text) { [weak database] in
      do {
        try database?.lookForForeignCommits()
      } catch {
        reportUnlessSuspended(error)
      }
    }
    observation = Observation(
      feed: sequence, completions: completions, watcher: watcher, report: reportUnlessSuspended)
    dictionary = DictionaryStore(
      keys, database: database, committer: committer, sequence: sequence, completions: completions, watcher: watcher,
      report: reportFromAnyThread)
    sequence.setDictionary(dictionary)
    self.reporter = reporter
    hasTargetQueue = targetQueue != nil
    self.reportLater = reportLater
    self.reportFromAnyThread = reportFromAnyThread
    self.completions = completions
    scheduler = TransactionScheduler(
      completions: completions, targetQueue: targetQueue, order: isSerial ? .oneByOne : .byType)
    let flag = SharedFlag()
    tellsOfQueries = flag
    events = StoreEvents(scheduler) { flag.set($0) }
    self.sequence = sequence
    self.database = database
    self.catchUp = catchUp
    self.committer = committer
  }
}

extension SQLiteCore: StoreEngine {
  func report(_ error: any Error) {
    if let currentTransaction { currentTransaction.report(error) } else { reportFromAnyThread(error) }
  }

  /// Prepares to close. A suspended store is resumed first, so that waiting transactions are carried out.
  func prepareToClose(_ flags: WorkspaceShutdownFlag) {
    Suspension(self).end(isForGood: true)
    database.beginClosing(flags)
  }

  /// Closes the store. A later call carries out those of its flags that were not carried out before.
  func close() {
    scheduler.waitUntilIdle()
    dictionary.close()
    observation.close()
    catchUp.stop()
    committer.acquireWriter(.transaction)
    let outcome = Result { try database.close() }
    committer.releaseWriter()
    database.folder?.remove()
    // The program may end when this returns, and the error handler has to know before what is not stored.
    completions.waitForErrors()
    // The handler is told when nothing is held, since it may wait for another thread that shuts the workspace down.
    if case .failure(let error) = outcome { report(error) }
  }
}

extension SQLiteCore: TransactionRunner {
  func run(_ queued: QueuedTransaction) {
    let transaction = SQLiteTransaction(self, queued)
    CurrentTransaction.run(transaction) { queued.callChangesHandler(in: transaction) }
    transaction.end()
  }

  func closureHasEnded(hasNext: Bool) { committer.closureHasEnded(hasNext: hasNext) }
}

import Dflat
import Dispatch

/// An engine's part that runs transactions when the scheduler starts them.
package protocol TransactionRunner: AnyObject, Sendable {
  /// Calls the closure of a transaction, and hands the submitted changes on to be committed.
  func run(_ transaction: QueuedTransaction)

  /// Is called after `run` has returned and the closure was released.
  ///
  /// - Parameter hasNext: whether another closure is about to run, so that its transaction may be committed together
  ///   with this one.
  func closureHasEnded(hasNext: Bool)
}

/// Starts transactions that share a type in the order in which they were requested.
///
/// A transaction stands in the queue of each of its types, and joins all of them at once, under one lock. It starts when
/// it is the first in every one. The order is thus the same in all queues, so that no two can wait for each other.
package final class TransactionScheduler: Sendable {
  private let state = Guarded(State(), rank: .scheduler)
  private let completions: Completions
  private let target: TargetQueue
  private let order: Order

  /// Which transactions wait for each other.
  package enum Order: Sendable {
    /// Transactions that share a type wait for each other.
    case byType
    /// All transactions wait for each other.
    case oneByOne
    /// Transactions do not wait for each other, but at most so many run at the same time: for a database that orders
    /// them itself.
    case sideBySide(atMost: Int)
  }

  private struct State {
    /// The queue of each type that was ever named, also while it is empty.
    private var queues: [ObjectIdentifier: TransactionQueue] = [:]
    /// The queues that were looked up last, since most calls name the same types.
    private var latest: (types: [ObjectIdentifier], queues: [TransactionQueue]) = ([], [])
    var isStopped = false
    /// How many accepted transactions have a closure that has not returned.
    var unfinished = 0
    /// How many transactions were handed to a background thread, and have not begun.
    var starting = 0
    /// Whether query events, or transaction events, have handlers.
    var tellsOfQueries = false
    var tellsOfTransactions = false
    /// The feed of transaction events.
    var feed: EventFeed<TransactionEvent>?
    /// Whether closures that have not begun wait until `resume(_:)`.
    var isPaused = false
    /// The transactions that are ready, and wait for the end of the pause.
    var held: [QueuedTransaction] = []

    /// Keeps a ready transaction until the end of the pause, if there is one.
    ///
    /// - Returns: false if there is no pause, and the transaction may start.
    mutating func holdIfPaused(_ transaction: QueuedTransaction) -> Bool {
      if isPaused { held.append(transaction) }
      return isPaused
    }

    /// The queues of `Order.sideBySide`: as many as the transactions that may run at the same time.
    private var lanes: [TransactionQueue] = []

    /// Returns the queues in which a transaction waits.
    mutating func queues(of types: [ObjectIdentifier], _ order: Order) -> [TransactionQueue] {
      switch order {
      case .byType: queues(of: types)
      case .oneByOne: queues(of: [ObjectIdentifier(TransactionScheduler.self)])
      case .sideBySide(let limit): [shortestLane(of: limit)]
      }
    }

    private mutating func shortestLane(of limit: Int) -> TransactionQueue {
      if let shortest = lanes.min(by: { $0.count < $1.count }), shortest.count == 0 || lanes.count >= limit {
        return shortest
      }
      lanes.append(TransactionQueue())
      return lanes[lanes.count - 1]
    }

    private mutating func queues(of types: [ObjectIdentifier]) -> [TransactionQueue] {
      if types == latest.types { return latest.queues }
      var result: [TransactionQueue] = []
      result.reserveCapacity(types.count)
      for type in types {
        let queue = queues[type] ?? TransactionQueue()
        if !result.contains(where: { $0 === queue }) { result.append(queue) }
        queues[type] = queue
      }
      latest = (types, result)
      return result
    }

    /// Returns a new trace for a transaction. Returns nil if there is no feed, or if a handler of events has requested
    /// the transaction: such a transaction causes no events.
    func trace(_ types: [Any.Type]) -> TransactionTrace? {
      EventHandling.isActive ? nil : feed.map { TransactionTrace(types, $0) }
    }
  }

  /// Makes a scheduler without transactions.
  /// - Parameters:
  ///   - completions: calls the completion handlers of transactions once their runner has settled them.
  ///   - targetQueue: where closures run; nil for queues of their own.
  ///   - order: which transactions wait for each other.
  package init(completions: Completions, targetQueue: DispatchQueue?, order: Order) {
    self.completions = completions
    target = TargetQueue(targetQueue)
    self.order = order
  }

  // MARK: Running

  /// Enqueues a transaction, which `runner` runs in its turn, in the background. After `stop()`, only calls
  /// `completion`, with an error.
  ///
  /// - Parameters:
  ///   - namedTypes: the types that the caller passed when it requested the transaction.
  ///   - changesHandler: the closure.
  ///   - completion: is called with the failure when the transaction has ended; with nil if its changes are stored.
  package func enqueue(
    _ namedTypes: [Any.Type], for runner: any TransactionRunner,
    changesHandler: sending @escaping (any TransactionContext) -> Void,
    completion: sending ((TransactionError?) -> Void)?
  ) {
    // Safe: both closures were sent here, so no other code can use what they capture. Nothing here uses them once they
    // are in the transaction, which one thread at a time owns.
    nonisolated(unsafe) let (changesHandler, completion) = (changesHandler, completion)
    completions.expectCompletion()
    let types = namedTypes.map { ObjectIdentifier($0) }
    let (transaction, isFirst, isStopped) = state.withLock { state in
      let transaction = QueuedTransaction(
        types, queues: state.queues(of: types, order), changesHandler: changesHandler, completion: completion,
        trace: state.tellsOfTransactions ? state.trace(namedTypes) : nil,
        isOfHandler: (state.tellsOfQueries || state.tellsOfTransactions) && EventHandling.isActive)
      guard !state.isStopped else { return (transaction, false, true) }
      state.unfinished += 1
      for queue in transaction.queues where !queue.append(transaction) { transaction.predecessors += 1 }
      let isFirst = transaction.predecessors == 0 && !state.holdIfPaused(transaction)
      if isFirst { state.starting += 1 }
      return (transaction, isFirst, false)
    }
    if isStopped {
      completions.appendCompletion(of: transaction, .others(StoreError.shutDown))
      completions.makeCallsInBackground()
    } else if isFirst {
      start(transaction, runner)
    }
  }

  private func start(_ transaction: QueuedTransaction, _ runner: any TransactionRunner) {
    DispatchQueue.runInBackground(target: target.queue) {
      let mayRun = self.state.withLock { state in
        state.starting -= 1
        return !state.holdIfPaused(transaction)
      }
      if mayRun { self.run(transaction, runner) }
    }
  }

  /// Runs a transaction, and then on the same thread the transactions that become ready when it ends.
  private func run(_ first: QueuedTransaction, _ runner: any TransactionRunner) {
    var next: QueuedTransaction? = first
    while let transaction = next {
      releasingTemporaries {
        runner.run(transaction)
        transaction.releaseChangesHandler()
      }
      let following = finish(transaction)
      // Others start before a completion handler is called, so that the handler may wait for them.
      for transaction in following.others { start(transaction, runner) }
      next = following.first
      if let transaction = next, completions.haveNoCaller {
        if target.queue == nil {
          completions.makeCallsInBackground()
        } else {
          // The queue may have only one thread, which has to call the completions first.
          state.withLock { $0.starting += 1 }
          start(transaction, runner)
          next = nil
        }
      }
      runner.closureHasEnded(hasNext: next != nil || following.hasOthers)
    }
    completions.makeCalls()
  }

  /// The transactions that become ready when one has ended.
  private struct Following {
    /// The one that runs next on the same thread; nil if there is none.
    var first: QueuedTransaction?
    /// The ones that start on other threads. Mostly there are none, which needs no array.
    var others: [QueuedTransaction] = []
    /// Whether other transactions are about to start.
    var hasOthers = false
  }

  /// Removes the transaction from its queues, and returns those that are ready now.
  private func finish(_ transaction: QueuedTransaction) -> Following {
    let following = state.withLock { state in
      var following = Following()
      for queue in transaction.queues {
        guard let next = queue.removeFirst() else { continue }
        next.predecessors -= 1
        guard next.predecessors == 0, !state.holdIfPaused(next) else { continue }
        if following.first == nil {
          following.first = next
        } else {
          state.starting += 1
          following.others.append(next)
        }
      }
      following.hasOthers = state.starting > 0
      state.unfinished -= 1
      return following
    }
    state.notifyAll()
    return following
  }

  // MARK: Events

  func setTransactionFeed(_ feed: EventFeed<TransactionEvent>) { state.withLock { $0.feed = feed } }

  func setListening(toQueries isListening: Bool) { state.withLock { $0.tellsOfQueries = isListening } }

  func setListening(toTransactions isListening: Bool) { state.withLock { $0.tellsOfTransactions = isListening } }

  // MARK: Pausing

  /// Makes closures that have not begun wait until `resume(_:)` is called.
  package func pause() { state.withLock { $0.isPaused = true } }

  /// Ends a pause: `runner` runs the transactions that have waited.
  package func resume(_ runner: any TransactionRunner) {
    let held = state.withLock { state in
      state.isPaused = false
      state.starting += state.held.count
      defer { state.held = [] }
      return state.held
    }
    for transaction in held { start(transaction, runner) }
  }

  // MARK: Stopping

  /// Records that a task has been cancelled.
  package func cancel(_ task: TaskCancellation) { state.withLock { _ in task.isCancelled = true } }

  package func isCancelled(_ task: TaskCancellation) -> Bool { state.withLock { _ in task.isCancelled } }

  /// Makes `enqueue` refuse transactions from now on.
  package func stop() { state.withLock { $0.isStopped = true } }

  /// Whether the calling thread is the only one of the target queue, and calls wait for that queue. `waitUntilIdle()` would
  /// then wait for ever, or a shutdown in vain for the error handler. May take half a second.
  package var isKeptByCallingThread: Bool {
    let isIdle = state.withLock { $0.unfinished == 0 } && completions.areComplete
    return !isIdle && target.isKeptByCallingThread
  }

  /// Waits until all accepted transactions have ended and their completion handlers have returned, except handlers that
  /// wait here themselves.
  package func waitUntilIdle() {
    state.wait { state -> Void? in state.unfinished > 0 ? nil : () }
    completions.waitUntilComplete()
  }
}

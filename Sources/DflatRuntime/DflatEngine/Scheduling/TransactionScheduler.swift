import Dflat
import Dispatch
import Foundation

/// Runs transactions when it is their turn.
package protocol TransactionRunner: AnyObject, Sendable {
  /// Calls the closure of a transaction, and hands what that has submitted on to be committed.
  func run(_ transaction: QueuedTransaction)

  /// The closure has been released, and what it has submitted is pending.
  ///
  /// - Parameter hasNext: whether another closure goes on at once, so that its transaction may be committed together with this.
  func closureHasEnded(hasNext: Bool)
}

/// Starts transactions in the order in which they were asked for, as far as they share a type; and calls their completions.
///
/// A transaction stands in the queue of each of its types, and joins all of them at once, under one lock. It starts when
/// it is the first in every one. The order is thus the same in all queues, so that no two can wait for each other.
package final class TransactionScheduler: Sendable {
  private let state = Guarded(State(), rank: .scheduler)
  private let targetQueue: DispatchQueue?
  private let isSerial: Bool
  private let report: @Sendable (any Error) -> Void

  private struct State {
    /// One for each type that was ever named, also while it is empty.
    private var queues: [ObjectIdentifier: TransactionQueue] = [:]
    /// The queues that were asked for last, since the same types are mostly named many times.
    private var latest: (types: [ObjectIdentifier], queues: [TransactionQueue]) = ([], [])
    var isStopped = false
    /// Transactions that have been accepted, and whose closures have not returned.
    var unfinished = 0
    /// Transactions whose completion handlers have not returned.
    var incomplete = 0
    /// Transactions that are ready, and whose closures have not begun.
    var starting = 0
    var completions = CompletionQueue()
    /// Threads that wait for everything to be complete from within a completion handler.
    var waitingHandlers = 0

    mutating func queues(of types: [ObjectIdentifier]) -> [TransactionQueue] {
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
  }

  /// The scheduler whose completion handler is running on the thread.
  private static let completing = ThreadSlot()
  /// The scheduler that calls a subscriber's callback on the thread.
  private static let calling = ThreadSlot()

  /// - Parameters:
  ///   - targetQueue: where closures and completion handlers run; nil for queues of their own.
  ///   - isSerial: whether all transactions wait for each other, whatever their types.
  ///   - report: calls the error handler.
  package init(targetQueue: DispatchQueue?, isSerial: Bool, report: @escaping @Sendable (any Error) -> Void) {
    self.targetQueue = targetQueue
    self.isSerial = isSerial
    self.report = report
  }

  // MARK: Running

  /// Has `runner` run a transaction in its turn, in the background. After `stop()`, only `completion` is called, with an error.
  ///
  /// - Parameters:
  ///   - types: the types that the transaction has named.
  ///   - changesHandler: its closure.
  ///   - completion: is called when it has ended.
  package func enqueue(
    _ types: [ObjectIdentifier], for runner: any TransactionRunner,
    changesHandler: sending @escaping (any TransactionContext) -> Void,
    completion: sending ((TransactionError?) -> Void)?
  ) {
    // Safe: both closures were sent here, so nobody else can use what they capture, and nothing here uses them after they have
    // gone to the transaction, which one thread at a time has.
    nonisolated(unsafe) let (changesHandler, completion) = (changesHandler, completion)
    let isInCallback = TransactionScheduler.calling.unmanagedObject != nil
    let queueTypes = isSerial ? [ObjectIdentifier(TransactionScheduler.self)] : types
    let (transaction, isFirst, isStopped) = state.withLock { state in
      // The callback may wait for the transaction, and so for completion handlers that wait for the callback.
      if isInCallback { state.completions.endWaitingForCallback() }
      let transaction = QueuedTransaction(
        types, queues: state.queues(of: queueTypes), changesHandler: changesHandler, completion: completion)
      state.incomplete += 1
      guard !state.isStopped else { return (transaction, false, true) }
      state.unfinished += 1
      for queue in transaction.queues where !queue.append(transaction) { transaction.predecessors += 1 }
      if transaction.predecessors == 0 { state.starting += 1 }
      return (transaction, transaction.predecessors == 0, false)
    }
    if isStopped {
      settle(.completion(transaction, .others))
      completeInBackground()
    } else if isFirst {
      start(transaction, runner)
    }
  }

  private func start(_ transaction: QueuedTransaction, _ runner: any TransactionRunner) {
    inBackground {
      self.state.withLock { $0.starting -= 1 }
      self.run(transaction, runner)
    }
  }

  /// Runs a transaction, and on the same thread those that come after it.
  private func run(_ first: QueuedTransaction, _ runner: any TransactionRunner) {
    var next: QueuedTransaction? = first
    while let transaction = next {
      releasingTemporaries {
        runner.run(transaction)
        transaction.releaseChangesHandler()
      }
      let following = finish(transaction)
      // Others start before a completion handler is called, which may thus wait for them.
      for transaction in following.others { start(transaction, runner) }
      next = following.first
      if following.needsCaller, let transaction = next {
        if targetQueue == nil {
          completeInBackground()
        } else {
          // The queue may have one thread, which is to call the completions first.
          state.withLock { $0.starting += 1 }
          start(transaction, runner)
          next = nil
        }
      }
      runner.closureHasEnded(hasNext: next != nil || following.hasOthers)
    }
    complete()
  }

  /// What starts after a transaction has ended.
  private struct Following {
    /// Runs on the same thread.
    var first: QueuedTransaction?
    /// Mostly there are none, which needs no array.
    var others: [QueuedTransaction] = []
    /// Whether other transactions are about to start.
    var hasOthers = false
    /// Whether completions wait, and no thread calls them.
    var needsCaller = false
  }

  /// Takes the transaction out of its queues.
  private func finish(_ transaction: QueuedTransaction) -> Following {
    let following = state.withLock { state in
      var following = Following()
      for queue in transaction.queues {
        guard let next = queue.removeFirst() else { continue }
        next.predecessors -= 1
        guard next.predecessors == 0 else { continue }
        if following.first == nil {
          following.first = next
        } else {
          state.starting += 1
          following.others.append(next)
        }
      }
      following.hasOthers = state.starting > 0
      following.needsCaller = state.completions.needsCaller
      state.unfinished -= 1
      return following
    }
    state.notifyAll()
    return following
  }

  /// Runs `body` on a queue of its own. Closures may wait for each other; on a shared concurrent queue, whose threads are
  /// about as many as the processors, the one that is waited for might not get a thread.
  private func inBackground(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "dflat.transaction", target: targetQueue).async(execute: body)
  }

  // MARK: Completing

  /// Says how a transaction has ended, or what else users are to be told. The calls are made in the order in which this is said, by
  /// `complete()`.
  package func settle(_ call: CompletionQueue.Call) {
    if state.withLock({ $0.completions.append(call) }) { CompletionWatchdog.shared.watch(self) }
  }

  /// Says several things at once.
  package func settle(all calls: [CompletionQueue.Call]) {
    guard !calls.isEmpty else { return }
    if state.withLock({ $0.completions.append(contentsOf: calls) }) { CompletionWatchdog.shared.watch(self) }
  }

  /// Makes the calls that wait, on this thread, unless another thread does so.
  package func complete() { becomeCaller(wasRequested: false) }

  private func becomeCaller(wasRequested: Bool) {
    if let number = state.withLock({ $0.completions.becomeCaller(wasRequested: wasRequested) }) {
      makeCalls(as: number)
    }
  }

  private func makeCalls(as number: UInt64) {
    // One lock for each call: it ends the call before, and begins the next.
    var hasCompleted = false
    while true {
      let (call, isAwaited): (CompletionQueue.Call?, Bool) = state.withLock { state in
        if hasCompleted { state.incomplete -= 1 }
        return (state.completions.next(for: number), hasCompleted && state.incomplete <= state.waitingHandlers)
      }
      if isAwaited { state.notifyAll() }
      switch call {
      case .error(let error): report(error)
      case .completion(let transaction, let failure): complete(transaction, failure)
      case .observation(let observation, let call): callBack { observation.make(call) }
      case .dictionary(let call): callBack(call)
      case nil: return
      }
      if case .completion = call { hasCompleted = true } else { hasCompleted = false }
    }
  }

  private func complete(_ transaction: QueuedTransaction, _ failure: TransactionError?) {
    guard let completion = transaction.takeCompletion() else { return }
    let outer = TransactionScheduler.completing.object
    TransactionScheduler.completing.object = self
    completion(failure)
    TransactionScheduler.completing.object = outer
  }

  private func callBack(_ call: () -> Void) {
    let outer = TransactionScheduler.calling.object
    TransactionScheduler.calling.object = self
    call()
    TransactionScheduler.calling.object = outer
  }

  /// Makes the calls that wait, in the background, unless a thread is doing so.
  package func completeInBackground() {
    guard state.withLock({ $0.completions.requestCaller() }) else { return }
    inBackground { self.becomeCaller(wasRequested: true) }
  }

  /// Has other threads go on with what waits for a call that takes long.
  func lookForLongCalls() -> CompletionWatchdog.Finding {
    let (isIdle, needsCaller) = state.withLock { state in
      let isIdle = state.completions.endWatchIfIdle()
      return (isIdle, !isIdle && state.completions.requestCaller())
    }
    if isIdle { return .idle }
    guard needsCaller else { return .busy }
    // Handlers may block any number of threads, more than a queue has.
    if targetQueue != nil {
      inBackground { self.becomeCaller(wasRequested: true) }
    } else {
      Thread.detachNewThread { self.becomeCaller(wasRequested: true) }
    }
    return .heldUp
  }

  // MARK: Stopping

  /// Notes that a task has been cancelled.
  package func cancel(_ task: TaskCancellation) { state.withLock { _ in task.isCancelled = true } }

  package func isCancelled(_ task: TaskCancellation) -> Bool { state.withLock { _ in task.isCancelled } }

  /// Accepts no more transactions.
  package func stop() { state.withLock { $0.isStopped = true } }

  /// Waits until all accepted transactions have ended and their completion handlers have returned; but for the handlers that
  /// wait here themselves.
  package func waitUntilIdle() {
    let isCompleting = TransactionScheduler.completing.object === self
    if isCompleting {
      state.withLock { $0.waitingHandlers += 1 }
      state.notifyAll()
    }
    state.wait { state -> Void? in
      state.unfinished > 0 || state.incomplete > state.waitingHandlers ? nil : ()
    }
    if isCompleting { state.withLock { $0.waitingHandlers -= 1 } }
  }
}

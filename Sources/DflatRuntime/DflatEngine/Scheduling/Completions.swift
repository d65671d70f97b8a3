import Dflat
import FlatBuffersCore
import Dispatch
import Foundation

/// Calls the completion handlers of a workspace, its subscribers' callbacks and its error handler, in the order of the
/// commits.
///
/// Threads that commit append the calls, and make them when no lock is held. One thread at a time makes them, so that
/// handlers of one type begin in order, and subscribers are told before the completions of the commit. When a call is
/// slow, a watching thread starts another thread for the next one, so that a slow handler delays no other.
package final class Completions: Sendable {
  private let state = Guarded(State(), rank: .completions)
  private let targetQueue: DispatchQueue?
  private let reporter: ErrorReporter

  private struct State {
    var queue = CompletionQueue()
    /// How many transactions have a completion handler that has not returned.
    var incomplete = 0
    /// How many errors were appended for which the error handler has not returned.
    var unreported = 0
    /// How many completion handlers wait in `waitUntilComplete()`.
    var waitingHandlers = 0
  }

  /// The `Completions` whose completion handler is running on the thread.
  private static let completing = ThreadLocal()
  /// The `RunningCallback` of the subscriber's callback that is running on the thread.
  private static let calling = ThreadLocal()

  private final class RunningCallback {
    let completions: Completions
    let number: UInt64

    init(_ completions: Completions, _ number: UInt64) { (self.completions, self.number) = (completions, number) }
  }

  /// How many seconds the watching thread sleeps between two looks.
  private static let pause = 0.005
  /// How many seconds the watching thread sleeps after it has started a caller: as long as a call may take.
  private static let pauseIfHeldUp = 0.001

  /// Makes the completions of a workspace.
  /// - Parameters:
  ///   - targetQueue: where the calls are made in the background; nil for queues of their own.
  ///   - reporter: calls the error handler.
  package init(targetQueue: DispatchQueue?, reporter: ErrorReporter) {
    self.targetQueue = targetQueue
    self.reporter = reporter
  }

  /// Sets how long a completion handler waits for callbacks at most: a second unless it is set. Tests that expect
  /// callbacks before completions set a longer time, since a busy machine may keep a thread waiting for seconds.
  package func setLongestWait(_ time: DispatchTimeInterval) { state.withLock { $0.queue.longestWait = time } }

  // MARK: Appending

  /// Records a new transaction, whose completion will be appended.
  func expectCompletion() {
    let callback = runningCallback
    state.withLock { state in
      state.incomplete += 1
      // The callback may wait for the transaction, and its completion handler would wait for the callback.
      state.queue.endWaiting(forCallback: callback)
    }
  }

  /// The number that no callback has.
  package static let noCallback: UInt64 = 0

  /// The number of this workspace's callback, or delivery, that is running on the thread; `noCallback` if none is.
  package var runningCallback: UInt64 {
    guard let running = Completions.calling.object as? RunningCallback, running.completions === self else {
      return Completions.noCallback
    }
    return running.number
  }

  /// Calls `body`, which tells subscribers on the calling thread. If the thread is in no callback, completions can wait
  /// for it as for one, once a callback finds that it tells what the callback was to tell.
  ///
  /// - Parameter body: is called with the number of the callback, or of the delivery if the thread is in none. The caller
  ///   holds no lock.
  package func tellSubscribers(_ body: (_ callback: UInt64) -> Void) {
    let callback = runningCallback
    guard callback == Completions.noCallback else { return body(callback) }
    let number = state.withLock { $0.queue.beginDelivery() }
    run({ body(number) }, as: RunningCallback(self, number), in: Completions.calling)
    if state.withLock({ $0.queue.endDelivery(number) }) { makeCallsInBackground() }
  }

  /// Lets the completions that wait for the callback on the calling thread wait for another one, too, if that has not
  /// returned: it tells a subscriber what the former was to tell.
  ///
  /// - Parameter other: the number of the other callback.
  package func wait(forCallback other: UInt64) {
    let callback = runningCallback
    state.withLock { $0.queue.wait(forCallback: other, asFor: callback) }
  }

  /// Appends the completion of a transaction that has ended.
  package func appendCompletion(of transaction: QueuedTransaction, _ failure: TransactionError?) {
    transaction.trace?.end(failure)
    if state.withLock({ $0.queue.append(.completion(transaction, failure)) }) { watch() }
  }

  /// Appends the completions of transactions that have ended, in this order.
  package func appendCompletions(of transactions: ArraySlice<QueuedTransaction>) {
    for transaction in transactions { transaction.trace?.end(transaction.failure) }
    let needsWatch = state.withLock { state in
      var needsWatch = false
      for transaction in transactions where state.queue.append(.completion(transaction, transaction.failure)) {
        needsWatch = true
      }
      return needsWatch
    }
    if needsWatch { watch() }
  }

  /// Appends a call of the error handler.
  /// - Parameters:
  ///   - depth: the `HandlerDepth` of the work that has failed.
  ///   - isOfHandler: whether a handler of events has done that work.
  package func appendError(
    _ error: any Error, depth: Int = HandlerDepth.current, isOfHandler: Bool = EventHandling.isActive
  ) {
    let needsWatch = state.withLock { state in
      state.unreported += 1
      return state.queue.append(.error(error, depth: depth, isOfHandler: isOfHandler))
    }
    if needsWatch { watch() }
  }

  /// Appends callbacks, each of which tells a subscriber, before the completions that are appended later. If a running
  /// callback appends them, completions that wait for that callback wait for these, too.
  package func appendCallbacks(_ callbacks: [() -> Void]) {
    guard !callbacks.isEmpty else { return }
    let parent = runningCallback
    if state.withLock({ $0.queue.append(callbacks, of: parent) }) { watch() }
  }

  /// Appends a callback that goes on with the work of the running one, and comes before all others. With a target
  /// queue, it comes after what waits for that queue: otherwise no transaction would run on a serial one while the work
  /// goes on and on. Completions that wait for the running callback wait for this one, too.
  package func appendContinuation(_ callback: @escaping @Sendable () -> Void) {
    guard targetQueue != nil else { return appendCallbacks([callback]) }
    let parent = runningCallback
    // It stands for the callback until that is appended: completions wait for both as for the running one.
    let number = state.withLock { state in
      let number = state.queue.beginDelivery()
      state.queue.wait(forCallback: number, asFor: parent)
      return number
    }
    DispatchQueue.runInBackground(target: targetQueue) {
      let needsWatch = self.state.withLock { state in
        let needsWatch = state.queue.append([callback], of: number)
        _ = state.queue.endDelivery(number)
        return needsWatch
      }
      if needsWatch { self.watch() }
      self.makeCalls()
    }
  }

  // MARK: Calling

  /// Makes the waiting calls on this thread, unless another thread makes them.
  package func makeCalls() { makeCalls(wasRequested: false) }

  /// Makes the waiting calls in the background, unless another thread makes them.
  package func makeCallsInBackground() {
    guard state.withLock({ $0.queue.requestCaller() }) else { return }
    DispatchQueue.runInBackground(target: targetQueue) { self.makeCalls(wasRequested: true) }
  }

  /// Whether calls can be made, and no thread makes them or is about to make them.
  var haveNoCaller: Bool { state.withLock { $0.queue.needsCaller() } }

  private func makeCalls(wasRequested: Bool) {
    guard let number = state.withLock({ $0.queue.becomeCaller(wasRequested: wasRequested) }) else { return }
    // One lock for each call: it ends the call before, and begins the next.
    var ended: CompletionQueue.Call?
    while true {
      let (call, isAwaited): (CompletionQueue.Call?, Bool) = state.withLock { state in
        var isAwaitedEnd = false
        switch ended {
        case .completion:
          state.incomplete -= 1
          isAwaitedEnd = state.incomplete <= state.waitingHandlers
        case .callback(_, let number): state.queue.endWaiting(forCallback: number)
        case .error:
          state.unreported -= 1
          isAwaitedEnd = state.unreported == 0
        case nil: break
        }
        return (state.queue.next(for: number), isAwaitedEnd)
      }
      if isAwaited { state.notifyAll() }
      guard let call else { return }
      make(call)
      ended = call
    }
  }

  private func make(_ call: CompletionQueue.Call) {
    switch call {
    case .error(let error, let depth, let isOfHandler):
      EventHandling.$isActive.withValue(isOfHandler) { reporter.report(error, at: depth) }
    case .callback(let call, let number):
      run(call, as: RunningCallback(self, number), in: Completions.calling)
    case .completion(let transaction, let failure):
      if let completion = transaction.takeCompletion() {
        run({ completion(failure) }, as: self, in: Completions.completing)
      }
    }
  }

  private func run(_ call: () -> Void, as object: AnyObject, in slot: ThreadLocal) {
    let outer = slot.object
    slot.object = object
    withExtendedLifetime(object, call)
    slot.object = outer
  }

  // MARK: Watching

  /// Starts the watching thread. It starts another caller whenever a call is slow, and ends when nothing is left to be
  /// called.
  private func watch() {
    Thread.detachNewThread {
      var pause = Completions.pause
      while true {
        Thread.sleep(forTimeInterval: pause)
        let (isIdle, needsCaller) = self.state.withLock { state in
          let isIdle = state.queue.endWatchIfIdle()
          return (isIdle, !isIdle && state.queue.requestCaller())
        }
        if isIdle { return }
        if needsCaller { self.startCaller() }
        pause = needsCaller ? Completions.pauseIfHeldUp : Completions.pause
      }
    }
  }

  /// Starts another thread for the calls that wait behind a slow one.
  private func startCaller() {
    if targetQueue != nil {
      DispatchQueue.runInBackground(target: targetQueue) { self.makeCalls(wasRequested: true) }
    } else {
      // Handlers may block any number of threads, more than a dispatch queue has.
      Thread.detachNewThread { self.makeCalls(wasRequested: true) }
    }
  }

  // MARK: Waiting

  /// Waits until the callbacks that were appended before have returned, as a completion handler does: for a second at
  /// most, and not for a callback that has requested a transaction.
  package func waitForCallbacks() {
    let haveReturned = DispatchSemaphore(value: 0)
    expectCompletion()
    appendCompletion(
      of: QueuedTransaction([], queues: [], changesHandler: { _ in }, completion: { _ in haveReturned.signal() }), nil)
    makeCallsInBackground()
    haveReturned.wait()
  }

  /// The most time that a completion handler waits for callbacks, and that a shutdown waits for the error handler.
  package var longestWait: DispatchTimeInterval { state.withLock { $0.queue.longestWait } }

  /// Waits until the error handler has returned for all errors that were appended before: for a second at most, since the
  /// handler may wait for the calling thread.
  package func waitForErrors() {
    let now = DispatchTime.now()
    let nanoseconds = (now + longestWait).uptimeNanoseconds - now.uptimeNanoseconds
    _ = state.wait(atMost: Double(nanoseconds) / 1e9) { state -> Void? in state.unreported > 0 ? nil : () }
  }

  /// Whether the error handler has returned for all errors, and all expected completion handlers have returned, except
  /// the one that the calling thread is in and those that wait for the others.
  var areComplete: Bool {
    let own = Completions.completing.object === self ? 1 : 0
    return state.withLock { $0.incomplete - $0.waitingHandlers <= own && $0.unreported == 0 }
  }

  /// Waits until all expected completion handlers have returned, except those that wait here themselves.
  func waitUntilComplete() {
    let isCompleting = Completions.completing.object === self
    if isCompleting {
      state.withLock { $0.waitingHandlers += 1 }
      state.notifyAll()
    }
    state.wait { state -> Void? in state.incomplete > state.waitingHandlers ? nil : () }
    if isCompleting { state.withLock { $0.waitingHandlers -= 1 } }
  }
}

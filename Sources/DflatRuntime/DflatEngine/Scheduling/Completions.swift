import Dflat
import FlatBuffersCore
import Dispatch
import Foundation

/// Calls the completion handlers of a workspace, and what else its users are to be told, in the order of the commits.
///
/// Calls are appended by the threads that commit, and made when nothing is locked. One thread at a time makes them, so that
/// handlers of one type run in order and subscribers are told before the completions of the commit. When a call takes long, a
/// watching thread has another thread go on with the next, so that a slow handler keeps nobody else waiting.
package final class Completions: Sendable {
  private let state = Guarded(State(), rank: .completions)
  private let targetQueue: DispatchQueue?
  private let report: @Sendable (any Error) -> Void

  private struct State {
    var queue = CompletionQueue()
    /// Transactions whose completion handlers have not returned.
    var incomplete = 0
    /// Threads that wait for everything to be complete from within a completion handler.
    var waitingHandlers = 0
  }

  /// The `Completions` whose completion handler is running on the thread.
  private static let completing = ThreadLocal()
  /// The `Completions` that calls a subscriber's callback on the thread.
  private static let calling = ThreadLocal()

  /// How many seconds the watching thread sleeps between two looks; and while a call takes long, as many as one may take.
  private static let pause = 0.005
  private static let pauseIfHeldUp = 0.001

  /// - Parameters:
  ///   - targetQueue: where the calls are made in the background; nil for queues of their own.
  ///   - report: calls the error handler.
  package init(targetQueue: DispatchQueue?, report: @escaping @Sendable (any Error) -> Void) {
    self.targetQueue = targetQueue
    self.report = report
  }

  // MARK: Appending

  /// Notes that a transaction was asked for, whose completion will be appended.
  func expectCompletion() {
    let isInCallback = Completions.calling.unmanagedObject != nil
    state.withLock { state in
      state.incomplete += 1
      // The callback may wait for the transaction, and so for completion handlers that wait for the callback.
      if isInCallback { state.queue.endWaitingForCallback() }
    }
  }

  /// Appends a call, which `makeCalls()` makes after those before it.
  package func append(_ call: CompletionQueue.Call) {
    if state.withLock({ $0.queue.append(call) }) { watch() }
  }

  /// Appends several calls.
  package func append(contentsOf calls: [CompletionQueue.Call]) {
    guard !calls.isEmpty else { return }
    if state.withLock({ $0.queue.append(contentsOf: calls) }) { watch() }
  }

  // MARK: Calling

  /// Makes the calls that wait, on this thread, unless another thread does so.
  package func makeCalls() { makeCalls(wasRequested: false) }

  /// Makes the calls that wait, in the background, unless a thread is doing so.
  package func makeCallsInBackground() {
    guard state.withLock({ $0.queue.requestCaller() }) else { return }
    DispatchQueue.runInBackground(target: targetQueue) { self.makeCalls(wasRequested: true) }
  }

  /// Whether calls wait, and no thread makes them.
  var haveNoCaller: Bool { state.withLock { $0.queue.needsCaller } }

  private func makeCalls(wasRequested: Bool) {
    guard let number = state.withLock({ $0.queue.becomeCaller(wasRequested: wasRequested) }) else { return }
    // One lock for each call: it ends the call before, and begins the next.
    var hasCompleted = false
    while true {
      let (call, isAwaited): (CompletionQueue.Call?, Bool) = state.withLock { state in
        if hasCompleted { state.incomplete -= 1 }
        return (state.queue.next(for: number), hasCompleted && state.incomplete <= state.waitingHandlers)
      }
      if isAwaited { state.notifyAll() }
      hasCompleted = false
      switch call {
      case .error(let error): report(error)
      case .callback(let call): run(call, in: Completions.calling)
      case .completion(let transaction, let failure):
        if let completion = transaction.takeCompletion() { run({ completion(failure) }, in: Completions.completing) }
        hasCompleted = true
      case nil: return
      }
    }
  }

  private func run(_ call: () -> Void, in slot: ThreadLocal) {
    let outer = slot.object
    slot.object = self
    call()
    slot.object = outer
  }

  // MARK: Watching

  /// Starts a thread that looks whether a call takes long, until nothing is left to be called.
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

  /// Has another thread go on with what waits for a call that takes long.
  private func startCaller() {
    if targetQueue != nil {
      DispatchQueue.runInBackground(target: targetQueue) { self.makeCalls(wasRequested: true) }
    } else {
      // Handlers may block any number of threads, more than a queue has.
      Thread.detachNewThread { self.makeCalls(wasRequested: true) }
    }
  }

  // MARK: Waiting

  /// Waits until all expected completion handlers have returned, but for the handlers that wait here themselves.
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

import Dflat
import Dispatch

/// The calls that wait to be made, in the order of the commits, and the thread that makes them. Guarded by `Completions`.
///
/// One thread makes the calls, one after another. When a call takes long, another thread goes on with the next: a completion
/// handler may wait for a transaction that was committed with its own.
package struct CompletionQueue {
  package enum Call {
    case completion(QueuedTransaction, TransactionError?)
    case error(any Error)
    /// Tells subscribers what has changed.
    case callback(() -> Void)

    fileprivate var isCallback: Bool { if case .callback = self { true } else { false } }
  }

  private var waiting: ContiguousArray<Call> = []
  private var first = 0
  /// The thread that makes the calls, by its number; nil if there is none.
  private var caller: UInt64?
  private var callerCount: UInt64 = 0
  /// Whether a thread was started that makes the calls, and has not begun to.
  private var isCallerComing = false
  /// When the call began that the caller is in, or one of those shortly before it.
  private var callBegan = DispatchTime.now()
  /// How many calls have begun since the caller's first one.
  private var callCount = 0
  private var isWatched = false
  /// How many calls have come since the last look at them.
  private var recentCount = 0
  /// How long the call that the caller is in may take.
  private var limit = CompletionQueue.longCall

  /// How long a call may take before another thread goes on with the next one.
  package static let longCall = DispatchTimeInterval.milliseconds(1)

  /// How long a subscriber's callback may take before another thread goes on with the next call: completion handlers wait for
  /// callbacks, but not for ever.
  package static let longCallback = DispatchTimeInterval.seconds(1)

  package var isEmpty: Bool { first == waiting.count }

  /// - Returns: whether the watch has to be started.
  package mutating func append(_ call: Call) -> Bool {
    waiting.append(call)
    recentCount += 1
    return beginWatch()
  }

  /// Appends several calls.
  ///
  /// - Returns: whether the watch has to be started.
  package mutating func append(contentsOf calls: [Call]) -> Bool {
    waiting.append(contentsOf: calls)
    recentCount += calls.count
    return beginWatch()
  }

  private mutating func beginWatch() -> Bool {
    defer { isWatched = true }
    return !isWatched
  }

  /// Whether no thread makes the calls that wait, or the one that does is in a call that takes long.
  private var hasNoCaller: Bool { !isEmpty && (caller == nil || DispatchTime.now() > callBegan + limit) }

  /// Whether a thread has to be started that makes calls.
  package var needsCaller: Bool { !isCallerComing && hasNoCaller }

  /// Records that a thread is started that makes calls, so that no other is.
  ///
  /// - Returns: false if none is needed.
  package mutating func requestCaller() -> Bool {
    guard needsCaller else { return false }
    isCallerComing = true
    return true
  }

  /// Makes the asking thread the caller, unless another one makes calls, and does not take long.
  ///
  /// - Parameter wasRequested: whether the thread was started by `requestCaller()`.
  /// - Returns: the caller's number; nil if the calls are made without the thread.
  package mutating func becomeCaller(wasRequested: Bool) -> UInt64? {
    if wasRequested { isCallerComing = false }
    guard hasNoCaller else { return nil }
    callerCount += 1
    caller = callerCount
    callCount = 0
    callBegan = .now()
    return callerCount
  }

  /// The next call; nil if there is none, or another thread makes the calls now.
  package mutating func next(for number: UInt64) -> Call? {
    guard caller == number else { return nil }
    if first == waiting.count {
      caller = nil
      return nil
    }
    let next = waiting[first]
    first += 1
    if first == waiting.count {
      // One by one, since mostly it is one: to remove all at once takes longer.
      while waiting.popLast() != nil {}
      first = 0
    } else if first >= 64, first * 2 >= waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    // To ask for the time takes as long as a short call. If this one takes long, that is noticed the sooner.
    // Callbacks are called one by one, and each has the time that it may take.
    let isCallback = next.isCallback
    if isCallback || callCount % 16 == 15 { callBegan = .now() }
    callCount += 1
    limit = isCallback ? CompletionQueue.longCallback : CompletionQueue.longCall
    return next
  }

  /// The callback that the caller is in waits for something that needs other calls: it is not waited for any longer.
  package mutating func endWaitingForCallback() { limit = CompletionQueue.longCall }

  /// Ends the watch if nothing is left to watch, and little has come since the last look. Where much comes, the next call would
  /// begin the watch again, which takes longer than to go on with it.
  package mutating func endWatchIfIdle() -> Bool {
    let isIdle = isEmpty && recentCount < 2
    recentCount = 0
    if isIdle { isWatched = false }
    return isIdle
  }
}

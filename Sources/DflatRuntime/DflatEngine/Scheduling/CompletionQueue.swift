import Dflat
import Dispatch

/// What users are to be told, in the order of the commits: errors, and how transactions have ended. Guarded by the scheduler.
///
/// One thread makes the calls, one after another. When a call takes long, another thread goes on with the next: a completion
/// handler may wait for a transaction that was committed with its own.
package struct CompletionQueue {
  package enum Call {
    case completion(QueuedTransaction, TransactionError?)
    case error(any Error)
    case observation(Observation, Observation.Call)
    /// Tells subscribers of keys of the dictionary.
    case dictionary(@Sendable () -> Void)
  }

  private var waiting: ContiguousArray<Call> = []
  private var first = 0
  /// The thread that makes the calls, by its number; nil if there is none.
  private var caller: UInt64?
  private var callerCount: UInt64 = 0
  /// When the call began that the caller is in, or one of those shortly before it.
  private var callBegan = DispatchTime.now()
  /// How many calls have begun since the caller's first one.
  private var callCount = 0
  private var isWatched = false
  /// How long the call that the caller is in may take.
  private var limit = CompletionQueue.longCall

  /// How long a call may take before another thread goes on with the next one.
  package static let longCall = DispatchTimeInterval.milliseconds(1)

  /// The same for callbacks of subscribers, which completion handlers wait for; but not for ever.
  package static let longCallback = DispatchTimeInterval.seconds(1)

  /// How often the watchdog looks whether a call takes long, while calls wait.
  package static let watchdogInterval = DispatchTimeInterval.milliseconds(5)

  package var isEmpty: Bool { first == waiting.count }

  /// - Returns: whether the watchdog has to be started.
  package mutating func append(_ calls: some Collection<Call>) -> Bool {
    waiting.append(contentsOf: calls)
    defer { isWatched = true }
    return !isWatched
  }

  /// Makes the asking thread the caller, unless another one makes calls, and does not take long.
  ///
  /// - Returns: the caller's number; nil if the calls are made without the thread.
  package mutating func becomeCaller() -> UInt64? {
    if isEmpty || caller != nil && !isHeldUp { return nil }
    callerCount += 1
    caller = callerCount
    callCount = 0
    return callerCount
  }

  /// The next call; nil if there is none, or another thread makes the calls now.
  package mutating func next(for number: UInt64) -> Call? {
    guard caller == number else { return nil }
    guard first < waiting.count else {
      caller = nil
      return nil
    }
    let next = waiting[first]
    first += 1
    if first * 2 >= waiting.count, first >= 64 || first == waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    // To ask for the time takes as long as a short call. If this one takes long, that is noticed the sooner.
    // Callbacks are called one by one, and each has the time that it may take.
    let isCallback =
      switch next {
      case .observation, .dictionary: true
      case .completion, .error: false
      }
    if isCallback || callCount % 16 == 0 { callBegan = .now() }
    callCount += 1
    limit = isCallback ? CompletionQueue.longCallback : CompletionQueue.longCall
    return next
  }

  /// The callback that the caller is in waits for something that needs other calls: it is not waited for any longer.
  package mutating func endWaitingForCallback() { limit = CompletionQueue.longCall }

  private var isHeldUp: Bool { DispatchTime.now() > callBegan + limit }

  /// Whether a thread is needed that makes calls.
  package var needsCaller: Bool { !isEmpty && (caller == nil || isHeldUp) }

  /// Ends the watch if nothing is left to watch.
  package mutating func endWatchIfEmpty() -> Bool {
    if isEmpty { isWatched = false }
    return isEmpty
  }
}

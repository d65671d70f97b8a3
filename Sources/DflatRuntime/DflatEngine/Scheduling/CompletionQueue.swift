import Dflat
import Dispatch

/// What users are to be told, in the order of the commits: errors, and how transactions have ended. Guarded by the scheduler.
///
/// One thread makes the calls, one after another. When a call takes long, another thread goes on with the next: a completion
/// handler may wait for a transaction that was committed with its own.
///
/// To wake a thread takes longer than most completion handlers. Where they have been short, a thread that would run the next
/// transaction makes a few calls before it; should one of them take long, that transaction is started elsewhere.
package struct CompletionQueue {
  package enum Call {
    case completion(QueuedTransaction, TransactionError?)
    case error(any Error)
    case observation(Observation, Observation.Call)
    /// Tells subscribers of keys of the dictionary.
    case dictionary(@Sendable () -> Void)

    fileprivate var isCallback: Bool {
      switch self {
      case .observation, .dictionary: true
      case .completion, .error: false
      }
    }
  }

  /// A transaction that is ready to run.
  package struct ReadyTransaction {
    package let transaction: QueuedTransaction
    package let runner: any TransactionRunner
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
  /// When the caller's first call began.
  private var callerBegan = DispatchTime.now()
  /// What the caller runs after the calls; nil if it only makes calls, or that was started elsewhere.
  private var following: ReadyTransaction?
  /// How many callers in a row have taken long. One may have been interrupted by the system; of two it is likely that the calls
  /// do.
  private var longCallers = CompletionQueue.manyLongCallers
  private var isWatched = false
  /// How many calls have come since the watchdog looked last.
  private var recentCount = 0
  /// How long the call that the caller is in may take.
  private var limit = CompletionQueue.longCall

  /// How long a call may take before another thread goes on with the next one.
  package static let longCall = DispatchTimeInterval.milliseconds(1)

  /// The same for callbacks of subscribers, which completion handlers wait for; but not for ever.
  package static let longCallback = DispatchTimeInterval.seconds(1)

  /// How many microseconds calls take on average that may come before a transaction: about as long as it takes to wake a thread
  /// for them.
  package static let shortCall = 50

  /// After so many callers that have taken long, calls are not made before a transaction.
  private static let manyLongCallers = 2

  /// How many calls may come before a transaction.
  package static let fewCalls = 8

  package var isEmpty: Bool { first == waiting.count }

  /// - Returns: whether the watchdog has to be started.
  package mutating func append(_ call: Call) -> Bool {
    waiting.append(call)
    recentCount += 1
    return beginWatch()
  }

  /// The same for several calls.
  package mutating func append(contentsOf calls: [Call]) -> Bool {
    waiting.append(contentsOf: calls)
    recentCount += calls.count
    return beginWatch()
  }

  private mutating func beginWatch() -> Bool {
    defer { isWatched = true }
    return !isWatched
  }

  /// Makes the asking thread the caller, unless another one makes calls, and does not take long.
  ///
  /// - Parameter following: what the thread runs afterwards.
  /// - Returns: the caller's number; nil if the calls are made without the thread.
  package mutating func becomeCaller(before following: ReadyTransaction? = nil) -> UInt64? {
    guard needsCaller else { return nil }
    // The former caller is in a call that takes long.
    if caller != nil { longCallers = Self.manyLongCallers }
    callerCount += 1
    caller = callerCount
    callCount = 0
    callerBegan = .now()
    callBegan = callerBegan
    self.following = following
    return callerCount
  }

  /// The next call; nil if there is none, or another thread makes the calls now.
  package mutating func next(for number: UInt64) -> Call? {
    guard caller == number else { return nil }
    if first == waiting.count || following != nil && (callCount == Self.fewCalls || waiting[first].isCallback) {
      let areCallsShort = DispatchTime.now() < callerBegan + .microseconds(Self.shortCall * callCount)
      longCallers = areCallsShort ? 0 : min(longCallers + 1, Self.manyLongCallers)
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

  private var isHeldUp: Bool { DispatchTime.now() > callBegan + limit }

  /// Whether a thread is needed that makes calls. A caller that has a transaction to run is relieved of that first.
  package var needsCaller: Bool { !isEmpty && following == nil && (caller == nil || isHeldUp) }

  /// Whether the calls that wait may be made before a transaction by the thread that runs it.
  package var areFewAndShort: Bool {
    longCallers < Self.manyLongCallers && waiting.count - first <= Self.fewCalls
      && !waiting[first...].contains(where: \.isCallback)
  }

  /// What the caller is to run now that its calls have returned; nil if that was started elsewhere.
  package mutating func takeFollowing(of number: UInt64) -> ReadyTransaction? {
    // Who was relieved of its transaction may have been followed by another caller.
    guard callerCount == number else { return nil }
    return takeFollowing()
  }

  /// What the caller would run, if it is in a call that takes long.
  package mutating func takeFollowingIfHeldUp() -> ReadyTransaction? { isHeldUp ? takeFollowing() : nil }

  private mutating func takeFollowing() -> ReadyTransaction? {
    defer { following = nil }
    return following
  }

  /// Ends the watch if nothing is left to watch, and little has come since the last look. Where much comes, the next call would
  /// begin the watch again, which takes longer than to go on with it.
  package mutating func endWatchIfIdle() -> Bool {
    let isIdle = isEmpty && following == nil && recentCount < 2
    recentCount = 0
    if isIdle { isWatched = false }
    return isIdle
  }
}

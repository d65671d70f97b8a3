import Dflat
import Dispatch

/// The calls that wait to be made, and the thread that makes them. Guarded by `Completions`.
///
/// One thread makes the calls, one after another, in the order of the commits. When a call takes longer than a millisecond, another
/// thread goes on with the next, so that neither a handler nor a callback delays another one. Only completion handlers wait: for
/// the callbacks that tell subscribers of their commit or of an earlier one, for at most a second each.
package struct CompletionQueue {
  package enum Call {
    case completion(QueuedTransaction, TransactionError?)
    case error(any Error)
    /// Tells a subscriber what has changed. The number is the one that `endWaiting(forCallback:)` takes.
    case callback(() -> Void, number: UInt64)
  }

  private struct Callback {
    let call: () -> Void
    /// The place in the order of the commits: completions of a higher position wait for it.
    let position: UInt64
  }

  private struct OpenCallback {
    let number: UInt64
    let position: UInt64
    let began: DispatchTime
  }

  /// A completion or an error.
  private struct Completion {
    let call: Call
    let position: UInt64
  }

  private var callbacks = FIFO<Callback>()
  private var completions = FIFO<Completion>()
  /// The position of what is appended next.
  private var position: UInt64 = 0
  /// The callbacks that have begun, have not returned, and are waited for, oldest first.
  private var openCallbacks: [OpenCallback] = []
  private var callbackCount: UInt64 = 0

  /// The thread that makes the calls, by its number; nil if there is none.
  private var caller: UInt64?
  private var callerCount: UInt64 = 0
  /// How many threads make calls, those included whose call takes long.
  private var threadCount = 0
  /// Whether a thread was started that makes the calls, and has not begun to.
  private var isCallerComing = false
  /// When the call began that the caller is in, or one of those shortly before it.
  private var callBegan = DispatchTime.now()
  /// How many calls have begun since the caller's first one.
  private var callCount = 0
  private var isWatched = false
  /// How many calls have come since the last look at them.
  private var recentCount = 0

  /// How long a call may take before another thread goes on with the next one. When many threads are in calls, the reason may be
  /// that they wait for a processor, and another thread would not help: so it comes later.
  private var longCall: DispatchTimeInterval { .milliseconds(threadCount > 8 ? 4 : 1) }

  /// How long completion handlers wait for a subscriber's callback.
  package static let longCallback = DispatchTimeInterval.seconds(1)

  package var isEmpty: Bool { callbacks.isEmpty && completions.isEmpty }

  // MARK: Appending

  /// Appends a completion or an error.
  ///
  /// - Returns: whether the watch has to be started.
  package mutating func append(_ call: Call) -> Bool {
    completions.append(Completion(call: call, position: position))
    return didAppend(1)
  }

  /// Appends callbacks, which come before the completions that are appended after them.
  ///
  /// - Parameter parent: the running callback that has appended them, if one has. Completions wait for them as for it.
  /// - Returns: whether the watch has to be started.
  package mutating func append(_ calls: [() -> Void], of parent: UInt64? = nil) -> Bool {
    if let parent = openCallbacks.first(where: { $0.number == parent }) {
      callbacks.prepend(contentsOf: calls.map { Callback(call: $0, position: parent.position) })
    } else {
      callbacks.append(contentsOf: calls.map { Callback(call: $0, position: position) })
      position += 1
    }
    return didAppend(calls.count)
  }

  private mutating func didAppend(_ count: Int) -> Bool {
    recentCount += count
    defer { isWatched = true }
    return !isWatched
  }

  // MARK: Callers

  /// Whether a call can be made now: the next completion may have to wait for callbacks.
  private mutating func hasCall() -> Bool { !callbacks.isEmpty || hasCompletion() }

  private mutating func hasCompletion() -> Bool {
    guard let next = completions.first else { return false }
    if openCallbacks.isEmpty && callbacks.isEmpty { return true }
    if case .error = next.call { return true }
    if let callback = callbacks.first, callback.position < next.position { return false }
    let limit = DispatchTime.now()
    while let oldest = openCallbacks.first, oldest.began + CompletionQueue.longCallback <= limit {
      openCallbacks.removeFirst()
    }
    return !openCallbacks.contains { $0.position < next.position }
  }

  /// Whether no thread makes the calls that can be made, or the one that does is in a call that takes long.
  private mutating func hasNoCaller() -> Bool {
    !isEmpty && (caller == nil || DispatchTime.now() > callBegan + longCall) && hasCall()
  }

  /// Whether a thread has to be started that makes calls.
  package mutating func needsCaller() -> Bool { !isCallerComing && hasNoCaller() }

  /// Records that a thread is started that makes calls, so that no other is.
  ///
  /// - Returns: false if none is needed.
  package mutating func requestCaller() -> Bool {
    guard needsCaller() else { return false }
    isCallerComing = true
    return true
  }

  /// Makes the asking thread the caller, unless another one makes calls, and does not take long.
  ///
  /// - Parameter wasRequested: whether the thread was started by `requestCaller()`.
  /// - Returns: the caller's number; nil if the calls are made without the thread.
  package mutating func becomeCaller(wasRequested: Bool) -> UInt64? {
    if wasRequested { isCallerComing = false }
    guard hasNoCaller() else { return nil }
    callerCount += 1
    caller = callerCount
    threadCount += 1
    callCount = 0
    callBegan = .now()
    return callerCount
  }

  // MARK: Calling

  /// The next call; nil if there is none now, or another thread makes the calls. Then the asking thread has nothing left to do.
  package mutating func next(for number: UInt64) -> Call? {
    // A thread whose call took long goes on if no other thread is there: completions may have waited for the call.
    let isCaller = caller == number || caller == nil
    let hasCompletion = isCaller && hasCompletion()
    guard isCaller, hasCompletion || !callbacks.isEmpty else {
      if isCaller { caller = nil }
      threadCount -= 1
      return nil
    }
    caller = number
    // To ask for the time takes as long as a short call. If this one takes long, that is noticed the sooner.
    if !hasCompletion || callCount % 16 == 15 { callBegan = .now() }
    callCount += 1
    if hasCompletion { return completions.popFirst()?.call }
    guard let callback = callbacks.popFirst() else { return nil }
    callbackCount += 1
    openCallbacks.append(OpenCallback(number: callbackCount, position: callback.position, began: callBegan))
    return .callback(callback.call, number: callbackCount)
  }

  /// Has completion handlers wait for a callback no longer: it has returned, or may be waiting for one of them.
  package mutating func endWaiting(forCallback number: UInt64) {
    if let index = openCallbacks.firstIndex(where: { $0.number == number }) { openCallbacks.remove(at: index) }
  }

  // MARK: Watching

  /// Ends the watch if nothing is left to watch, and little has come since the last look. Where much comes, the next call would
  /// begin the watch again, which takes longer than to go on with it.
  package mutating func endWatchIfIdle() -> Bool {
    let isIdle = isEmpty && recentCount < 2
    recentCount = 0
    if isIdle { isWatched = false }
    return isIdle
  }
}

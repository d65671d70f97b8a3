import Dflat
import Dispatch

/// The calls that wait to be made, and the thread that makes them. Guarded by `Completions`.
///
/// One thread, the caller, makes the calls, one after another, in the order of the commits. When a call takes longer
/// than a millisecond, another thread becomes the caller and makes the next one. So neither a handler nor a callback
/// delays another one. Only completion handlers wait: for the callbacks that tell subscribers of the same commit or an
/// earlier one, for a second at most, however many callbacks there are, and not for one that takes longer than that.
package struct CompletionQueue {
  package enum Call {
    case completion(QueuedTransaction, TransactionError?)
    /// Calls the error handler, with the `HandlerDepth` of the work that has failed, and whether a handler of events has
    /// done that work: what the error handler does then causes no events, either.
    case error(any Error, depth: Int, isOfHandler: Bool = false)
    /// Tells a subscriber what has changed. `endWaiting(forCallback:)` takes the number.
    case callback(() -> Void, number: UInt64)
  }

  private struct Callback {
    let call: () -> Void
    /// The position in the order of the commits. Completions with a higher position wait for the callback.
    let position: UInt64
  }

  private struct OpenCallback {
    let number: UInt64
    /// The position in the order of the commits. Completions with a higher position wait for the callback.
    var position: UInt64
    let began: DispatchTime
  }

  /// A completion or an error, with its position in the order of the commits.
  private struct Completion {
    let call: Call
    let position: UInt64
    /// When it no longer waits for callbacks; nil if there was none to wait for when it was appended.
    let deadline: DispatchTime?
  }

  private var callbacks = FIFO<Callback>()
  private var completions = FIFO<Completion>()
  /// The position of the next call that is appended.
  private var position: UInt64 = 0
  /// The running callbacks that completions may wait for, oldest first. A callback that may itself wait for a
  /// completion is not among them, nor one that was found to have run for longer than `longestWait`.
  private var openCallbacks: [OpenCallback] = []
  private var callbackCount: UInt64 = 0
  /// The threads in no callback that tell subscribers: their numbers, and when they began. Completions wait for one as
  /// soon as a callback finds that it tells what the callback was to tell.
  private var deliveries: [UInt64: DispatchTime] = [:]

  /// The number of the thread that makes the calls; nil if there is none.
  private var caller: UInt64?
  private var callerCount: UInt64 = 0
  /// How many threads make calls, including those in a slow call.
  private var threadCount = 0
  /// Whether a thread was started that is to become the caller, and has not yet tried.
  private var isCallerComing = false
  /// When the caller's current call began, or one of the 16 calls before it.
  private var callBegan = DispatchTime.now()
  /// Returns the current time. A test sets another clock, which stands still while the test does not advance it.
  var clock: () -> DispatchTime = { .now() }
  /// How many calls the current caller has begun.
  private var callCount = 0
  private var isWatched = false
  /// How many calls were appended since the watching thread last looked.
  private var recentCount = 0

  /// How long a call may take before another thread makes the next one. When many threads are in calls, they may be
  /// waiting for a processor, and another thread would not help. So it comes later then.
  private var longCall: DispatchTimeInterval { .milliseconds(threadCount > 8 ? 4 : 1) }

  /// The most time that a completion handler waits for callbacks, and the most that one callback is waited for.
  var longestWait = DispatchTimeInterval.seconds(1)

  package var isEmpty: Bool { callbacks.isEmpty && completions.isEmpty }

  // MARK: Appending

  /// Appends a completion or an error.
  ///
  /// - Returns: true if the caller has to start the watching thread.
  package mutating func append(_ call: Call) -> Bool {
    let waits = !callbacks.isEmpty || !openCallbacks.isEmpty
    let deadline = waits ? clock() + longestWait : nil
    completions.append(Completion(call: call, position: position, deadline: deadline))
    return didAppend(1)
  }

  /// Appends callbacks, which come before the completions that are appended after them.
  ///
  /// - Parameter parent: the number of the running callback that appends them, if one does. Completions that wait
  ///   for the parent also wait for them.
  /// - Returns: true if the caller has to start the watching thread.
  package mutating func append(_ calls: [() -> Void], of parent: UInt64 = Completions.noCallback) -> Bool {
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

  /// Returns whether a call can be made now: completions may have to wait for callbacks. Forgets the callbacks for
  /// which no completion waits any more.
  private mutating func hasCall() -> Bool { !callbacks.isEmpty || hasCompletion() }

  private mutating func hasCompletion() -> Bool {
    guard let next = completions.first else { return false }
    // Without a deadline, there was no callback when it was appended.
    guard let deadline = next.deadline else { return true }
    if openCallbacks.isEmpty && callbacks.isEmpty { return true }
    if case .error = next.call { return true }
    let now = clock()
    if deadline <= now { return true }
    if let callback = callbacks.first, callback.position < next.position { return false }
    while let oldest = openCallbacks.first, oldest.began + longestWait <= now {
      openCallbacks.removeFirst()
    }
    return !openCallbacks.contains { $0.position < next.position }
  }

  /// Returns whether calls can be made, and either no thread makes them, or the thread that does is in a slow call.
  private mutating func hasNoCaller() -> Bool {
    !isEmpty && (caller == nil || clock() > callBegan + longCall) && hasCall()
  }

  /// Returns whether a thread has to be started to make calls.
  package mutating func needsCaller() -> Bool { !isCallerComing && hasNoCaller() }

  /// Reserves the start of a thread that makes calls, so that no other one is started.
  ///
  /// - Returns: true if the caller has to start the thread; false if none is needed.
  package mutating func requestCaller() -> Bool {
    guard needsCaller() else { return false }
    isCallerComing = true
    return true
  }

  /// Makes the asking thread the caller, unless another thread makes the calls and is not in a slow call.
  ///
  /// - Parameter wasRequested: whether the thread was started because of `requestCaller()`.
  /// - Returns: the caller's number; nil if the thread is not needed.
  package mutating func becomeCaller(wasRequested: Bool) -> UInt64? {
    if wasRequested { isCallerComing = false }
    guard hasNoCaller() else { return nil }
    callerCount += 1
    caller = callerCount
    threadCount += 1
    callCount = 0
    callBegan = clock()
    return callerCount
  }

  // MARK: Calling

  /// Takes the next call for the caller `number`.
  ///
  /// - Returns: nil if no call can be made now, or another thread has become the caller. The asking thread is done
  ///   then.
  package mutating func next(for number: UInt64) -> Call? {
    // A thread whose call was slow goes on if there is no other caller: completions may have waited for its call.
    let isCaller = caller == number || caller == nil
    let hasCompletion = isCaller && hasCompletion()
    guard isCaller, hasCompletion || !callbacks.isEmpty else {
      if isCaller { caller = nil }
      threadCount -= 1
      return nil
    }
    caller = number
    // To read the clock takes as long as a short call. With an older time, a slow call is only noticed sooner.
    if !hasCompletion || callCount % 16 == 15 { callBegan = clock() }
    callCount += 1
    if hasCompletion { return completions.popFirst()?.call }
    guard let callback = callbacks.popFirst() else { return nil }
    callbackCount += 1
    openCallbacks.append(OpenCallback(number: callbackCount, position: callback.position, began: callBegan))
    return .callback(callback.call, number: callbackCount)
  }

  /// Ends the waiting of completion handlers for a callback: it has returned, or may itself be waiting for one of them.
  package mutating func endWaiting(forCallback number: UInt64) {
    deliveries[number] = nil
    if let index = openCallbacks.firstIndex(where: { $0.number == number }) { openCallbacks.remove(at: index) }
  }

  /// Records that a thread that is in no callback begins to tell subscribers.
  ///
  /// - Returns: its number, as if it were a callback.
  package mutating func beginDelivery() -> UInt64 {
    callbackCount += 1
    deliveries[callbackCount] = clock()
    return callbackCount
  }

  /// Records that a thread that is in no callback has told subscribers.
  ///
  /// - Returns: whether completions may have waited for it.
  package mutating func endDelivery(_ number: UInt64) -> Bool {
    let isAwaited = openCallbacks.contains { $0.number == number }
    endWaiting(forCallback: number)
    return isAwaited
  }

  /// Lets the completions that wait for a running callback wait for another one, too.
  ///
  /// - Parameters:
  ///   - other: the number of the other callback or delivery; one that has ended changes nothing.
  ///   - number: the number of the callback that completions wait for.
  package mutating func wait(forCallback other: UInt64, asFor number: UInt64) {
    guard let callback = openCallbacks.first(where: { $0.number == number }) else { return }
    if let index = openCallbacks.firstIndex(where: { $0.number == other }) {
      openCallbacks[index].position = min(openCallbacks[index].position, callback.position)
    } else if let began = deliveries[other] {
      let index = openCallbacks.firstIndex { $0.began > began } ?? openCallbacks.endIndex
      openCallbacks.insert(OpenCallback(number: other, position: callback.position, began: began), at: index)
    }
  }

  // MARK: Watching

  /// Ends the watch if no call waits, and fewer than two were appended since the last look. With more calls, the next
  /// one would start the watch again, which takes longer than to let it go on.
  ///
  /// - Returns: true if the watch has ended, and its thread has to end.
  package mutating func endWatchIfIdle() -> Bool {
    let isIdle = isEmpty && recentCount < 2
    recentCount = 0
    if isIdle { isWatched = false }
    return isIdle
  }
}

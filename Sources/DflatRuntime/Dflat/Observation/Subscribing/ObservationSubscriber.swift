/// A subscriber to an object or a result, with the updates that it has not taken yet. The observation's lock guards
/// it.
///
/// Updates wait in the order of the commits. If the subscriber is slow, old ones are dropped, so that memory is
/// bounded. The difference of a result is then computed from the last result that the subscriber took.
package final class ObservationSubscriber: @unchecked Sendable {
  // Unchecked: the observation's lock guards the variables.

  package enum Update: Sendable {
    case result(ResultUpdate, FetchOrigin)
    case object(any Atom)
    /// The object was deleted. It is the last update.
    case deleted
  }

  /// The updates that are kept for a subscriber that does not take them.
  package enum Buffering: Sendable {
    case unbounded
    case oldest(Int)
    case newest(Int)
  }

  /// The destination of the updates.
  package enum Sink {
    /// A callback, which gets them one after another.
    case callback(@Sendable (Update) -> Void)
    /// A task that iterates over an `AsyncStream`.
    case stream
    /// No destination any more: the callback was released.
    case ended
  }

  package private(set) var sink: Sink
  /// Returns whether two objects are stored as the same bytes.
  private let isSame: @Sendable (AnyObject, AnyObject) -> Bool
  private let buffering: Buffering
  /// The updates that wait, from index `first` on, each with its number.
  private var updates: ContiguousArray<(number: Int, update: Update)> = []
  private var first = 0
  /// The number of the last update that was posted.
  private var postedNumber = 0
  /// The number of the last update that `taken` includes; -1 while there is none.
  ///
  /// An update's own difference is used only if the update's number is higher by one. Otherwise the difference from
  /// `taken` is computed.
  private var takenNumber = -1
  /// The commit version of the result that was subscribed to. It shows all commits up to this one, so older updates
  /// are dropped.
  private let baseVersion: UInt64
  /// The result that the subscriber took last, or subscribed to.
  private var taken: ObjectList
  /// Whether a call of the callback is scheduled or running.
  private var isScheduled = false
  /// The number of the call that delivers the updates now; nil while none does.
  package private(set) var deliverer: UInt64?
  /// Whether updates are refused: the subscription was cancelled, or its object deleted.
  package private(set) var isEnded = false
  private var waiting: CheckedContinuation<Update?, Never>?

  /// The maximum number of updates that wait for a callback. It is large so that a burst of commits drops none.
  package static let callbackLimit = 1024

  /// Makes a subscriber.
  ///
  /// - Parameters:
  ///   - list: the result that is subscribed to.
  ///   - baseVersion: the commit version at which that result was read, at the earliest.
  package init(
    _ sink: Sink, buffering: Buffering, from list: ObjectList = ObjectList(), baseVersion: UInt64 = 0,
    isSame: @escaping @Sendable (AnyObject, AnyObject) -> Bool
  ) {
    self.sink = sink
    self.buffering = buffering
    self.isSame = isSame
    taken = list
    self.baseVersion = baseVersion
  }

  /// Records that the difference of the next update is computed from `list`, which shows the result that the subscriber
  /// has.
  ///
  /// - Parameter list: the list, whose objects are shared with other subscribers' results.
  func confirmBase(_ list: ObjectList) {
    taken = list
    takenNumber = postedNumber
  }

  // MARK: Posting

  /// The state of a subscriber whose updates are held back: the object that it has, and the last update that was held
  /// back.
  private struct Hold {
    /// The object that is subscribed to; nil for a result.
    let object: AnyObject?
    var update: Update?
    /// How many calls of `beginHold` have not been followed by one of `endHold`.
    var count = 0
  }

  private var hold: Hold?

  /// Whether updates are held back. Then the subscriber may have a later state than a fetch that begins now finds.
  var isHeld: Bool { hold != nil }

  /// Holds updates back until `endHold(_:)`, because commits are yet to be told that the subscribed object or result
  /// may already show.
  ///
  /// These commits post one state after another. Most are older than what the subscriber has; only the last one counts.
  /// After several calls, as many of `endHold(_:)` are needed.
  package func beginHold(having object: AnyObject?) {
    if hold == nil { hold = Hold(object: object) }
    hold?.count += 1
  }

  /// Ends one `beginHold(having:)`. After the last one, posts the last update that was held back, unless the subscriber
  /// has that state already.
  package func endHold(_ deliveries: inout Deliveries) {
    hold?.count -= 1
    guard let hold, hold.count == 0 else { return }
    self.hold = nil
    switch hold.update {
    case .result(let result, let origin): post(.result(ResultUpdate(result.list, nil), origin), &deliveries)
    case .object(let object):
      if let known = hold.object, isSame(known, object) { return }
      post(.object(object), &deliveries)
    case .deleted: post(.deleted, &deliveries)
    case nil: break
    }
  }

  /// Adds an update, and schedules its delivery in `deliveries`.
  package func post(_ update: Update, _ deliveries: inout Deliveries) {
    guard hold == nil else {
      hold?.update = update
      return
    }
    guard !isEnded, !dropKnown(update) else { return }
    if case .deleted = update { isEnded = true }
    postedNumber += 1
    if let waiting {
      guard let update = completed(update, postedNumber) else { return }
      self.waiting = nil
      deliveries.resumptions.append((waiting, update))
      return
    }
    append(update)
    if case .callback = sink, !isScheduled {
      isScheduled = true
      deliveries.callbacks.append(self)
    }
  }

  /// Drops an update that tells the subscriber nothing new.
  ///
  /// That is an update older than the result that was subscribed to, or one without a difference that equals the last
  /// result taken. In the second case the subscriber now has the list of the update, so the next difference applies
  /// to it.
  ///
  /// - Returns: true if the update was dropped.
  private func dropKnown(_ update: Update) -> Bool {
    guard case .result(let result, let origin) = update else { return false }
    if origin.version < baseVersion { return true }
    guard result.difference == nil, first == updates.count,
      ResultDifference(from: taken, to: result.list, isSame: isSame).isEmpty
    else { return false }
    confirmBase(result.list)
    return true
  }

  private func append(_ update: Update) {
    switch buffering {
    case .unbounded: break
    case .newest(let limit):
      first = max(first, updates.count - max(limit, 1) + 1)
    case .oldest(let limit):
      // A deletion is always kept: it ends the stream.
      if updates.count - first >= max(limit, 1), !isEnded { return }
    }
    if first > 32, first * 2 >= updates.count {
      updates.removeFirst(first)
      first = 0
    }
    updates.append((postedNumber, update))
  }

  // MARK: Taking

  /// Returns the update with its difference from the last one that was taken; nil if the results are the same.
  private func completed(_ update: Update, _ number: Int) -> Update? {
    let isNext = number == takenNumber + 1
    takenNumber = number
    guard case .result(let result, let origin) = update else { return update }
    defer { taken = result.list }
    if result.difference != nil, isNext { return update }
    let difference = ResultDifference(from: taken, to: result.list, isSame: isSame)
    return difference.isEmpty ? nil : .result(ResultUpdate(result.list, difference), origin)
  }

  private func take() -> Update? {
    while first < updates.count {
      let (number, update) = updates[first]
      first += 1
      if first == updates.count {
        updates.removeAll(keepingCapacity: true)
        first = 0
      }
      if let update = completed(update, number) { return update }
    }
    return nil
  }

  /// Takes the next update for the callback.
  ///
  /// - Parameters:
  ///   - caller: the number of the call that delivers. No other call that runs has it.
  ///   - isFirst: whether the call has not taken an update yet.
  /// - Returns: nil if no update waits, or another call is delivering: then `deliverer` is its number.
  package func takeForCallback(
    as caller: UInt64, isFirst: Bool
  ) -> (callback: @Sendable (Update) -> Void, update: Update)? {
    if isFirst {
      if deliverer != nil { return nil }
      deliverer = caller
    }
    if case .callback(let callback) = sink, let update = take() {
      // The last update: from now on only the caller keeps the callback.
      if isEnded, first == updates.count { sink = .ended }
      return (callback, update)
    }
    deliverer = nil
    isScheduled = false
    return nil
  }

  /// Takes the next update for a task, or keeps `continuation` until there is one.
  ///
  /// - Returns: nil if `continuation` was kept; `.some(nil)` if the stream has ended.
  package func takeOrWait(_ continuation: CheckedContinuation<Update?, Never>) -> Update?? {
    if let update = take() { return .some(update) }
    // A second task that waits gets the end of the stream: which of the two would get an update is undefined.
    if isEnded || waiting != nil { return .some(nil) }
    waiting = continuation
    return nil
  }

  /// The references that a subscriber gives up when it ends. Release them without a lock: a callback may own
  /// anything.
  package struct Remains {
    fileprivate let waiting: CheckedContinuation<Update?, Never>?
    fileprivate let sink: Sink

    /// Ends the wait of a task for an update.
    package func finish() { waiting?.resume(returning: nil) }
  }

  /// Ends the subscriber: it drops the updates that wait and refuses later ones. It drops the callback, too, which
  /// may own the subscription.
  package func end() -> Remains {
    isEnded = true
    updates = []
    first = 0
    taken = ObjectList()
    let remains = Remains(waiting: waiting, sink: sink)
    waiting = nil
    if case .callback = sink { sink = .ended }
    return remains
  }
}

/// The work that posting updates leaves to be done once no lock is held.
package struct Deliveries: ~Copyable {
  /// The subscribers whose callbacks are due.
  package var callbacks: ContiguousArray<ObservationSubscriber> = []
  /// The tasks that have waited for an update, with that update.
  package var resumptions:
    ContiguousArray<(CheckedContinuation<ObservationSubscriber.Update?, Never>, ObservationSubscriber.Update?)> = []
  /// Whether subscribed objects have to be read again.
  package var hasUnknownObjects = false
  /// The queries whose results have to be fetched again.
  package var outdated: ContiguousArray<(type: ObservedType, query: StandingQuery)> = []

  package init() {}
}

/// A subscriber to an object or a result, with the updates that it has not taken yet. Guarded by the lock of the observation.
///
/// Updates wait in the order of the commits. If the subscriber is slow, old ones are dropped, so that they do not grow without
/// bound; the difference of a result is then computed from the last one that the subscriber took.
package final class ObservationSubscriber: @unchecked Sendable {
  // Unchecked: the variables are guarded by the lock of the observation.

  package enum Update: Sendable {
    case result(ResultUpdate, FetchOrigin)
    case object(any Atom)
    /// The object was deleted. It is the last update.
    case deleted
  }

  /// Which updates are kept for a subscriber that does not take them.
  package enum Buffering: Sendable {
    case unbounded
    case oldest(Int)
    case newest(Int)
  }

  /// What is done with updates.
  package enum Sink {
    /// They are handed to a callback, one after another.
    case callback(@Sendable (Update) -> Void)
    /// Somebody waits for them.
    case stream
    /// The callback was released: it is not called any more.
    case ended
  }

  package private(set) var sink: Sink
  /// Whether two objects have the same values.
  private let isSame: @Sendable (AnyObject, AnyObject) -> Bool
  private let buffering: Buffering
  /// The updates that wait, each with its number.
  private var updates: ContiguousArray<(number: Int, update: Update)> = []
  private var first = 0
  /// The numbers of the last update that was posted, and of the last one that was taken.
  private var postedNumber = 0
  /// Below 0 until it is known that the subscriber has the very list that the next update differs from.
  private var takenNumber = -1
  /// The result that is subscribed to shows all commits up to this version: what is older is not told.
  private let baseVersion: UInt64
  /// The result that the subscriber took last, or subscribed to.
  private var taken: ObjectList
  /// Whether a call of the callback is scheduled, or goes on.
  private var isScheduled = false
  private var isDelivering = false
  /// Whether no update is accepted any more: the subscription was cancelled, or its object deleted.
  package private(set) var isEnded = false
  private var waiting: CheckedContinuation<Update?, Never>?

  /// How many updates wait for a callback at most. It is expected to keep up, so every update of a burst is delivered.
  package static let callbackLimit = 1024

  /// - Parameters:
  ///   - list: the result that is subscribed to.
  ///   - baseVersion: the commit version at which it was read, at the earliest.
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

  /// Notes that the next update differs from the very list that is subscribed to.
  ///
  /// - Parameter list: the same, with objects that other results share.
  func confirmBase(_ list: ObjectList) {
    taken = list
    takenNumber = postedNumber
  }

  // MARK: Posting

  /// The state of a subscriber whose updates are held back: the object that it has, and the last update that was held.
  private struct Hold {
    /// The object that is subscribed to; nil for a result.
    let object: AnyObject?
    var update: Update?
  }

  private var hold: Hold?

  /// Has the updates wait for `endHold(_:)`: a commit is being published, and what is subscribed to may show it already. Its
  /// transactions would tell one state after another, most of them older than that.
  ///
  /// - Parameter object: the object that is subscribed to; nil for a result.
  package func beginHold(having object: AnyObject?) { hold = Hold(object: object) }

  /// Posts the last update that was held, unless it is what the subscriber has.
  package func endHold(_ deliveries: inout Deliveries) {
    guard let hold else { return }
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

  /// Adds an update.
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

  /// Drops an update that is older than what is subscribed to, or was posted without saying what has changed, if that is nothing.
  /// Then the subscriber has the very list of the update, and need not find out how the next one differs.
  ///
  /// - Returns: whether the update was dropped.
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
      // That an object was deleted is told in any case: it ends the stream.
      if updates.count - first >= max(limit, 1), !isEnded { return }
    }
    if first > 32, first * 2 >= updates.count {
      updates.removeFirst(first)
      first = 0
    }
    updates.append((postedNumber, update))
  }

  // MARK: Taking

  /// The update with the difference from the last one that was taken; nil if there is none.
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

  /// The callback, and the next update for it; nil if there is none, or another thread calls it.
  ///
  /// - Parameter isFirst: whether the thread begins to call it.
  package func takeForCallback(isFirst: Bool) -> (callback: @Sendable (Update) -> Void, update: Update)? {
    if isFirst {
      if isDelivering { return nil }
      isDelivering = true
    }
    if case .callback(let callback) = sink, let update = take() {
      // With the last update, only its caller keeps the callback.
      if isEnded, first == updates.count { sink = .ended }
      return (callback, update)
    }
    isDelivering = false
    isScheduled = false
    return nil
  }

  /// The next update for a task.
  ///
  /// - Returns: nil if `continuation` was kept until there is one; an update of nil if none will come.
  package func takeOrWait(_ continuation: CheckedContinuation<Update?, Never>) -> Update?? {
    if let update = take() { return .some(update) }
    // A second task that waits is told that the stream has ended: which of them would get an update is not defined.
    if isEnded || waiting != nil { return .some(nil) }
    waiting = continuation
    return nil
  }

  /// What a subscriber leaves when it ends. It is to be let go when no lock is held, since a callback may own anything.
  package struct Remains {
    fileprivate let waiting: CheckedContinuation<Update?, Never>?
    fileprivate let sink: Sink

    /// Tells who waits for an update that there is none.
    package func finish() { waiting?.resume(returning: nil) }
  }

  /// Accepts no more updates, drops those that wait, and the callback: what that has captured may own the subscription.
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

/// What is to be done with updates once no lock is held.
package struct Deliveries: ~Copyable {
  /// The subscribers whose callbacks are to be called.
  package var callbacks: ContiguousArray<ObservationSubscriber> = []
  /// Who has waited for an update.
  package var resumptions:
    ContiguousArray<(CheckedContinuation<ObservationSubscriber.Update?, Never>, ObservationSubscriber.Update?)> = []
  /// Whether objects that are subscribed to have to be read again.
  package var hasUnknownObjects = false
  /// The queries that have to be fetched again.
  package var outdated: ContiguousArray<(type: ObservedType, query: StandingQuery)> = []

  package init() {}
}

#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif
  import Foundation

  /// A value of a publisher.
  protocol PublishedUpdate {
    /// Whether the publisher finishes after this update.
    var isLast: Bool { get }

    /// Returns this update for a subscriber that has received `former` and none of the updates between the two; nil
    /// if nothing has changed.
    func following(_ former: Self) -> Self?
  }

  /// The subscription of one subscriber to a publisher of this module.
  ///
  /// The workspace calls back whenever it likes. The subscriber is called with one value at a time, and only with
  /// values that it demands.
  ///
  /// The thread that posts an update or demands one calls the subscriber. While a thread does so, other threads leave
  /// their updates to it. The workspace's callback refers to this object weakly, so that all is released once nobody
  /// else refers to it. The subscriber and this object refer to each other until the subscription is cancelled or
  /// finishes.
  final class PublisherSubscription<Update: PublishedUpdate & Sendable>: Subscription, @unchecked Sendable {
    // Unchecked: the lock guards the state, and the subscriber is called by one thread at a time. Nothing is called, and no
    // subscriber released, with the lock held.

    /// Subscribes to the workspace, and posts its updates to the given subscription. Returns nil if the given
    /// subscription has ended.
    typealias Start = @Sendable (PublisherSubscription) -> (any WorkspaceSubscription)?

    private struct State {
      /// The subscriber; nil after the end.
      var downstream: AnySubscriber<Update, Never>?
      /// The function that subscribes to the workspace; nil once it was called.
      var start: Start?
      /// The subscription to the workspace; nil until `start` has returned.
      var workspaceSubscription: (any WorkspaceSubscription)?
      var demand = Subscribers.Demand.none
      /// The updates that wait, in order.
      var updates: ContiguousArray<Update> = []
      /// Whether updates were dropped just before the first one that waits.
      var hasGap = false
      /// The update that the subscriber has received last, or has subscribed to.
      var known: Update?
      /// Whether a thread is calling the subscriber.
      var isDelivering = false
    }

    private let lock = NSLock()
    private var state: State

    /// Makes a subscription.
    ///
    /// - Parameters:
    ///   - known: the update that the subscriber has already.
    ///   - start: called once, when the subscriber first demands a value.
    init<Downstream: Subscriber>(
      _ downstream: Downstream, knowing known: Update? = nil, start: @escaping Start
    ) where Downstream.Input == Update, Downstream.Failure == Never {
      state = State(downstream: AnySubscriber(downstream), start: start, known: known)
    }

    /// Whether the subscription was cancelled, or has finished.
    var isEnded: Bool { lock.withLock { state.downstream == nil } }

    // MARK: The subscriber's side

    func request(_ demand: Subscribers.Demand) {
      guard demand > .none else { return }
      let start: Start? = lock.withLock {
        guard state.downstream != nil else { return nil }
        state.demand += demand
        return state.start.take()
      }
      guard let start else { return deliver() }
      guard let subscription = start(self) else { return }
      let isEnded = lock.withLock {
        guard state.downstream != nil else { return true }
        state.workspaceSubscription = subscription
        return false
      }
      if isEnded { subscription.cancel() }
    }

    func cancel() {
      // Released when this method returns: the lock is not held then.
      let ended = end()
      ended.workspaceSubscription?.cancel()
    }

    /// Ends the subscription.
    ///
    /// - Returns: the state until now.
    private func end() -> State {
      lock.withLock {
        let ended = state
        state = State()
        // The thread that is calling the subscriber notices the end by itself.
        state.isDelivering = ended.isDelivering
        return ended
      }
    }

    // MARK: The workspace's side

    /// Adds an update, and delivers it if the subscriber demands one.
    func post(_ update: Update) {
      // Returned, so that they are released outside of the lock: an update may be a large result.
      _ = lock.withLock { () -> ContiguousArray<Update> in
        guard state.downstream != nil else { return [] }
        // Of the updates that are not demanded, only the latest is kept.
        let limit = max(1, min(state.demand.max ?? .max, ObservationSubscriber.callbackLimit))
        var dropped: ContiguousArray<Update> = []
        if state.updates.count >= limit {
          let count = state.updates.count - limit + 1
          dropped.append(contentsOf: state.updates[..<count])
          state.updates.removeFirst(count)
          state.hasGap = true
        }
        state.updates.append(update)
        return dropped
      }
      deliver()
    }

    /// Calls the subscriber while demanded updates wait, unless another thread is doing so.
    private func deliver() {
      let isFirst = lock.withLock {
        defer { state.isDelivering = true }
        return !state.isDelivering
      }
      guard isFirst else { return }
      while let (downstream, update, former, hasGap) = lock.withLock({ takeNext() }) {
        // If the dropped updates cancel each other out, the subscriber gets no value, and keeps its demand.
        let next = if hasGap, let former { update.following(former) } else { Optional(update) }
        let demand = next.map { downstream.receive($0) } ?? .max(1)
        if update.isLast { return finish() }
        lock.withLock { state.demand += demand }
      }
    }

    /// Takes the next update; nil if none waits or none is demanded. The caller holds the lock.
    ///
    /// `former` is what the subscriber has; the caller releases it, outside of the lock. `hasGap` tells whether updates
    /// between it and this one were dropped.
    private func takeNext() -> (
      downstream: AnySubscriber<Update, Never>, update: Update, former: Update?, hasGap: Bool
    )? {
      guard let downstream = state.downstream, state.demand > .none, !state.updates.isEmpty else {
        state.isDelivering = false
        return nil
      }
      state.demand -= 1
      let update = state.updates.removeFirst()
      let (former, hasGap) = (state.known, state.hasGap)
      state.hasGap = false
      state.known = update
      return (downstream, update, former, hasGap)
    }

    private func finish() {
      let ended = end()
      ended.downstream?.receive(completion: .finished)
    }
  }
#endif

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

    /// This update for a subscriber that has received `former`, and none of those between the two; nil if it is the same.
    func following(_ former: Self) -> Self?
  }

  /// The subscription of one subscriber to a publisher of this module. It connects a subscription to the workspace, which
  /// calls back whenever it likes, with a subscriber that is called one value at a time, and only for values that it demands.
  ///
  /// The subscriber is called by the thread that posts an update or demands one; while a thread does so, others leave their
  /// updates to it. The callback of the workspace refers to this object weakly, so that all is released once nobody refers to
  /// it; the subscriber and this object refer to each other until the subscription is cancelled or finishes.
  final class PublisherSubscription<Update: PublishedUpdate & Sendable>: Subscription, @unchecked Sendable {
    // Unchecked: the lock guards the state, and the subscriber is called by one thread at a time. Nothing is called, and no
    // subscriber released, with the lock held.

    /// Subscribes to the workspace, and has updates posted to the given subscription.
    typealias Start = @Sendable (PublisherSubscription) -> (any WorkspaceSubscription)?

    private struct State {
      /// nil after the end.
      var downstream: AnySubscriber<Update, Never>?
      /// nil once it was called.
      var start: Start?
      /// nil until `start` has returned.
      var workspaceSubscription: (any WorkspaceSubscription)?
      var demand = Subscribers.Demand.none
      /// The updates that wait, in order.
      var updates: ContiguousArray<Update> = []
      /// Whether updates were dropped that came before those that wait.
      var hasGap = false
      /// The update that was received last, or subscribed to.
      var known: Update?
      /// Whether a thread calls the subscriber.
      var isDelivering = false
    }

    private let lock = NSLock()
    private var state: State

    /// - Parameters:
    ///   - known: what the subscriber has already.
    ///   - start: called once, when a value is demanded for the first time.
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
        // The thread that calls the subscriber notices the end by itself.
        state.isDelivering = ended.isDelivering
        return ended
      }
    }

    // MARK: The workspace's side

    /// Adds an update, and has it received if it is demanded.
    func post(_ update: Update) {
      lock.withLock {
        guard state.downstream != nil else { return }
        // Of updates that are not demanded, the latest is kept.
        let limit = max(1, min(state.demand.max ?? .max, ObservationSubscriber.callbackLimit))
        if state.updates.count >= limit {
          state.updates.removeFirst(state.updates.count - limit + 1)
          state.hasGap = true
        }
        state.updates.append(update)
      }
      deliver()
    }

    /// Calls the subscriber as long as updates wait that it demands, unless another thread does so.
    private func deliver() {
      let isFirst = lock.withLock {
        defer { state.isDelivering = true }
        return !state.isDelivering
      }
      guard isFirst else { return }
      while let (downstream, update, former) = lock.withLock({ takeNext() }) {
        // If the dropped updates cancel each other out, the subscriber gets no value, and keeps its demand.
        let next = if let former { update.following(former) } else { Optional(update) }
        let demand = next.map { downstream.receive($0) } ?? .max(1)
        if update.isLast { return finish() }
        lock.withLock { state.demand += demand }
      }
    }

    /// The next update, for a thread that holds the lock; nil if there is none that is demanded.
    ///
    /// `former` is what the subscriber has, if it is not the update before.
    private func takeNext() -> (downstream: AnySubscriber<Update, Never>, update: Update, former: Update?)? {
      guard let downstream = state.downstream, state.demand > .none, !state.updates.isEmpty else {
        state.isDelivering = false
        return nil
      }
      state.demand -= 1
      let update = state.updates.removeFirst()
      let former = state.hasGap ? state.known : nil
      state.hasGap = false
      state.known = update
      return (downstream, update, former)
    }

    private func finish() {
      let ended = end()
      ended.downstream?.receive(completion: .finished)
    }
  }
#endif

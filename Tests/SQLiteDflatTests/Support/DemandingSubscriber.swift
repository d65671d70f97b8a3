import EngineTestSupport

#if canImport(Combine)
  import Combine
#else
  import DflatPublishers
#endif

/// A subscriber that demands what a test tells it to, and collects what it receives.
final class DemandingSubscriber<Input: Sendable>: Subscriber, @unchecked Sendable {
  // Unchecked: the closure is Sendable, and the rest guards itself.

  typealias Failure = Never

  let received = Collected<Input>()
  let completions = Collected<Subscribers.Completion<Never>>()
  private let subscription = Locked<(any Subscription)?>(nil)
  /// How many calls go on, and the most that went on at a time.
  private let calls = Locked((now: 0, most: 0))
  private let handler: @Sendable (DemandingSubscriber, Input) -> Subscribers.Demand

  /// - Parameter handler: called with each value; returns what is demanded then.
  init(_ handler: @escaping @Sendable (DemandingSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }) {
    self.handler = handler
  }

  var mostCallsAtATime: Int { calls.value.most }

  func receive(subscription: any Subscription) { self.subscription.value = subscription }

  func receive(_ input: Input) -> Subscribers.Demand {
    calls.change {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
    defer { calls.change { $0.now -= 1 } }
    received.append(input)
    return handler(self, input)
  }

  func receive(completion: Subscribers.Completion<Never>) { completions.append(completion) }

  func request(_ demand: Subscribers.Demand) { subscription.value?.request(demand) }

  func forgetSubscription() { subscription.value = nil }

  func cancel() { subscription.value?.cancel() }
}

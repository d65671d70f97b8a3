import Dflat

/// The subscription of a subscriber to a result or an object. Releasing its last reference cancels it.
///
/// Unchecked, since `remove` is not `Sendable`: its only caller, `Observation.cancel`, calls it under the lock of the
/// observation. The other properties are `Sendable`, and none of them changes.
package final class ObservationSubscription: WorkspaceSubscription, @unchecked Sendable {
  private let observation: Observation
  package let subscriber: ObservationSubscriber
  private let remove: () -> Void

  package init(_ observation: Observation, _ subscriber: ObservationSubscriber, removing remove: @escaping () -> Void) {
    self.observation = observation
    self.subscriber = subscriber
    self.remove = remove
  }

  deinit { cancel() }

  package func cancel() { observation.cancel(subscriber, remove) }

  /// Waits for the next update of a stream; nil if none will come.
  package func next() async -> ObservationSubscriber.Update? { await observation.next(for: subscriber) }
}

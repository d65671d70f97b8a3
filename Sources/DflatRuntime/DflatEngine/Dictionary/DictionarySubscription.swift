import Dflat

/// The subscription of a dictionary subscriber. Releasing its last reference cancels it.
package final class DictionarySubscription: WorkspaceSubscription {
  private let end: @Sendable () -> Void

  /// Makes a subscription.
  /// - Parameter end: removes the subscriber. It may be called more than once.
  package init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit { cancel() }

  package func cancel() { end() }
}

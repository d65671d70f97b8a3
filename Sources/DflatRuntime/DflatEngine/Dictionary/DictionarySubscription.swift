import Dflat

/// The subscription of a subscriber; cancelled with its last reference.
package final class DictionarySubscription: WorkspaceSubscription {
  private let end: @Sendable () -> Void

  /// - Parameter end: removes the subscriber. It may be called again.
  package init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit { cancel() }

  package func cancel() { end() }
}

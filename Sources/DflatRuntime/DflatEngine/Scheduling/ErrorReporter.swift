import Dflat

/// Calls the error handler of a workspace, and knows which threads are inside of it.
@usableFromInline
package final class ErrorReporter: Sendable {
  private let handler: @Sendable (any Error) -> Void

  package init(_ handler: @escaping @Sendable (any Error) -> Void) {
    self.handler = handler
  }

  package func report(_ error: any Error) { ThreadScope(of: self).run { handler(error) } }

  /// Whether the calling thread is in the handler.
  package var isReporting: Bool { ThreadScope.innermost(of: self) != nil }
}

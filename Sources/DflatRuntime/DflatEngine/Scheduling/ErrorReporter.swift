import Dflat
import Foundation

/// Calls the error handler of a workspace, and knows which threads are inside it.
@usableFromInline
package final class ErrorReporter: Sendable {
  private let handler: @Sendable (any Error) -> Void
  /// The owner of the scopes of closures that are told which of their fetches have failed.
  package let checkedSnapshots = ScopeOwner()
  /// Tells whether the workspace is used in a forked child of the process that made it.
  package let forks = ForkDetector()

  /// Writes an error to standard error as one line. This is the error handler of a workspace that was given none.
  package static let writeToStandardError: @Sendable (any Error) -> Void = { error in
    FileHandle.standardError.write(Data("dflat: \(error)\n".utf8))
  }

  package init(_ handler: @escaping @Sendable (any Error) -> Void) {
    self.handler = handler
  }

  /// Calls the error handler. If the handler itself causes an error, for example by a fetch, it is called once for that
  /// error. If it fails again during that call, the error goes to standard error, or the handler would be called for
  /// ever.
  package func report(_ error: any Error) {
    let scope = ThreadScope.innermost(of: self)
    if scope?.content is NestedReport { return ErrorReporter.writeToStandardError(error) }
    ThreadScope(of: self, holding: scope == nil ? nil : NestedReport()).run { handler(error) }
  }

  /// An owner of thread scopes, which has no other purpose.
  package final class ScopeOwner: Sendable {}

  /// Marks the scope of an error that the error handler itself has caused.
  private final class NestedReport {}

  /// Whether the calling thread is inside the error handler.
  package var isReporting: Bool { ThreadScope.innermost(of: self) != nil }
}

import Dflat
import Foundation

/// Calls the error handler of a workspace, and knows which threads are inside of it.
@usableFromInline
package final class ErrorReporter: Sendable {
  private let handler: @Sendable (any Error) -> Void
  /// Owns the scopes of closures that are told which of their fetches have failed.
  package let checkedSnapshots = ScopeOwner()
  /// Tells whether the workspace is used in a forked child of its process.
  package let forks = ForkDetector()

  /// Writes errors to standard error, each as one line: for a workspace without an error handler.
  package static let writeToStandardError: @Sendable (any Error) -> Void = { error in
    FileHandle.standardError.write(Data("dflat: \(error)\n".utf8))
  }

  package init(_ handler: @escaping @Sendable (any Error) -> Void) {
    self.handler = handler
  }

  /// Calls the error handler. A handler that fails itself, because it fetches for example, is told so once; if it fails again while it
  /// is told, that is written to standard error, or it would be called for ever.
  package func report(_ error: any Error) {
    let scope = ThreadScope.innermost(of: self)
    if scope?.content is NestedReport { return ErrorReporter.writeToStandardError(error) }
    ThreadScope(of: self, holding: scope == nil ? nil : NestedReport()).run { handler(error) }
  }

  /// Owns thread scopes, and nothing else.
  package final class ScopeOwner: Sendable {}

  /// Marks the scope of an error that the error handler itself has caused.
  private final class NestedReport {}

  /// Whether the calling thread is in the handler.
  package var isReporting: Bool { ThreadScope.innermost(of: self) != nil }
}

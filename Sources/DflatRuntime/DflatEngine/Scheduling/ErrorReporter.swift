import Dflat
import Foundation

/// Calls the error handler of a workspace, and knows which threads are inside it.
@usableFromInline
package final class ErrorReporter: Sendable {
  private let handler: @Sendable (any Error) -> Void
  /// The owner of the thread scopes of `StoreEngine.withCheckedSnapshot`, which throws the first error among the
  /// fetches of a closure.
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

  /// Calls the error handler. If the handler itself causes an error, by a fetch, by a transaction or in a task that it
  /// makes, it is called once for that error. If the work of that call fails, too, the error goes to standard error, or
  /// the handler would be called for ever: think of one that stores each error in a workspace whose disk is full.
  ///
  /// - Parameter depth: the `HandlerDepth` of the work that has failed.
  package func report(_ error: any Error, at depth: Int) {
    guard depth < 2 else { return ErrorReporter.writeToStandardError(error) }
    HandlerDepth.$current.withValue(depth + 1) {
      ThreadScope(of: self).run { handler(error) }
    }
  }

  /// Calls the error handler with an error of the calling thread's work.
  package func report(_ error: any Error) { report(error, at: HandlerDepth.current) }

  /// An owner of thread scopes, which has no other purpose.
  package final class ScopeOwner: Sendable {}

  /// Whether the calling thread is inside the error handler.
  package var isReporting: Bool { ThreadScope.innermost(of: self) != nil }
}

/// How many calls of error handlers have led to the work of a thread or task: 0 for the app's own work, 1 for what an
/// error handler does, 2 for what a handler does that was called because of the former.
///
/// Tasks inherit it from the code that makes them, and transactions from the code that requests them.
package enum HandlerDepth {
  @TaskLocal package static var current = 0
}

import Dflat

/// Calls the error handler of a workspace, and knows which threads are inside of it.
package final class ErrorReporter: Sendable {
  private let handler: @Sendable (any Error) -> Void

  /// A call of a handler that has not returned on a thread.
  private final class Call {
    let reporter: ErrorReporter
    let outer: Call?

    init(_ reporter: ErrorReporter, inside outer: Call?) {
      self.reporter = reporter
      self.outer = outer
    }
  }

  private static let calls = ThreadSlot()

  /// The innermost call of the thread, of whatever handler.
  private static var innermost: Call? {
    // Only `report(_:)` puts anything into the slot.
    calls.object.map { unsafeDowncast($0, to: Call.self) }
  }

  package init(_ handler: @escaping @Sendable (any Error) -> Void) {
    self.handler = handler
  }

  package func report(_ error: any Error) {
    let call = Call(self, inside: ErrorReporter.innermost)
    ErrorReporter.calls.object = call
    defer { ErrorReporter.calls.object = call.outer }
    handler(error)
  }

  /// Whether the calling thread is in the handler.
  package var isReporting: Bool {
    var call = ErrorReporter.innermost
    while let each = call {
      if each.reporter === self { return true }
      call = each.outer
    }
    return false
  }
}

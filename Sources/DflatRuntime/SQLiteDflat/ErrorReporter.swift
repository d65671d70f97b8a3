import Dflat

/// Calls the error handler of a workspace, and knows which threads are in it.
final class ErrorReporter: Sendable {
  private let handler: @Sendable (any Error) -> Void

  /// A call of a handler that has not returned on a thread, and those around it.
  private final class Call {
    let reporter: ErrorReporter
    let outer: Call?

    init(_ reporter: ErrorReporter, inside outer: Call?) {
      self.reporter = reporter
      self.outer = outer
    }
  }

  private static let calls = ThreadSlot<Call>()

  init(_ handler: @escaping @Sendable (any Error) -> Void) {
    self.handler = handler
  }

  func report(_ error: any Error) {
    let call = Call(self, inside: ErrorReporter.calls.value)
    ErrorReporter.calls.value = call
    defer { ErrorReporter.calls.value = call.outer }
    handler(error)
  }

  /// Whether the calling thread is in the handler.
  var isReporting: Bool {
    var call = ErrorReporter.calls.value
    while let each = call {
      if each.reporter === self { return true }
      call = each.outer
    }
    return false
  }
}

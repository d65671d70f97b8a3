import CPostgres

extension PostgresConnection {
  /// Asks the server to end the statement that a connection executes.
  final class Cancellation: @unchecked Sendable {
    // Unchecked because of the pointer: what it points to is constant, and libpq lets any thread use it.
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
      self.handle = handle
    }

    deinit { PQfreeCancel(handle) }

    /// Has the statement fail that is executed, if one is.
    func request() {
      var message = [CChar](repeating: 0, count: 256)
      PQcancel(handle, &message, Int32(message.count))
    }
  }
}

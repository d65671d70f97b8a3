import CPostgres

extension PostgresConnection {
  /// Asks the server to end the statement that a connection executes.
  final class Cancellation: @unchecked Sendable {
    // Unchecked because of the pointer, which is safe: it is constant, as is what it points to, a copy of what PQcancel needs of the
    // connection. Any thread may call that: https://www.postgresql.org/docs/current/libpq-cancel.html. It is freed when nobody has this.
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

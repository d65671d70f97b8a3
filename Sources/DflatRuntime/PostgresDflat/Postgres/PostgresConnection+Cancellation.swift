import CPostgres

extension PostgresConnection {
  /// A handle that cancels the statement that a connection executes, from any thread.
  final class Cancellation: @unchecked Sendable {
    // Unchecked because of the pointer. It is safe: the pointer is constant, and so is the memory behind it, a copy of
    // what PQcancel needs of the connection. Any thread may call PQcancel:
    // https://www.postgresql.org/docs/current/libpq-cancel.html. `deinit` frees the memory.
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
      self.handle = handle
    }

    deinit { PQfreeCancel(handle) }

    /// Makes the statement fail that the connection executes. Does nothing if it executes none.
    func request() {
      var message = [CChar](repeating: 0, count: 256)
      PQcancel(handle, &message, Int32(message.count))
    }
  }
}

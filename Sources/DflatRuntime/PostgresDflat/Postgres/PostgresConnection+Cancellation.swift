import CPostgres
import Foundation

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

    /// Makes the statement fail that the connection executes. A server that is stopped answers no request, and libpq
    /// would wait for it without end.
    ///
    /// - Parameter seconds: how long the call waits until the server has taken the request; nil for no limit.
    /// - Returns: false if the time has run out. The request may then still hit a later statement of the session.
    func request(within seconds: Double?) -> Bool {
      guard let seconds else {
        request()
        return true
      }
      let isTaken = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        self.request()
        isTaken.signal()
      }
      return isTaken.wait(timeout: .now() + seconds) == .success
    }
  }
}

import CSQLite
import Dispatch
import Foundation

/// Interrupts the running statement of a connection when its work has to end.
///
/// A progress handler does not suffice: before SQLite 3.41, `PRAGMA integrity_check` reads all pages of a file without
/// calling the handler, but it checks whether it was interrupted.
final class ConnectionInterrupter: @unchecked Sendable {
  // Unchecked because the lock guards the variables. Of the connection, only the handle is used here: SQLite lets any
  // thread interrupt an open connection.

  private let connection: SQLiteConnection
  private let lock = NSLock()
  /// Throws if the work has to end. `stop()` sets it to nil. Otherwise the next scheduled check would keep alive what
  /// the closure holds, such as the workspace's database, and would close that on the queue of all backups.
  private var check: (@Sendable () throws -> Void)?
  private var failure: (any Error)?

  /// The queue of the checks. Its quality of service is high, since a suspension with a time limit waits for a check,
  /// which takes little time: the check must wait neither for other work nor for the interrupted thread.
  private static let queue = DispatchQueue(label: "dflat.interrupt", qos: .userInitiated)
  /// The interval between two checks whether the work has to end. A suspension, which has some seconds, waits for a
  /// check.
  private static let interval = DispatchTimeInterval.milliseconds(20)

  /// Interrupts the connection once `check` throws, until `stop()` is called.
  init(_ connection: SQLiteConnection, _ check: @escaping @Sendable () throws -> Void) {
    self.connection = connection
    self.check = check
    scheduleCheck()
  }

  /// The error of `check` for which the connection was interrupted; nil if it was not.
  var reason: (any Error)? { lock.withLock { failure } }

  /// Ends the use of the connection, which may be closed after that.
  func stop() { lock.withLock { check = nil } }

  private func scheduleCheck() {
    ConnectionInterrupter.queue.asyncAfter(deadline: .now() + ConnectionInterrupter.interval) { [self] in
      guard let check = lock.withLock({ self.check }) else { return }
      // Not under the lock: `check` takes locks of the workspace.
      let outcome = Result { try check() }
      if case .failure(let error) = outcome {
        lock.withLock {
          if self.check == nil { return }
          failure = failure ?? error
          sqlite3_interrupt(connection.handle)
        }
      }
      // Checks go on after an interruption, since one that comes between two statements has no effect.
      scheduleCheck()
    }
  }
}

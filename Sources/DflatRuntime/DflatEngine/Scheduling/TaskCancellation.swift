import Foundation

/// Whether the task of a transaction has been cancelled.
package final class TaskCancellation: @unchecked Sendable {
  // Unchecked because the variable is guarded by the lock. It is taken while no other lock is held, and nothing is called.
  private let lock = NSLock()
  private var value = false

  package init() {}

  package var isCancelled: Bool { lock.withLock { value } }

  package func cancel() { lock.withLock { value = true } }
}

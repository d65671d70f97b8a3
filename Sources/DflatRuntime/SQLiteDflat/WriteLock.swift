import Foundation

/// Lets one thread write at a time, transactions before the background job that fills indexes.
final class WriteLock: @unchecked Sendable {
  // Unchecked because the variables are guarded by `condition`.
  private let condition = NSCondition()
  private var isHeld = false
  private var waitingTransactions = 0

  enum Priority {
    case transaction
    /// Only while no transaction waits.
    case background
  }

  func acquire(_ priority: Priority) {
    condition.lock()
    defer { condition.unlock() }
    switch priority {
    case .transaction:
      waitingTransactions += 1
      while isHeld { condition.wait() }
      waitingTransactions -= 1
    case .background:
      while isHeld || waitingTransactions > 0 { condition.wait() }
    }
    isHeld = true
  }

  func release() {
    condition.lock()
    defer { condition.unlock() }
    isHeld = false
    // All are woken: the one that a single signal would wake may be the background job, which then has to go on waiting.
    condition.broadcast()
  }
}

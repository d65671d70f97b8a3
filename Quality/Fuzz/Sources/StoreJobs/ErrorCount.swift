import Foundation

/// How many errors a store has reported.
final class ErrorCount: @unchecked Sendable {
  // Unchecked because the lock guards it.
  private let lock = NSLock()
  private var errors = 0

  var count: Int { lock.withLock { errors } }

  func add() { lock.withLock { errors += 1 } }

  func reset() { lock.withLock { errors = 0 } }
}

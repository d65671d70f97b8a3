import Foundation

/// Values that several threads collect.
package final class Collected<Value>: @unchecked Sendable {
  // Unchecked because the values are guarded by the lock.
  private let lock = NSLock()
  private var collected: [Value] = []

  package init() {}

  package func append(_ value: Value) {
    lock.lock()
    defer { lock.unlock() }
    collected.append(value)
  }

  package func removeAll() {
    lock.lock()
    defer { lock.unlock() }
    collected = []
  }

  package var values: [Value] {
    lock.lock()
    defer { lock.unlock() }
    return collected
  }

  package var count: Int { values.count }
}

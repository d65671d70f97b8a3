import Dflat
import Dispatch
import Foundation

/// How many seconds a test waits for what has to happen. Only a failure takes as long: while other tests hold the few threads
/// that all tasks share, what is due at once may come many minutes later.
package let patience: Double = 1200

/// A gate that stays open once it has been opened.
package final class Gate: @unchecked Sendable {
  // Unchecked because the variable is guarded by the condition.
  private let condition = NSCondition()
  private var isOpened = false

  package init() {}

  package var isOpen: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isOpened
  }

  package func open() {
    condition.lock()
    defer { condition.unlock() }
    isOpened = true
    condition.broadcast()
  }

  /// Returns whether the gate is open, at the latest after some seconds.
  @discardableResult
  package func wait(_ seconds: Double = patience) -> Bool {
    let end = Date() + seconds
    condition.lock()
    defer { condition.unlock() }
    while !isOpened {
      if !condition.wait(until: end) { return isOpened }
    }
    return true
  }
}

/// A value that several threads read and change.
package final class Locked<Value>: @unchecked Sendable {
  // Unchecked because the value is guarded by the lock.
  private let lock = NSLock()
  private var guarded: Value

  package init(_ value: Value) {
    guarded = value
  }

  package var value: Value {
    get { lock.withLock { guarded } }
    set { lock.withLock { guarded = newValue } }
  }

  package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&guarded) }
  }
}

/// A transaction that a test has asked for.
package final class PendingTransaction: Sendable {
  private let started = Gate()
  private let completed = Gate()
  private let success = Locked(false)

  /// - Parameter completion: called after the outcome can be asked for.
  package init(
    _ types: [Any.Type], in workspace: any Workspace, completion: @escaping @Sendable (Bool) -> Void = { _ in },
    _ changes: @escaping @Sendable (any TransactionContext) -> Void
  ) {
    let (started, completed, success) = (started, completed, success)
    workspace.performChanges(types) { context in
      started.open()
      changes(context)
    } completionHandler: {
      success.value = $0
      completed.open()
      completion($0)
    }
  }

  package var hasStarted: Bool { started.isOpen }
  package var hasCompleted: Bool { completed.isOpen }

  /// Whether the closure has been called, at the latest after some seconds.
  package func starts(within seconds: Double = patience) -> Bool { started.wait(seconds) }

  /// How the transaction has completed; nil if it has not in this time, so that a test fails rather than hangs.
  package func outcome(within seconds: Double = patience) -> Bool? { completed.wait(seconds) ? success.value : nil }
}

/// Threads that a test runs beside its own.
package final class BackgroundThreads: Sendable {
  private let group = DispatchGroup()

  package init(_ count: Int = 1, _ body: @escaping @Sendable (Int) -> Void) {
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread { [group] in
        body(number)
        group.leave()
      }
    }
  }

  /// Whether all have returned, at the latest after some seconds.
  package func end(within seconds: Double = patience) -> Bool { group.wait(timeout: .now() + seconds) == .success }
}

/// Waits until a condition holds. Returns false if it does not in this time.
package func eventually(within seconds: Double = patience, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date() + seconds
  while try !condition() {
    if Date() > end { return false }
    usleep(1000)
  }
  return true
}

/// Runs what blocks on a thread of its own, since a task must not block one of the few threads of all tasks.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

/// Waits until a condition of the main actor holds, and leaves the main actor to others meanwhile. Returns false if it does not
/// in this time.
@MainActor
package func eventuallyOnMainActor(within seconds: Double = patience, _ condition: () -> Bool) async throws -> Bool {
  let end = Date() + seconds
  while !condition() {
    if Date() > end { return false }
    try await Task.sleep(nanoseconds: 1_000_000)
  }
  return true
}

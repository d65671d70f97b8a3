/// Whether the task that waits for a transaction has been cancelled. Guarded by the scheduler.
package final class TaskCancellation: @unchecked Sendable {
  // Unchecked because only the scheduler uses the variable, under its lock.
  var isCancelled = false

  package init() {}
}

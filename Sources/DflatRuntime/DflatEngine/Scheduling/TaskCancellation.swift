/// Whether the task has been cancelled that waits for a transaction. Guarded by the scheduler.
package final class TaskCancellation: @unchecked Sendable {
  // Unchecked because the scheduler alone uses the variable, under its lock.
  var isCancelled = false

  package init() {}
}

import Dflat
import FlatBuffersCore
import Foundation

/// The engine of a workspace. For one kind of database it implements:
///
/// - how a transaction runs, as a `TransactionRunner`, with a context that is an `EngineTransaction`;
/// - how rows are read: as a `FetchSource` and an `ObservableStore`, by plans of a planner that is an `SQLDialect`;
/// - what commits there are, by the `ChangeFeed` of its `observation`;
/// - how it is closed.
///
/// Extensions implement the rest of `Workspace`, alike for all engines.
package protocol StoreEngine: ObservableStore, TransactionRunner {
  var scheduler: TransactionScheduler { get }
  var reporter: ErrorReporter { get }
  var events: StoreEvents { get }

  /// Calls the error handler. The caller holds no lock, since the handler may use the workspace.
  func report(_ error: any Error)

  /// Runs `body` so that all its fetches on this thread read one commit version.
  func withSnapshot<Result>(_ body: () throws -> Result) rethrows -> Result

  /// Whether the calling thread is in a transaction or a snapshot, for which closing would wait.
  var isInUseByThread: Bool { get }

  /// Records how the store is to be closed. Transactions are no longer accepted.
  func prepareToClose(_ flags: WorkspaceShutdownFlag)

  /// Waits until everything that has begun has ended, and closes the database. It may be called more than once.
  func close()
}

extension StoreEngine {
  package func report(_ error: any Error) { reporter.report(error) }

  package func handle(_ failure: StoreError) {
    (ThreadScope.innermost(of: reporter.checkedSnapshots)?.content as? FailedFetches)?.note(failure)
    // A fetch after a shutdown is no failure: there is nothing to fetch.
    if case .failed(let reason) = failure { report(reason) }
  }
}

// MARK: Snapshots

/// The first error among a closure's fetches, including those that did not throw.
private final class FailedFetches {
  private(set) var first: StoreError?

  func note(_ failure: StoreError) { first = first ?? failure }
}

extension StoreEngine {
  /// Runs `closure` in a snapshot. Throws if one of its fetches has failed, even one by a method that does not throw.
  package func withCheckedSnapshot<Value>(_ closure: () throws -> Value) throws -> Value {
    let failures = FailedFetches()
    let value = try ThreadScope(of: reporter.checkedSnapshots, holding: failures).run { try withSnapshot(closure) }
    if let failure = failures.first { throw failure }
    return value
  }
}

// MARK: Transactions

extension StoreEngine {
  package func performChanges(
    _ types: [Any.Type], _ changesHandler: sending @escaping (any TransactionContext) -> Void,
    _ completionHandler: sending ((_ success: Bool) -> Void)?
  ) {
    // Safe: it was sent here, so no other code can use what it captures, and the scheduler calls it once, on one
    // thread. Not in an `UncheckedSendableBox`: that is generic, and would wrap the closure in another one for each
    // transaction.
    nonisolated(unsafe) let completionHandler = completionHandler
    if reporter.forks.isInChild {
      // A forked child has no other thread, and never gets one.
      report(ForkedProcessError())
      completionHandler?(false)
      return
    }
    perform(types, changesHandler) { completionHandler?($0 == nil) }
  }

  package func performChanges(
    _ types: [Any.Type], _ changesHandler: sending @escaping (any TransactionContext) -> Void
  ) async -> Bool {
    let handler = UncheckedSendableBox(changesHandler)
    return await perform(types, unlessCancelled: { handler.closure($0) }) == nil
  }

  package func performChanges<Value: Sendable>(
    _ types: [Any.Type], _ changesHandler: sending @escaping (any TransactionContext) throws -> Value
  ) async throws -> Value {
    let attempt = TransactionAttempt(changesHandler)
    let failure = await perform(types, unlessCancelled: { attempt.run(in: $0) })
    return try attempt.outcome(failure: failure)
  }

  /// Runs `changesHandler` as a transaction, in its turn among the transactions that share a type with it, and then
  /// calls `completion`.
  private func perform(
    _ types: [Any.Type], _ changesHandler: sending @escaping (any TransactionContext) -> Void,
    completion: @escaping @Sendable (_ failure: TransactionError?) -> Void
  ) {
    scheduler.enqueue(types, for: self, changesHandler: changesHandler, completion: completion)
  }

  /// Runs `changesHandler` as a transaction, and waits for its end. If the task is cancelled before the closure begins,
  /// the closure does not run.
  ///
  /// - Returns: why the changes are not stored; nil if they are.
  private func perform(
    _ types: [Any.Type], unlessCancelled changesHandler: @escaping @Sendable (any TransactionContext) -> Void
  ) async -> TransactionError? {
    if reporter.forks.isInChild {
      report(ForkedProcessError())
      return .others(ForkedProcessError())
    }
    let (scheduler, cancellation) = (scheduler, TaskCancellation())
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        perform(types) { transaction in
          if scheduler.isCancelled(cancellation) { transaction.abort() } else { changesHandler(transaction) }
        } completion: {
          continuation.resume(returning: $0)
        }
      }
    } onCancel: {
      scheduler.cancel(cancellation)
    }
  }
}

// MARK: Closing

extension StoreEngine {
  package func shutdown(_ flags: WorkspaceShutdownFlag, _ completion: sending (() -> Void)?) {
    if reporter.forks.isInChild {
      // The file and the connections belong to the parent.
      report(ForkedProcessError())
      completion?()
      return
    }
    scheduler.stop()
    prepareToClose(flags)
    guard let completion else {
      // The error handler calls this: closing may have to wait for the operation that reports the error.
      if reporter.isReporting { return close(then: {}) }
      if isInUseByThread {
        stopProgram(
          "A workspace cannot be shut down inside its own transaction or snapshot: it would wait for itself. "
            + "Give shutdown a completion handler, or call it after the closure.")
      }
      if scheduler.isKeptByCallingThread {
        report(DeferredShutdown())
        return close(then: {})
      }
      return close()
    }
    close(then: completion)
  }

  package func shutdown(_ flags: WorkspaceShutdownFlag) async {
    await withCheckedContinuation { continuation in
      shutdown(flags) { continuation.resume() }
    }
  }

  /// Closes the store on a new thread, and then calls `completion`.
  private func close(then completion: sending @escaping () -> Void) {
    let completion = UncheckedSendableBox(completion)
    // A thread of its own: it only waits, and must not take one from the transactions that it waits for.
    Thread.detachNewThread {
      self.close()
      completion.closure()
    }
  }
}

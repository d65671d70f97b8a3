import Dflat
import FlatBuffersCore
import Foundation

/// The engine of a workspace. It implements, for one kind of database:
///
/// - how a transaction runs: `perform`, with a context that is an `EngineTransaction`;
/// - how rows are read: as a `FetchSource` and an `ObservableStore`, by plans of a planner that is an `SQLDialect`;
/// - what commits there are, by the `ChangeFeed` of its `observation`;
/// - how it is closed.
///
/// What `Workspace` promises beyond that is the same for all engines, and stands in extensions.
package protocol StoreEngine: ObservableStore {
  var scheduler: TransactionScheduler { get }
  var reporter: ErrorReporter { get }
  var events: StoreEvents { get }

  /// Runs `body` such that all it fetches on this thread is of one commit version.
  func withSnapshot<Result>(_ body: () throws -> Result) rethrows -> Result

  /// Whether the calling thread holds something that closing would wait for: a transaction or a snapshot.
  var isInUseByThread: Bool { get }

  /// Runs `changesHandler` as a transaction, in its turn among those that share a type with it.
  func perform(
    _ types: [Any.Type], _ changesHandler: sending @escaping (any TransactionContext) -> Void,
    completion: @escaping @Sendable (_ failure: TransactionError?) -> Void)

  /// Notes how the store is to be closed. Transactions are no longer accepted.
  func prepareToClose(_ flags: WorkspaceShutdownFlag)

  /// Waits until everything that has begun is done, and closes the database. It may be called again.
  func close()
}

extension StoreEngine {
  /// Calls the error handler. Nothing is to be held: the handler may use the workspace.
  package func report(_ error: any Error) { reporter.report(error) }

  package func handle(_ failure: StoreError) {
    (ThreadScope.innermost(of: reporter.checkedSnapshots)?.content as? FailedFetches)?.note(failure)
    // After a shutdown there is nothing to fetch: that is no failure.
    if case .failed(let reason) = failure { report(reason) }
  }
}

// MARK: Snapshots

/// The fetches of a closure that have failed without throwing.
private final class FailedFetches {
  private(set) var first: StoreError?

  func note(_ failure: StoreError) { first = first ?? failure }
}

extension StoreEngine {
  /// Runs `closure` in a snapshot, and throws if a fetch in it has failed, also one by a method that does not throw.
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
    // Safe: it was sent here, so nobody else can use what it captures, and the scheduler calls it once, on one thread. Not in an
    // `UncheckedSendableBox`, which is generic: a closure in it is wrapped in another one, for each transaction.
    nonisolated(unsafe) let completionHandler = completionHandler
    if reporter.forks.isInChild {
      // There is no other thread, and never will be.
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

  /// Runs `changesHandler` as a transaction, and waits for its end. If the task is cancelled before the closure has begun, the
  /// closure does not run.
  ///
  /// - Returns: why its changes are not stored; nil if they are.
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
      // The file and the connections are the parent's.
      report(ForkedProcessError())
      completion?()
      return
    }
    scheduler.stop()
    prepareToClose(flags)
    guard let completion else {
      // What has failed, and tells of it here, may be what closing would wait for.
      if reporter.isReporting { return close(then: {}) }
      if isInUseByThread {
        stopProgram("A workspace cannot be shut down inside its own transaction or snapshot: it would wait for itself.")
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

  /// Closes in the background, and then calls `completion`.
  private func close(then completion: sending @escaping () -> Void) {
    let completion = UncheckedSendableBox(completion)
    // On a thread of its own: it only waits, and must not take one from the transactions that it waits for.
    Thread.detachNewThread {
      self.close()
      completion.closure()
    }
  }
}

import Dflat
import Foundation

extension SQLiteWorkspace {
  /// Releases all locks of the file, so that the system may suspend the process.
  ///
  /// iOS ends an app that is suspended while it holds a lock of a shared file, such as one in the container of an App
  /// Group. Call this when the app goes to the background, and `resume()` when it comes back:
  ///
  /// ```swift
  /// func didEnterBackground() {
  ///   do {
  ///     try workspace.suspend(within: .seconds(4))
  ///   } catch {
  ///     print(error)  // What has kept the workspace from being suspended.
  ///   }
  /// }
  ///
  /// func willEnterForeground() { workspace.resume() }
  /// ```
  ///
  /// When this has returned, no lock of the file is held, until `resume()` is called:
  ///
  /// - Transactions wait. Closures that have not begun will begin after `resume()`, and submitted changes will be
  ///   committed then. A running closure waits where it fetches or needs the writer; with a target queue, its
  ///   transaction fails instead.
  /// - A transaction that has the writer when this is called may end in the first half of the time. After that, its
  ///   next fetch or submission fails it, with `TransactionError.others` and a `SuspensionError` as the cause. None of
  ///   its changes are stored, and `mayBeTriedAgain` is true.
  /// - Fetches, reads of dictionary keys that are not pending, and `synchronize()` fail at once: they find nothing, and
  ///   the error handler is told `SuspensionError.suspended`. `workspace.fetch(for:).throwing` throws it. A new
  ///   subscriber to such a key is first told that there is no value.
  /// - Values of the dictionary can be set, and are written after `resume()`.
  /// - Subscribers, also new ones, are told of changes after `resume()`.
  ///
  /// To suspend a workspace that is suspended or has been shut down does nothing. A shutdown resumes the workspace
  /// first, so that no waiting transaction is lost. So does the release of the last reference to the workspace.
  ///
  /// Other workspaces of the process have locks of their own. A `temporary()` workspace keeps the lock of its folder,
  /// for which no other process waits.
  ///
  /// The call blocks its thread until then. Any thread may make it, outside of transactions and snapshots of the
  /// workspace.
  ///
  /// See also: Documentation/app-groups.md.
  ///
  /// - Parameter time: how long to wait for transactions, snapshots and fetches that have begun. A snapshot cannot be
  ///   interrupted, nor can a closure that has the writer and neither returns nor uses the workspace.
  /// - Throws: `SuspensionError` if the workspace is not suspended. It then goes on as if this had not been called.
  public func suspend(within time: Duration = .seconds(5)) throws(SuspensionError) {
    try Suspension(core).begin(within: time.seconds)
  }

  /// Releases all locks of the file, so that the system may suspend the process, and returns when that is done. The
  /// synchronous method of this name describes the effects.
  ///
  /// ```swift
  /// try await workspace.suspend(within: .seconds(4))
  /// ```
  ///
  /// A thread of its own waits, and none of Swift's pool. Cancelling the task has no effect.
  ///
  /// - Parameter time: how long to wait for transactions, snapshots and fetches that have begun.
  /// - Throws: `SuspensionError` if the workspace is not suspended. It then goes on as if this had not been called.
  public func suspend(within time: Duration = .seconds(5)) async throws(SuspensionError) {
    let core = core
    let outcome = await withCheckedContinuation { continuation in
      // On a thread of its own: it only waits, and must not take one from the transactions that it waits for.
      Thread.detachNewThread {
        continuation.resume(
          returning: Result { () throws(SuspensionError) in try Suspension(core).begin(within: time.seconds) })
      }
    }
    try outcome.get()
  }

  /// Ends a suspension: waiting transactions go on, and the next use opens the file. It does nothing if the workspace
  /// is not suspended. If the workspace is just being suspended, `suspend` throws `SuspensionError.resumed`.
  ///
  /// ```swift
  /// workspace.resume()
  /// ```
  ///
  /// Any thread may make the call. It waits for nothing but the end of a `suspend` that has begun.
  ///
  /// See also: Documentation/app-groups.md.
  public func resume() { Suspension(core).end() }

  /// Whether the workspace is suspended: `suspend` has succeeded, and `resume` has not been called since. False while
  /// `suspend` is still waiting.
  public var isSuspended: Bool { core.committer.withState { $0.suspension.isSuspended } }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

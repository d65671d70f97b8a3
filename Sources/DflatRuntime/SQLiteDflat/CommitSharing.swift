import Dispatch

/// Whether transactions should be committed together just now. For the holder of the write lock.
///
/// A transaction that stands aside for those before it lets go of SQLite's own lock for a moment, and fails if another
/// process, or workspace, writes in that moment: it may have read what has been replaced. So this must be rare.
final class CommitSharing: @unchecked Sendable {
  // Unchecked because the variables are guarded by the write lock.
  private var foreignChanges = 0
  /// Nil while there is no pause.
  private var pauseEnd: DispatchTime?
  private var totalChanges: Int32 = 0

  /// How long nothing is shared after others have written.
  private static let foreignPause = DispatchTimeInterval.seconds(1)
  /// How long nothing is shared after a transaction has stood aside. Where many do, to let them was of no use; and whoever
  /// waits to write would find no other moment than such a one.
  private static let asidePause = DispatchTimeInterval.milliseconds(100)

  /// - Parameter foreignChanges: how often it has been noticed that others have written.
  func isAdvisable(_ foreignChanges: Int) -> Bool {
    if foreignChanges != self.foreignChanges {
      self.foreignChanges = foreignChanges
      pauseEnd = .now() + CommitSharing.foreignPause
    }
    // The clock is asked for each transaction only while it matters.
    guard let end = pauseEnd else { return true }
    guard DispatchTime.now() >= end else { return false }
    pauseEnd = nil
    return true
  }

  /// Whether the transaction that ends has written so much that its commit is a small part of what it costs. One like it
  /// after it, if it were in a group then, would have to stand aside.
  ///
  /// - Parameter totalChanges: how many rows the connection has written. To be told at the end of each transaction.
  func hasWrittenMuch(_ totalChanges: Int32) -> Bool {
    defer { self.totalChanges = totalChanges }
    return totalChanges &- self.totalChanges >= CommitSharing.manyRows
  }

  private static let manyRows: Int32 = 128

  func noteStandingAside() {
    let end = DispatchTime.now() + CommitSharing.asidePause
    pauseEnd = pauseEnd.map { max($0, end) } ?? end
  }
}

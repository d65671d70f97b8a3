import CSQLite
import Dflat
import DflatEngine
import Dispatch
import FlatBuffersCore

/// Writes the values of the dictionary that are pending, in the background.
///
/// All that is pending at one moment is written in one SQLite transaction, so that after a crash the values are those of
/// some moment; a key that was set several times meanwhile is written once. What fails for a reason that may pass, such as
/// a full disk, stays pending and is tried again. What can never be written is taken back, and the key has again the value
/// that is on disk. The error handler is told of both.
final class DictionaryWriter: Sendable {
  private let cache: DictionaryCache
  private let database: Database
  private let committer: Committer
  private let report: @Sendable (any Error) -> Void
  /// Tells the subscribers of keys what these hold.
  private let tellAgain: @Sendable ([DictionaryPath]) -> Void
  private let queue = DispatchQueue(label: "dflat.dictionary")

  /// The pauses between attempts, in milliseconds: each is twice as long as the one before.
  private static let pauses = 100...10_000

  init(
    _ cache: DictionaryCache, database: Database, committer: Committer,
    tellAgain: @escaping @Sendable ([DictionaryPath]) -> Void, report: @escaping @Sendable (any Error) -> Void
  ) {
    self.cache = cache
    self.database = database
    self.committer = committer
    self.tellAgain = tellAgain
    self.report = report
  }

  // MARK: When

  /// Writes what is pending, in the background. For who was told that this is needed.
  func writeInBackground() { writeInBackground(after: 0) }

  /// - Parameter pause: how long to wait before, in milliseconds, after an attempt that has failed; 0 for none.
  private func writeInBackground(after pause: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) {
      repeat {
        guard case .failed(let error) = self.write() else { continue }
        // The first failure is reported, and its retries are not.
        if pause == 0 { self.report(error) }
        let next = max(DictionaryWriter.pauses.lowerBound, min(2 * pause, DictionaryWriter.pauses.upperBound))
        return self.writeInBackground(after: next)
      } while self.cache.mustGoOnWriting()
    }
  }

  /// Writes what is pending, on the calling thread.
  ///
  /// - Returns: whether all that was set before is on disk.
  func synchronize() -> Bool {
    guard cache.hasPending else { return true }
    var isComplete = true
    while true {
      switch write(unlessSuspended: true) {
      // Once this thread had the writer, nobody else was writing, and all that was pending has been taken.
      case .written: return isComplete
      case .refused: isComplete = false
      case .failed(let error):
        report(error)
        // The background job may have ended while this thread had taken what was pending.
        if cache.scheduleWrite() { writeInBackground(after: DictionaryWriter.pauses.lowerBound) }
        return false
      }
    }
  }

  /// Writes what is pending for the last time. Values that cannot be written now are taken back, and reported.
  func close() {
    while cache.hasPending, case .refused = write(isLast: true) {}
  }

  // MARK: Writing

  private enum Outcome {
    case written
    /// Some values can never be written, and were taken back. The others are pending.
    case refused
    /// All are pending.
    case failed(DictionaryError)
  }

  /// Writes what is pending, in one transaction.
  ///
  /// - Parameters:
  ///   - isLast: whether there will be no other attempt, so that any failure is final.
  ///   - unlessSuspended: whether it fails while the store is suspended: the thread may be the one that is to resume it.
  private func write(isLast: Bool = false, unlessSuspended: Bool = false) -> Outcome {
    do {
      if unlessSuspended {
        try committer.acquireWriterUnlessSuspended()
      } else {
        committer.acquireWriter(.transaction)
      }
    } catch {
      return .failed(DictionaryError(key: nil, namespace: "", .notWritten(error)))
    }
    let changes = cache.takePending()
    var count = 0
    do {
      let rows = changes.isEmpty ? [] : try commit(changes, &count)
      cache.endWriting(changes, rows: rows)
      committer.releaseWriter()
      return .written
    } catch {
      let refused = isLast ? changes.indices : DictionaryWriter.refused(changes, count, by: error)
      cache.takeBack(changes[refused])
      cache.endWriting(changes, rows: nil)
      committer.releaseWriter()
      // The handler is called when nothing is held: it may use the workspace.
      if refused.isEmpty {
        let path = changes.first?.change.path
        return .failed(
          DictionaryError(key: path?.key.text, namespace: path?.namespace.text ?? "", .notWritten(error)))
      }
      for change in changes[refused] {
        let path = change.change.path
        report(DictionaryError(key: path.key.text, namespace: path.namespace.text, .refused(error)))
      }
      tellAgain(changes[refused].map(\.change.path))
      return .refused
    }
  }

  /// - Parameter count: how many have been written.
  /// - Returns: the numbers of their rows.
  private func commit(_ changes: [DictionaryCache.PendingChange], _ count: inout Int) throws -> [Int64] {
    let writer = try database.writer()
    try writer.begin()
    cache.beginWriting()
    let rowNumbers: [Int64]
    do {
      var rows = DictionaryRowWriter(writer)
      for change in changes {
        try rows.apply(change.change, at: change.row)
        count += 1
      }
      try rows.finish()
      rowNumbers = rows.rowNumbers
    } catch {
      writer.rollBack()
      throw error
    }
    try writer.commit(publishing: .transactions([]))
    return rowNumbers
  }

  /// The changes that can never be written.
  ///
  /// - Parameter count: how many were written until `error` was thrown.
  private static func refused(
    _ changes: [DictionaryCache.PendingChange], _ count: Int, by error: any Error
  ) -> Range<Int> {
    guard let code = (error as? SQLiteError)?.code else {
      // It could not be encoded as a row.
      return count..<min(count + 1, changes.count)
    }
    switch code {
    case SQLITE_TOOBIG: return count..<min(count + 1, changes.count)
    // The file cannot be written, is another one by now, or no database; or the workspace has been shut down.
    case SQLITE_READONLY, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISUSE, SQLITE_PERM, SQLITE_AUTH:
      return 0..<changes.count
    default: return 0..<0
    }
  }
}

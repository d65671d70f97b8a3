import CSQLite
import Dflat
import DflatEngine
import Dispatch
import FlatBuffersCore

/// Writes the pending values of the dictionary in the background.
///
/// All values that are pending at one moment are written in one SQLite transaction, so that after a crash the values
/// are those of some moment. A key that was set several times meanwhile is written once. A write that fails for a
/// passing reason, such as a full disk, is tried again; the values stay pending. A value that can never be written is
/// dropped, and its key has the value on disk again. The error handler is told of both.
final class DictionaryWriter: Sendable {
  private let cache: DictionaryCache
  private let database: Database
  private let committer: Committer
  private let report: @Sendable (any Error) -> Void
  /// Tells subscribers the current values of their keys.
  private let tellAgain: @Sendable ([DictionaryPath]) -> Void
  private let queue = DispatchQueue(label: "dflat.dictionary")

  /// The shortest and the longest pause between two attempts, in milliseconds: each pause is twice as long as the one
  /// before.
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

  // MARK: Scheduling

  /// Writes the pending values in the background. The caller was told by the cache that this is needed.
  func writeInBackground() { writeInBackground(after: 0) }

  /// Writes the pending values in the background, after a pause.
  /// - Parameter pause: how many milliseconds to wait after a failed attempt; 0 for none.
  private func writeInBackground(after pause: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) {
      var pause = pause
      repeat {
        guard case .failed(let error, depth: let depth) = self.write() else {
          pause = 0
          continue
        }
        // The first failure is reported, and its retries are not.
        if pause == 0 { HandlerDepth.$current.withValue(depth) { self.report(error) } }
        let next = max(DictionaryWriter.pauses.lowerBound, min(2 * pause, DictionaryWriter.pauses.upperBound))
        return self.writeInBackground(after: next)
      } while self.cache.mustGoOnWriting()
    }
  }

  /// Writes the pending values on the calling thread.
  ///
  /// - Returns: whether all values that were set before are on disk.
  func synchronize() -> Bool {
    guard cache.hasPending else { return true }
    let last = cache.setCount
    var isComplete = true
    while true {
      switch write(unlessSuspended: true) {
      // Once this thread had the writer, no other was writing, and all pending values were taken.
      case .written:
        // A key that was set again during the write is still pending. The background job may have ended before that,
        // when nothing was pending.
        if cache.scheduleWrite() { writeInBackground() }
        return isComplete
      case .refused:
        isComplete = false
        if cache.hasPending(setUpTo: last) { continue }
        // What is pending now was set meanwhile. If all of that is refused, too, a thread that sets keys all the time
        // would keep this call from returning.
        if cache.scheduleWrite() { writeInBackground() }
        return false
      case .failed(let error, depth: _):
        report(error)
        // The background job may have ended while this thread was writing the pending values.
        if cache.scheduleWrite() { writeInBackground(after: DictionaryWriter.pauses.lowerBound) }
        return false
      }
    }
  }

  /// Writes the pending values for the last time. Values that cannot be written now are dropped, and reported.
  ///
  /// - Parameter longestWait: how long to wait until the error handler was told of values that the background has dropped.
  func close(waitingAtMost longestWait: DispatchTimeInterval) {
    while cache.hasPending, case .refused = write(isLast: true) {}
    // The program may end when the store is closed. Not for ever, since the handler may wait for the calling thread.
    let isTold = DispatchSemaphore(value: 0)
    queue.async { isTold.signal() }
    _ = isTold.wait(timeout: .now() + longestWait)
  }

  // MARK: Writing

  private enum Outcome {
    case written
    /// Some values can never be written, and were dropped. The others are pending.
    case refused
    /// No value was written. All are still pending. `depth` is the lowest `HandlerDepth` of the calls that have set
    /// them.
    case failed(DictionaryError, depth: Int)
  }

  /// Writes the pending values in one SQLite transaction.
  ///
  /// - Parameters:
  ///   - isLast: whether this is the last attempt, so that any failure is final.
  ///   - unlessSuspended: whether it fails while the store is suspended, since the calling thread may be the one that
  ///     has to resume it.
  private func write(isLast: Bool = false, unlessSuspended: Bool = false) -> Outcome {
    do {
      if unlessSuspended {
        try committer.acquireWriterUnlessSuspended()
      } else {
        committer.acquireWriter(.transaction)
      }
    } catch {
      return .failed(DictionaryError(key: nil, namespace: "", .notWritten(error)), depth: HandlerDepth.current)
    }
    let changes = cache.takePending()
    var count = 0
    do {
      let rows: [Int64]? = changes.isEmpty ? [] : try commit(changes, &count)
      // The keys are not known to be absent: another process may make the file, which counts as no commit of others.
      if rows == nil { cache.takeBack(changes) }
      cache.endWriting(changes, rows: rows)
      committer.releaseWriter()
      return .written
    } catch {
      let refused = isLast ? changes.indices : DictionaryWriter.refused(changes, count, by: error)
      cache.takeBack(changes[refused])
      cache.endWriting(changes, rows: nil)
      committer.releaseWriter()
      // The handler is called when this thread holds nothing, since it may use the workspace.
      if refused.isEmpty {
        let path = changes.first?.change.path
        return .failed(
          DictionaryError(key: path?.key.text, namespace: path?.namespace.text ?? "", .notWritten(error)),
          depth: changes.lazy.map(\.handlerDepth).min() ?? 0)
      }
      for change in changes[refused] {
        let path = change.change.path
        // The depth of the call that has set the key: otherwise an error handler that sets a key which is refused would
        // be called for ever.
        HandlerDepth.$current.withValue(change.handlerDepth) {
          report(DictionaryError(key: path.key.text, namespace: path.namespace.text, .refused(error)))
        }
      }
      tellAgain(changes[refused].map(\.change.path))
      return .refused
    }
  }

  /// Writes and commits changes.
  ///
  /// - Parameter count: is raised by each change that was written.
  /// - Returns: the rows of the changes' keys; nil if all changes are removals, and there is no file to remove keys from.
  private func commit(_ changes: [DictionaryCache.PendingChange], _ count: inout Int) throws -> [Int64]? {
    let isRemoval = changes.allSatisfy { $0.change.value == nil }
    guard let writer = try isRemoval ? database.existingWriter() : database.writer() else { return nil }
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

  /// Returns the range of the changes that can never be written: all if the file is unfit, the one that caused the
  /// error if its value is, and none if a later attempt may succeed.
  ///
  /// - Parameter count: the number of changes that were written before `error` was thrown.
  private static func refused(
    _ changes: [DictionaryCache.PendingChange], _ count: Int, by error: any Error
  ) -> Range<Int> {
    guard let code = (error as? SQLiteError)?.code else {
      // The change could not be encoded as a row.
      return count..<min(count + 1, changes.count)
    }
    switch code {
    case SQLITE_TOOBIG: return count..<min(count + 1, changes.count)
    // The file cannot be written, was replaced, or is no database; or the workspace has been shut down.
    case SQLITE_READONLY, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISUSE, SQLITE_PERM, SQLITE_AUTH:
      return 0..<changes.count
    default: return 0..<0
    }
  }
}

import Dflat
import DflatEngine
import Dispatch

/// Builds the missing indexes of types, in the background on a connection of its own.
///
/// Rows that are written meanwhile get their entries, and no fetch or transaction waits for a build. Until an index is
/// complete, fetches read the rows instead.
final class IndexBuilder: Sendable {
  private let options: PostgresOptions
  private let catalog: TableCatalog
  private let report: @Sendable (any Error) -> Void
  private let queue = DispatchQueue(label: "dflat.index")
  private let state = Guarded(State(), rank: .catalog)

  private struct State {
    /// The types whose missing indexes were requested and are not built yet.
    var requests: [ObjectIdentifier: Request] = [:]
    /// How many types' indexes are being built or looked for.
    var activeCount = 0
    /// Cancels the statement that builds an index now.
    var cancellation: PostgresConnection.Cancellation?
    var isStopped = false
    /// The error of each type whose last build has failed.
    var failures: [ObjectIdentifier: any Error] = [:]
  }

  private enum Request {
    case underWay
    /// The last build failed for a reason that only a person can remove: a missing right, or rows that violate a unique
    /// index. Fetches and transactions start no other, so that the reason is reported once.
    case refused
    /// The last build failed for another reason, a moment ago. Until a while has passed, nobody starts another.
    case failed
  }

  /// The pause before the next attempt while another process builds indexes.
  private static let pause = DispatchTimeInterval.seconds(1)
  /// The pause after a failed build, before a fetch or a transaction may start the next one. The reason may last.
  private static let pauseAfterFailure = DispatchTimeInterval.seconds(5)
  /// The pause before another cancellation, in seconds: the cancelled statement may have ended just then, and another
  /// one begun.
  private static let cancellationPause = 0.1
  /// The most seconds that a shutdown waits for a build to end: a server that is stopped cancels none.
  private static let shutdownTimeout = 10.0

  init(_ options: PostgresOptions, _ catalog: TableCatalog, report: @escaping @Sendable (any Error) -> Void) {
    self.options = options
    self.catalog = catalog
    self.report = report
  }

  /// Requests the missing indexes of a type, and returns at once. Does nothing if they are being built, if the last build
  /// was refused, or if it has just failed.
  func request(_ record: RecordDescription) {
    guard options.buildsIndexes, !options.readsStandby else { return }
    let isNew = state.withLock { state in
      guard !state.isStopped, state.requests[ObjectIdentifier(record)] == nil else { return false }
      state.requests[ObjectIdentifier(record)] = .underWay
      return true
    }
    if isNew { queue.async { self.build(record) } }
  }

  /// Returns the error of the last build of a type's indexes; nil if it did not fail.
  func failure(of record: RecordDescription) -> (any Error)? {
    state.withLock { $0.failures[ObjectIdentifier(record)] }
  }

  /// Forgets that the last build of a type's indexes failed or was refused, so that the next request starts another.
  func forgetFailure(of record: RecordDescription) {
    state.withLock { state in
      state.failures[ObjectIdentifier(record)] = nil
      if state.requests[ObjectIdentifier(record)] != .underWay { state.requests[ObjectIdentifier(record)] = nil }
    }
  }

  /// Builds the missing indexes of a type. Runs on the queue.
  private func build(_ record: RecordDescription) {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.activeCount += 1 }
      return state.isStopped
    }
    if isStopped { return }
    var request: Request?
    do {
      if try !makeIndexes(of: record) { request = .underWay }
      state.withLock { $0.failures[ObjectIdentifier(record)] = nil }
    } catch {
      // Whatever the reason: the next builder makes a half-made index anew.
      let failure = error as? PostgresError
      let isViolation = failure?.isConflict == true
      // The transaction that was the first to write the type has reported the violation.
      let isReported = isViolation && catalog.writableLayout(of: record) != nil
      let isNews = state.withLock { state in
        let former = state.failures.updateValue(error, forKey: ObjectIdentifier(record))
        return !state.isStopped && former.map { "\($0)" } != "\(error)"
      }
      if !isReported, isNews { report(error) }
      request = isViolation || failure?.cause == .missingPermission ? .refused : .failed
    }
    state.withLock { state in
      state.activeCount -= 1
      state.cancellation = nil
      state.requests[ObjectIdentifier(record)] = request
    }
    state.notifyAll()
    switch request {
    case .underWay: queue.asyncAfter(deadline: .now() + IndexBuilder.pause) { self.build(record) }
    case .failed: queue.asyncAfter(deadline: .now() + IndexBuilder.pauseAfterFailure) { self.endPause(of: record) }
    case .refused, nil: break
    }
  }

  /// Lets the next fetch or transaction of a type whose build has failed start another.
  private func endPause(of record: RecordDescription) {
    state.withLock { state in
      if state.requests[ObjectIdentifier(record)] == .failed { state.requests[ObjectIdentifier(record)] = nil }
    }
  }

  /// Makes the missing indexes of a type on a new connection.
  ///
  /// - Returns: false if another process makes indexes of the type now, so that some may still be missing.
  private func makeIndexes(of record: RecordDescription) throws -> Bool {
    let connection = try PostgresConnection.withoutTimeout(options.direct)
    let isStopped = state.withLock { state in
      state.cancellation = connection.cancellation()
      return state.isStopped
    }
    if isStopped { return true }
    return try TablePreparation(catalog: catalog, connection: connection).makeMissingIndexes(of: record)
  }

  /// Cancels the running build, prevents others, and waits until none runs, but not for a server that is stopped. The
  /// server keeps an invalid index, which no query uses and the next build replaces.
  func stop() {
    state.withLock { $0.isStopped = true }
    let end = DispatchTime.now() + Self.shutdownTimeout
    while DispatchTime.now() < end {
      let cancellation = state.withLock { $0.activeCount > 0 ? $0.cancellation : nil }
      _ = cancellation?.request(within: Self.shutdownTimeout)
      let isIdle: Void? = state.wait(atMost: IndexBuilder.cancellationPause) { $0.activeCount == 0 ? () : nil }
      if isIdle != nil { return }
    }
  }
}

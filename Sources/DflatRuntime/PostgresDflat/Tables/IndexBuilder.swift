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
    var requested: Set<ObjectIdentifier> = []
    /// How many types' indexes are being built or looked for.
    var activeCount = 0
    /// Cancels the statement that builds an index now.
    var cancellation: PostgresConnection.Cancellation?
    var isStopped = false
    /// The error of each type whose last build has failed.
    var failures: [ObjectIdentifier: any Error] = [:]
  }

  /// The pause before the next attempt while another process builds indexes.
  private static let pause = DispatchTimeInterval.seconds(1)
  /// The pause before another cancellation, in seconds: the cancelled statement may have ended just then, and another
  /// one begun.
  private static let cancellationPause = 0.1

  init(_ options: PostgresOptions, _ catalog: TableCatalog, report: @escaping @Sendable (any Error) -> Void) {
    self.options = options
    self.catalog = catalog
    self.report = report
  }

  /// Requests the missing indexes of a type, and returns at once. Does nothing if they are requested already.
  func request(_ record: RecordDescription) {
    guard options.buildsIndexes, !options.readsStandby else { return }
    let isNew = state.withLock { !$0.isStopped && $0.requested.insert(ObjectIdentifier(record)).inserted }
    if isNew { queue.async { self.build(record) } }
  }

  /// Returns the error of the last build of a type's indexes; nil if it did not fail.
  func failure(of record: RecordDescription) -> (any Error)? {
    state.withLock { $0.failures[ObjectIdentifier(record)] }
  }

  func forgetFailure(of record: RecordDescription) { state.withLock { $0.failures[ObjectIdentifier(record)] = nil } }

  /// Builds the missing indexes of a type. Runs on the queue.
  private func build(_ record: RecordDescription) {
    let isStopped = state.withLock { state in
      if !state.isStopped { state.activeCount += 1 }
      return state.isStopped
    }
    if isStopped { return }
    var isDone = true
    var isRefused = false
    do {
      isDone = try makeIndexes(of: record)
    } catch {
      // Whatever the reason: the next builder makes a half-made index anew.
      let isStopped = state.withLock { state in
        state.failures[ObjectIdentifier(record)] = error
        return state.isStopped
      }
      if !isStopped { report(error) }
      // A missing right is reported once, and not retried: somebody else has to make the index.
      isRefused = (error as? PostgresError)?.cause == .missingPermission
    }
    state.withLock { state in
      state.activeCount -= 1
      state.cancellation = nil
      if isDone, !isRefused { state.requested.remove(ObjectIdentifier(record)) }
    }
    state.notifyAll()
    if !isDone { queue.asyncAfter(deadline: .now() + IndexBuilder.pause) { self.build(record) } }
  }

  /// Makes the missing indexes of a type on a new connection.
  ///
  /// - Returns: false if an index is still missing: another process makes indexes of the type now, or it is a unique one,
  ///   which is not made here.
  private func makeIndexes(of record: RecordDescription) throws -> Bool {
    var options = options.direct
    // An index of many rows may take any time.
    options.statementTimeout = nil
    let connection = try PostgresConnection(options)
    let isStopped = state.withLock { state in
      state.cancellation = connection.cancellation()
      return state.isStopped
    }
    if isStopped { return true }
    return try TablePreparation(catalog: catalog, connection: connection).makeMissingIndexes(of: record)
  }

  /// Cancels the running build, prevents others, and waits until none runs. The server keeps an invalid index, which no
  /// query uses and the next build replaces.
  func stop() {
    state.withLock { $0.isStopped = true }
    while true {
      let cancellation = state.withLock { $0.activeCount > 0 ? $0.cancellation : nil }
      cancellation?.request()
      let isIdle: Void? = state.wait(atMost: IndexBuilder.cancellationPause) { $0.activeCount == 0 ? () : nil }
      if isIdle != nil { return }
    }
  }
}

import Dflat
import DflatEngine
import Dispatch

/// Makes indexes that a type has and the database lacks, in the background on a connection of its own.
///
/// Rows that are written meanwhile get their entries, and no fetch or transaction waits for it. Until an index is complete, what
/// it would answer is answered from the rows.
final class IndexBuilder: Sendable {
  private let options: PostgresOptions
  private let catalog: TableCatalog
  private let report: @Sendable (any Error) -> Void
  private let queue = DispatchQueue(label: "dflat.index")
  private let state = Guarded(State(), rank: .catalog)

  private struct State {
    var requested: Set<ObjectIdentifier> = []
    /// How many types are being looked at.
    var activeCount = 0
    /// Ends the statement that makes an index just now.
    var cancellation: PostgresConnection.Cancellation?
    var isStopped = false
    /// Why the indexes of a type could not be made the last time.
    var failures: [ObjectIdentifier: any Error] = [:]
  }

  /// When it is tried again, while another process makes indexes.
  private static let pause = DispatchTimeInterval.seconds(1)
  /// When a statement is cancelled again, in seconds: the one before may have ended just then.
  private static let cancellationPause = 0.1

  init(_ options: PostgresOptions, _ catalog: TableCatalog, report: @escaping @Sendable (any Error) -> Void) {
    self.options = options
    self.catalog = catalog
    self.report = report
  }

  /// Has the missing indexes of a type made.
  func request(_ record: RecordDescription) {
    guard options.buildsIndexes, !options.readsStandby else { return }
    let isNew = state.withLock { !$0.isStopped && $0.requested.insert(ObjectIdentifier(record)).inserted }
    if isNew { queue.async { self.build(record) } }
  }

  /// Why the indexes of a type could not be made the last time; nil if that has not failed.
  func failure(of record: RecordDescription) -> (any Error)? {
    state.withLock { $0.failures[ObjectIdentifier(record)] }
  }

  func forgetFailure(of record: RecordDescription) { state.withLock { $0.failures[ObjectIdentifier(record)] = nil } }

  /// On the queue.
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
      // Whatever the reason is: what is half made is made anew by who comes next.
      let isStopped = state.withLock { state in
        state.failures[ObjectIdentifier(record)] = error
        return state.isStopped
      }
      if !isStopped { report(error) }
      // That the role lacks the right is reported once: somebody else has to make the index.
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

  /// - Returns: false if another process makes some just now.
  private func makeIndexes(of record: RecordDescription) throws -> Bool {
    var options = options.direct
    // To make an index of many rows takes as long as it takes.
    options.statementTimeout = nil
    let connection = try PostgresConnection(options)
    let isStopped = state.withLock { state in
      state.cancellation = connection.cancellation()
      return state.isStopped
    }
    if isStopped { return true }
    return try TablePreparation(catalog: catalog, connection: connection).makeMissingIndexes(of: record)
  }

  /// Begins no other build, and cancels the one that is running. The server keeps an invalid index, which no query uses, and which
  /// the next build replaces.
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

import Dflat
import DflatEngine
import Dispatch

/// Makes indexes that a type has and the database lacks, in the background on a connection of its own.
///
/// Rows that are written meanwhile get their entries, and no fetch or transaction waits for it. Until an index is complete, what
/// it would answer is answered from the rows.
final class IndexBuilder: @unchecked Sendable {
  // Unchecked: the variables are used on the queue.

  private let options: PostgresOptions
  private let catalog: TableCatalog
  private let report: @Sendable (any Error) -> Void
  private let queue = DispatchQueue(label: "dflat.index")
  private var requested: [ObjectIdentifier: RecordDescription] = [:]
  private var isStopped = false

  /// When it is tried again, while another process makes indexes.
  private static let pause = DispatchTimeInterval.seconds(1)

  init(_ options: PostgresOptions, _ catalog: TableCatalog, report: @escaping @Sendable (any Error) -> Void) {
    self.options = options
    self.catalog = catalog
    self.report = report
  }

  /// Has the missing indexes of a type made.
  func request(_ record: RecordDescription) {
    guard options.buildsIndexes else { return }
    queue.async {
      guard !self.isStopped, self.requested.updateValue(record, forKey: ObjectIdentifier(record)) == nil else { return }
      self.build(record)
    }
  }

  private func build(_ record: RecordDescription) {
    do {
      var options = options
      // To make an index of many rows takes as long as it takes.
      options.statementTimeout = nil
      let connection = try PostgresConnection(options)
      if try TablePreparation(catalog: catalog, connection: connection).makeMissingIndexes(of: record) {
        requested[ObjectIdentifier(record)] = nil
        return
      }
    } catch {
      requested[ObjectIdentifier(record)] = nil
      report(error)
      return
    }
    queue.asyncAfter(deadline: .now() + IndexBuilder.pause) { if !self.isStopped { self.build(record) } }
  }

  /// Begins nothing more, and waits for what is being made.
  func stop() { queue.sync { isStopped = true } }
}

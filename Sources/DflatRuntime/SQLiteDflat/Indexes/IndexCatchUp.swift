import Dflat
import Dispatch

/// Fills indexes that are behind, in the background: a few hundred rows in a transaction, and only while no other
/// transaction wants to write.
final class IndexCatchUp: @unchecked Sendable {
  // Unchecked because the variables are used on `queue` alone; but for `core`, which is set before anything else is called.
  private let queue = DispatchQueue(label: "dflat.index", qos: .utility)
  private let report: @Sendable (any Error) -> Void
  private var core: (database: Database, committer: Committer)?
  /// The types whose indexes are to be filled, in the order of the requests.
  private var pending: [RecordDescription] = []
  private var isStopped = false
  /// When filling the indexes of a type last failed.
  private var failures: [ObjectIdentifier: DispatchTime] = [:]
  /// How long nothing is tried after a failure: what caused it, such as a full disk, rarely goes away at once.
  private static let pause = DispatchTimeInterval.seconds(5)

  init(report: @escaping @Sendable (any Error) -> Void) {
    self.report = report
  }

  func start(_ database: Database, _ committer: Committer) { core = (database, committer) }

  /// Has the indexes of `record` filled, unless they could not be a moment ago.
  func request(_ record: RecordDescription) { queue.async { self.add(record) } }

  /// Ends the work, once the step that is being taken is done.
  func stop() { queue.sync { isStopped = true } }

  private func add(_ record: RecordDescription) {
    let key = ObjectIdentifier(record)
    guard !isStopped, !pending.contains(where: { $0 === record }) else { return }
    if let failure = failures[key] {
      guard DispatchTime.now() >= failure + IndexCatchUp.pause else { return }
      failures[key] = nil
    }
    pending.append(record)
    if pending.count == 1 { queue.async { self.step() } }
  }

  /// Takes one step for the first type.
  private func step() {
    guard !isStopped, let record = pending.first else { return }
    var isDone = true
    do {
      isDone = try step(record)
    } catch {
      failures[ObjectIdentifier(record)] = .now()
      report(error)
    }
    if isDone { pending.removeFirst() }
    if !pending.isEmpty { queue.async { self.step() } }
  }

  /// - Returns: whether nothing is left to fill.
  private func step(_ record: RecordDescription) throws -> Bool {
    guard let (database, committer) = core else { return true }
    committer.acquireWriter(.background)
    defer { committer.releaseWriter() }
    return try database.writer().fillIndexes(record.indexes.indices, of: record)
  }
}

extension WriterConnection {
  /// Fills one batch of the indexes, in a transaction of its own. For the thread that has the writer, and no transaction.
  ///
  /// - Returns: whether nothing is left to fill.
  func fillIndexes(_ indexes: some Collection<Int>, of record: RecordDescription) throws -> Bool {
    guard try connection.hasTable(record.table) else { return true }
    // A fetch asks for this whenever it misses an index, also for one that is of no use.
    if try indexes.allSatisfy({ try isUsable($0, of: record) }) { return true }
    try begin()
    do {
      try RecordTables(record: record).create(on: connection)
      var isDone = true
      for index in indexes where try !isFilled(index, of: record) {
        isDone = try fill(index, of: record, limit: IndexFiller.batch) && isDone
      }
      try commit(publishing: [])
      forgetTables(of: record)
      return isDone
    } catch {
      rollBack()
      throw error
    }
  }

  /// Whether there is nothing to fill, or no use in it.
  private func isFilled(_ index: Int, of record: RecordDescription) throws -> Bool {
    if violatedIndexes.contains(RecordTables(record: record).indexTable(index)) { return true }
    var holding: SQLiteStatement?
    defer { holding?.reset() }
    return try connection.reader(for: record).isComplete(index: index, holding: &holding)
  }

  /// The same of an index that may have become unique in the schema: then it is to be filled anew.
  private func isUsable(_ index: Int, of record: RecordDescription) throws -> Bool {
    let tables = RecordTables(record: record)
    if record.indexes[index].isUnique, !violatedIndexes.contains(tables.indexTable(index)),
      try tables.isUnique(index, on: connection) == false
    {
      return false
    }
    return try isFilled(index, of: record)
  }

  /// The unique indexes of `record` that are behind, and are of use.
  func uniqueIndexesBehind(of record: RecordDescription) throws -> [Int] {
    guard try record.hasUniqueIndex && connection.hasTable(record.table) else { return [] }
    return try record.indexes.indices.filter { try record.indexes[$0].isUnique && !isUsable($0, of: record) }
  }

  /// Adds the entries of at most `limit` rows to an index, in the write transaction that is open.
  ///
  /// - Returns: whether nothing is left to fill.
  func fill(_ index: Int, of record: RecordDescription, limit: Int) throws -> Bool {
    let table = RecordTables(record: record).indexTable(index)
    if violatedIndexes.contains(table) { return true }
    switch try IndexFiller(record: record, index: index, connection: connection).fill(limit: limit) {
    case .complete: return true
    case .behind: return false
    case .violated(let error):
      violatedIndexes.insert(table)
      report(
        SQLiteError(
          extendedCode: error.extendedCode,
          message: "stored objects have the same value; the index \(table) is not used. \(error.message)",
          purpose: "Filling a unique index", path: error.path))
      return true
    }
  }
}

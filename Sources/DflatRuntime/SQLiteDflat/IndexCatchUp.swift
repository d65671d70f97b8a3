import Dflat
import Dispatch
import Foundation

/// Fills indexes that are behind, in the background: a few hundred rows in a transaction, and only while no other
/// transaction wants to write.
final class IndexCatchUp: @unchecked Sendable {
  // Unchecked because the variables are guarded by `condition`.
  private let store: Store
  private let writeLock: WriteLock
  private let foreignChanges: ForeignChanges
  private let report: @Sendable (any Error) -> Void
  private let queue = DispatchQueue(label: "dflat.index", qos: .utility)
  private let condition = NSCondition()
  private var pending: [ObjectIdentifier: RecordDescription] = [:]
  private var isRunning = false
  private var isStopped = false
  /// The tables of unique indexes that the stored objects violate: of no use until the workspace is opened again.
  private var violated: Set<String> = []
  /// When filling the indexes of a type last failed.
  private var failures: [ObjectIdentifier: DispatchTime] = [:]
  /// How long a failure is left alone: what caused it, such as a full disk, rarely goes away at once.
  private static let pause = DispatchTimeInterval.seconds(5)

  init(
    store: Store, writeLock: WriteLock, foreignChanges: ForeignChanges,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.store = store
    self.writeLock = writeLock
    self.foreignChanges = foreignChanges
    self.report = report
  }

  /// Fills the indexes of `record` in the background, unless that is of no use now.
  func request(_ record: RecordDescription) {
    condition.lock()
    defer { condition.unlock() }
    let key = ObjectIdentifier(record)
    guard !isStopped, pending[key] == nil, hasUse(record) else { return }
    if let failure = failures[key], DispatchTime.now() < failure + IndexCatchUp.pause { return }
    pending[key] = record
    guard !isRunning else { return }
    isRunning = true
    queue.async { self.run() }
  }

  private func hasUse(_ record: RecordDescription) -> Bool {
    let tables = RecordTables(record: record)
    return record.indexes.indices.contains { !violated.contains(tables.indexTable($0)) }
  }

  /// Ends the work in the background, once the step that is being taken is done.
  func stop() {
    condition.lock()
    defer { condition.unlock() }
    isStopped = true
    while isRunning { condition.wait() }
  }

  private func run() {
    while let record = next() {
      var isDone = false
      do {
        isDone = try step(record)
      } catch {
        report(error)
        condition.lock()
        failures[ObjectIdentifier(record)] = .now()
        condition.unlock()
        isDone = true
      }
      if isDone {
        condition.lock()
        pending[ObjectIdentifier(record)] = nil
        condition.unlock()
      }
    }
  }

  private func next() -> RecordDescription? {
    condition.lock()
    defer { condition.unlock() }
    if !isStopped, let record = pending.values.first { return record }
    isRunning = false
    condition.broadcast()
    return nil
  }

  /// Fills one batch, in a transaction of its own, while nobody else wants to write.
  ///
  /// - Returns: whether nothing is left to fill.
  private func step(_ record: RecordDescription) throws -> Bool {
    writeLock.acquire(.background)
    defer { writeLock.release() }
    return try step(record, record.indexes.indices, by: store.writer())
  }

  /// Fills one batch of the indexes, in a transaction of its own. With the write lock, and no transaction open.
  ///
  /// - Returns: whether nothing is left to fill.
  func step(_ record: RecordDescription, _ indexes: some Collection<Int>, by writer: Writer) throws -> Bool {
    let connection = writer.connection
    guard try connection.hasTable(record.table) else { return true }
    // A fetch asks for this whenever it misses an index, also for one that is of no use.
    let current = connection.reader(for: record)
    if try indexes.allSatisfy({ try isUseless($0, of: record, current) }) { return true }
    try writer.begin(noticing: foreignChanges)
    do {
      try RecordTables(record: record).create(on: connection)
      var isDone = true
      let reader = connection.reader(for: record)
      for index in indexes where try !isUseless(index, of: record, reader) {
        isDone = try fill(index, of: record, on: connection, limit: IndexFiller.batch) && isDone
      }
      try writer.commit()
      try writer.record(record).forgetTables()
      return isDone
    } catch {
      writer.rollBack()
      throw error
    }
  }

  /// The unique indexes of `record` that are behind, and are of use.
  func uniqueIndexesBehind(_ record: RecordDescription, on connection: SQLiteConnection) throws -> [Int] {
    guard try record.hasUniqueIndex && connection.hasTable(record.table) else { return [] }
    let reader = connection.reader(for: record)
    return try record.indexes.indices.filter { try record.indexes[$0].isUnique && !isUseless($0, of: record, reader) }
  }

  /// Whether there is nothing to fill, or no use in it.
  private func isUseless(_ index: Int, of record: RecordDescription, _ reader: RecordReader) throws -> Bool {
    condition.lock()
    let isViolated = violated.contains(RecordTables(record: record).indexTable(index))
    condition.unlock()
    if isViolated { return true }
    var holding: SQLiteStatement?
    defer { holding?.reset() }
    return try reader.isComplete(index: index, holding: &holding)
  }

  /// Adds the entries of at most `limit` rows to an index, in the write transaction that is open on `connection`.
  ///
  /// - Returns: whether nothing is left to fill.
  func fill(_ index: Int, of record: RecordDescription, on connection: SQLiteConnection, limit: Int) throws -> Bool {
    let table = RecordTables(record: record).indexTable(index)
    condition.lock()
    let isViolated = violated.contains(table)
    condition.unlock()
    if isViolated { return true }
    switch try IndexFiller(record: record, index: index, connection: connection).fill(limit: limit) {
    case .complete: return true
    case .behind: return false
    case .violated(let error):
      condition.lock()
      let isNew = violated.insert(table).inserted
      condition.unlock()
      if isNew {
        let error = SQLiteError(
          extendedCode: error.extendedCode,
          message: "stored objects have the same value; the index \(table) is not used. \(error.message)",
          purpose: "Filling a unique index", path: error.path)
        // Not here, where the write lock is held.
        queue.async { [report] in report(error) }
      }
      return true
    }
  }
}

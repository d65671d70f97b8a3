import CSQLite
import Dflat
import Dispatch

/// Fills indexes that are behind, and verifies indexes that may be wrong, in the background: a few hundred rows in each
/// transaction, and only while no other transaction needs the writer.
final class IndexCatchUp: @unchecked Sendable {
  // Unchecked because the variables are used only on `queue`, except `core`, which is set before anything else is
  // called.
  private let queue = DispatchQueue(label: "dflat.index", qos: .utility)
  private let report: @Sendable (any Error) -> Void
  private var core: (database: Database, committer: Committer)?
  /// The types whose indexes have to be filled, in the order of the requests.
  private var pending: [RecordDescription] = []
  /// The indexes that are marked as complete, and in which a fetch has found a wrong entry, by the types that have
  /// them. They are still to be verified.
  private var suspectIndexes: [ObjectIdentifier: Set<Int>] = [:]
  /// The tables of the indexes that became suspect since the workspace was opened. Each of these indexes is verified
  /// only once: if SQLite and this code disagree about an index, it would otherwise be verified for ever. A fetch that
  /// finds a wrong entry is repeated without indexes.
  private var formerlySuspected: Set<String> = []
  private var isStopped = false
  /// The calls that wait for the indexes of a type.
  private var waiters: [ObjectIdentifier: [Waiter]] = [:]
  /// The time at which an attempt to fill the indexes of a type last failed.
  private var failures: [ObjectIdentifier: DispatchTime] = [:]
  /// How long a type is not tried again after a failure: the cause, such as a full disk, rarely goes away at once. The
  /// same pause is made if others write so often that each step has to start again.
  private static let pause = DispatchTimeInterval.seconds(5)

  private struct Waiter {
    let progress: (@Sendable (Double) -> Void)?
    let completion: @Sendable (Result<Void, any Error>) -> Void
  }

  /// The queue that calls waiters: they may wait for a transaction, or close the workspace.
  private let waiterQueue = DispatchQueue(label: "dflat.index.progress", qos: .utility)

  init(report: @escaping @Sendable (any Error) -> Void) {
    self.report = report
  }

  func start(_ database: Database, _ committer: Committer) { core = (database, committer) }

  /// Starts to fill the indexes of `record`, unless that failed within the last five seconds.
  func request(_ record: RecordDescription) { queue.async { self.add(record) } }

  /// Starts to fill the indexes of `record`, even if that failed just before.
  ///
  /// - Parameters:
  ///   - progress: is called after each step with the share that is done, from 0 to 1.
  ///   - completion: is called when nothing is left to fill, or an attempt has failed.
  func request(
    _ record: RecordDescription, progress: (@Sendable (Double) -> Void)?,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    queue.async {
      guard !self.isStopped else { return completion(.failure(StoreError.shutDown)) }
      let type = ObjectIdentifier(record)
      self.waiters[type, default: []].append(Waiter(progress: progress, completion: completion))
      self.failures[type] = nil
      self.add(record)
    }
  }

  /// Starts to verify a marked index in which a fetch has found a wrong entry. Does so only once for each index.
  func requestVerification(ofIndex index: Int, of record: RecordDescription) {
    queue.async {
      guard !self.isPaused(ObjectIdentifier(record)),
        self.formerlySuspected.insert(RecordTables(record: record).indexTable(index)).inserted
      else { return }
      self.suspectIndexes[ObjectIdentifier(record), default: []].insert(index)
      self.add(record)
    }
  }

  /// Ends the work, after the current step.
  func stop() {
    queue.sync {
      isStopped = true
      for type in waiters.keys { end(waitersOf: type, .failure(StoreError.shutDown)) }
    }
  }

  private func end(waitersOf type: ObjectIdentifier, _ outcome: Result<Void, any Error>) {
    for waiter in waiters.removeValue(forKey: type) ?? [] { waiterQueue.async { waiter.completion(outcome) } }
  }

  private func add(_ record: RecordDescription) {
    guard !isStopped, !pending.contains(where: { $0 === record }), !isPaused(ObjectIdentifier(record)) else { return }
    failures[ObjectIdentifier(record)] = nil
    pending.append(record)
    if pending.count == 1 { queue.async { self.step() } }
  }

  /// Returns whether a type is not tried now, since that failed within the last five seconds.
  private func isPaused(_ type: ObjectIdentifier) -> Bool {
    failures[type].map { DispatchTime.now() < $0 + IndexCatchUp.pause } ?? false
  }

  /// Takes one step for the first type, and schedules the next one.
  private func step() {
    guard !isStopped, let record = pending.first else { return }
    let type = ObjectIdentifier(record)
    var step = Step(isDone: true)
    var outcome = Result<Void, any Error>.success(())
    do {
      step = try self.step(record)
      if let share = step.share {
        for waiter in waiters[type] ?? [] { waiterQueue.async { waiter.progress?(share) } }
      }
      if let violation = step.violation { outcome = .failure(violation) }
    } catch {
      failures[type] = .now()
      // They were not verified: the next fetch that finds a wrong entry asks again.
      for index in suspectIndexes.removeValue(forKey: type) ?? [] {
        formerlySuspected.remove(RecordTables(record: record).indexTable(index))
      }
      outcome = .failure(error)
      report(error)
    }
    if step.isDone {
      pending.removeFirst()
      end(waitersOf: type, outcome)
    }
    if !pending.isEmpty { queue.async { self.step() } }
  }

  /// The result of one step for a type.
  private struct Step {
    /// Whether nothing is left to fill, or the type has to pause.
    var isDone: Bool
    /// The filled share, from 0 to 1; nil if no waiter needs it.
    var share: Double?
    /// Why a unique index cannot be built; nil if all can.
    var violation: SQLiteError?
  }

  /// Takes one step for a type.
  private func step(_ record: RecordDescription) throws -> Step {
    guard let (database, committer) = core else { return Step(isDone: true) }
    let type = ObjectIdentifier(record)
    committer.acquireWriter(.background)
    defer { committer.releaseWriter() }
    let isAwaited = waiters[type]?.contains { $0.progress != nil } ?? false
    guard let writer = try database.existingWriter() else { return Step(isDone: true, share: isAwaited ? 1 : nil) }
    if let indexes = suspectIndexes[type] {
      try writer.removeMarks(indexes, of: record)
      suspectIndexes[type] = nil
    }
    let isFilled = try writer.fillIndexes(record.indexes.indices, of: record)
    let share = !isAwaited ? nil : isFilled ? 1 : try writer.filledShare(of: record)
    if isFilled { return Step(isDone: true, share: share, violation: writer.violation(of: record)) }
    guard writer.indexProgress.isDisturbed(record) else { return Step(isDone: false, share: share) }
    writer.indexProgress.forgetRestarts(of: record)
    failures[type] = .now()
    return Step(isDone: true, share: share)
  }
}

extension WriterConnection {
  /// Fills and verifies one batch of the indexes, in a transaction of its own. The caller has the writer, and has begun
  /// no transaction.
  ///
  /// - Parameter limit: the most rows that are read.
  /// - Returns: whether nothing is left to do.
  func fillIndexes(
    _ indexes: some Collection<Int>, of record: RecordDescription, limit: Int = IndexVerifier.batch
  ) throws -> Bool {
    guard try connection.hasTable(record.table) else { return true }
    // A fetch requests this whenever it misses an index, even one that cannot be built.
    if try indexes.allSatisfy({ try isUsable($0, of: record) }) { return true }
    var progress = indexProgress
    try changeIndexes(of: record) {
      let tables = RecordTables(record: record)
      if try tables.create(on: connection) { progress.noteRestart(of: record) }
      if try schemaVersion() != progress.schemaVersion { progress.beginAnew() }
      for index in indexes where try !isFilled(index, of: record) {
        let table = tables.indexTable(index)
        progress.next[table] = try fill(
          index, of: record, from: progress.next[table] ?? .min, limit: limit,
          &progress.duplicates[table, default: DuplicateRows()])
      }
      progress.schemaVersion = try schemaVersion()
    }
    indexProgress = progress
    guard try indexes.allSatisfy({ try isFilled($0, of: record) }) else { return false }
    indexProgress.forgetRestarts(of: record)
    return true
  }

  /// Returns the share of the rows that has been verified, over all indexes of a type together.
  func filledShare(of record: RecordDescription) throws -> Double {
    let tables = RecordTables(record: record)
    guard let last = try connection.run("SELECT MAX(rowid) FROM \(tables.main.quoted)", for: "Filling an index"),
      let last = Double(last), last > 0, !record.indexes.isEmpty
    else { return 1 }
    let shares = try record.indexes.indices.map { index in
      if try isFilled(index, of: record) { return 1.0 }
      return min(max(Double(indexProgress.next[tables.indexTable(index)] ?? 0) / last, 0), 1)
    }
    return shares.reduce(0, +) / Double(shares.count)
  }

  /// Removes the marks of indexes, in a transaction of its own.
  func removeMarks(_ indexes: Set<Int>, of record: RecordDescription) throws {
    try changeIndexes(of: record) {
      for index in indexes { try RecordTables(record: record).removeMark(index, on: connection) }
    }
  }

  private func changeIndexes(of record: RecordDescription, _ body: () throws -> Void) throws {
    try begin()
    do {
      let version = try schemaVersion()
      try body()
      let isOther = try version != schemaVersion()
      try commit(publishing: .transactions([]))
      // An index may have been created, or may have become complete, so that new rows get entries.
      if isOther { forgetTables(of: record) }
    } catch {
      rollBack()
      throw error
    }
  }

  /// Returns the version of the file's schema, which differs after every change of the schema. SQLite always has one,
  /// so it is not nil.
  private func schemaVersion() throws -> String? {
    try connection.run("PRAGMA schema_version", for: "Filling an index")
  }

  /// Returns whether nothing is left to fill or verify, or the index cannot be built.
  private func isFilled(_ index: Int, of record: RecordDescription) throws -> Bool {
    try isViolated(index, of: record) || connection.reader(for: record).isComplete(index: index)
  }

  /// Returns whether stored objects are known to violate a unique index. Once the app has repaired the known ones, the
  /// index can be filled again.
  private func isViolated(_ index: Int, of record: RecordDescription) throws -> Bool {
    let table = RecordTables(record: record).indexTable(index)
    guard let violation = violatedIndexes[table] else { return false }
    let verifier = IndexVerifier(record: record, index: index, connection: connection)
    if try connection.hasTable(record.table), try !verifier.pairs(of: violation.duplicates, limit: 1).isEmpty {
      return true
    }
    violatedIndexes[table] = nil
    return false
  }

  /// Returns why a unique index of the type cannot be built, with the rows that hold the same value; nil if none was
  /// found violated.
  func violation(of record: RecordDescription) -> SQLiteError? {
    guard !violatedIndexes.isEmpty else { return nil }
    let tables = RecordTables(record: record)
    for index in record.indexes.indices {
      if let violation = violatedIndexes[tables.indexTable(index)] { return violation.error }
    }
    return nil
  }

  /// Returns whether nothing is left to fill or verify. False for an index that has become unique in the schema but not
  /// in the file: it has to be built again.
  private func isUsable(_ index: Int, of record: RecordDescription) throws -> Bool {
    let tables = RecordTables(record: record)
    if record.indexes[index].isUnique, try !isViolated(index, of: record),
      try tables.isUnique(index, on: connection) == false
    {
      return false
    }
    return try isFilled(index, of: record)
  }

  /// Returns the unique indexes of `record` that have to be filled or verified, and can be built.
  func uniqueIndexesBehind(of record: RecordDescription) throws -> [Int] {
    guard try record.hasUniqueIndex && connection.hasTable(record.table) else { return [] }
    return try record.indexes.indices.filter { try record.indexes[$0].isUnique && !isUsable($0, of: record) }
  }

  /// Fills and verifies the entries of at most `limit` rows of an index, in the open write transaction.
  ///
  /// - Parameters:
  ///   - first: the number of the first row.
  ///   - duplicates: the rows before `first` that have no entry, since another row holds the value.
  /// - Returns: the number of the next row; nil if nothing is left to do.
  func fill(
    _ index: Int, of record: RecordDescription, from first: Int64, limit: Int, _ duplicates: inout DuplicateRows
  ) throws -> Int64? {
    let tables = RecordTables(record: record)
    let verifier = IndexVerifier(record: record, index: index, connection: connection)
    if try isViolated(index, of: record) {
      // Others may have added entries since.
      try verifier.empty()
      return nil
    }
    // An index that is marked and yet behind was left behind by a program that does not maintain it. If the mark stayed
    // until its last row has an entry again, all entries would be relied on.
    let wasMarked = try tables.removeMark(index, on: connection)
    let start = wasMarked ? .min : first
    if start == .min { duplicates = DuplicateRows() }
    let outcome = try verifier.verify(from: start, limit: limit, &duplicates)
    if case .reached(let next) = outcome { return next }
    guard !duplicates.isEmpty else {
      try tables.setMark(index, on: connection)
      return nil
    }
    let remaining = try verifier.pairs(of: duplicates)
    duplicates = DuplicateRows()
    // The app has repaired all of them between two steps.
    if remaining.isEmpty { return .min }
    try verifier.empty()
    noteViolation(of: tables.indexTable(index), remaining)
    return nil
  }

  /// Records that a unique index cannot be built, and reports the duplicate rows once.
  private func noteViolation(of table: String, _ pairs: [(pair: DuplicateRows.Pair, value: String)]) {
    let duplicates = DuplicateRows(pairs.map { $0.pair })
    let error = SQLiteError(
      extendedCode: SQLITE_CONSTRAINT | 8 << 8,  // SQLITE_CONSTRAINT_UNIQUE, a macro that Swift does not import.
      message: """
        stored objects have the same value, and the index \(table) is not used until they differ: \
        \(DuplicateRows.description(of: pairs))
        """,
      purpose: "Filling a unique index", path: connection.path)
    violatedIndexes[table] = (duplicates, error)
    // Compared, since the transaction that found them may be rolled back, and another one finds them again.
    guard reportedDuplicates.updateValue(duplicates, forKey: table) != duplicates else { return }
    report(error)
  }
}

import Dflat

/// The types whose unique indexes are complete, unless another process has written since. Guarded by the committer.
struct CompleteUniqueIndexes {
  private struct Entry: Equatable {
    /// How many commits of other processes had been noticed when the indexes were completed.
    let foreignCommits: Int
    /// The commit version at that time if stored objects violate one of the indexes, which any commit may repair; nil if all are
    /// complete.
    let version: UInt64?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]

  /// - Parameter version: the commit version.
  func contains(_ record: RecordDescription, _ foreignCommits: Int, version: @autoclosure () -> UInt64) -> Bool {
    guard let entry = entries[ObjectIdentifier(record)], entry.foreignCommits == foreignCommits else { return false }
    return entry.version.map { $0 == version() } ?? true
  }

  /// - Parameter version: the commit version if the indexes are to be looked at again after the next commit; else nil.
  mutating func insert(_ record: RecordDescription, _ foreignCommits: Int, version: UInt64?) {
    entries[ObjectIdentifier(record)] = Entry(foreignCommits: foreignCommits, version: version)
  }
}

/// Completes the unique indexes of a type before a transaction writes: one that is behind could not refuse a duplicate. As in
/// the background, no more than some hundred rows are read in a transaction, others write in between, and what has been done
/// stays done if a step fails.
struct UniqueIndexCompletion {
  private let core: SQLiteCore

  init(_ core: SQLiteCore) {
    self.core = core
  }

  /// For a thread that does not have the writer.
  func complete(_ record: RecordDescription, in transaction: SQLiteTransaction) throws {
    while true {
      let outcome = try step(record, in: transaction)
      guard outcome.isDone else { continue }
      let foreignCommits = core.sequence.foreignCommits
      return core.committer.withState {
        $0.uniqueIndexes.insert(record, foreignCommits, version: outcome.violatedVersion)
      }
    }
  }

  /// Whether the unique indexes of a type are known to be complete, or to be of no use.
  func isKnown(of record: RecordDescription) -> Bool {
    let foreignCommits = core.sequence.foreignCommits
    return core.committer.withState {
      $0.uniqueIndexes.contains(record, foreignCommits, version: core.sequence.version)
    }
  }

  /// - Returns: whether nothing is left to fill; and the commit version if stored objects violate an index.
  private func step(
    _ record: RecordDescription, in transaction: SQLiteTransaction
  ) throws -> (isDone: Bool, violatedVersion: UInt64?) {
    try transaction.acquireWriter()
    defer { core.committer.releaseWriter() }
    let writer = try core.database.writer()
    let indexes = try writer.uniqueIndexesBehind(of: record)
    // Where others write all the time, small steps may never come to an end: then nobody writes meanwhile.
    let limit = writer.indexProgress.isDisturbed(record) ? Int.max : IndexVerifier.batch
    let isDone = try indexes.isEmpty || writer.fillIndexes(indexes, of: record, limit: limit)
    return (isDone, writer.isViolated(record) ? core.sequence.version : nil)
  }
}

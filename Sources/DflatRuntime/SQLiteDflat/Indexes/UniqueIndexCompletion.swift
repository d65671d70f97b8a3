import Dflat

/// The types whose unique indexes are complete, unless another process has written since. Guarded by the committer.
struct CompleteUniqueIndexes {
  private struct Entry: Equatable {
    /// How many commits of other processes had been noticed when the indexes were completed.
    let foreignCommits: Int
    /// The commit version when the last step towards complete indexes ended, if stored objects violate one of them: any
    /// later commit may repair that. Nil if all are complete.
    let version: UInt64?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]

  /// Returns whether the unique indexes of a type are still complete, or still violated.
  ///
  /// - Parameter version: the current commit version.
  func contains(_ record: RecordDescription, _ foreignCommits: Int, version: @autoclosure () -> UInt64) -> Bool {
    guard let entry = entries[ObjectIdentifier(record)], entry.foreignCommits == foreignCommits else { return false }
    return entry.version.map { $0 == version() } ?? true
  }

  /// Records that the unique indexes of a type are complete or violated.
  ///
  /// - Parameter version: the commit version if an index is violated, so that they are looked at again after the next
  ///   commit; else nil.
  mutating func insert(_ record: RecordDescription, _ foreignCommits: Int, version: UInt64?) {
    entries[ObjectIdentifier(record)] = Entry(foreignCommits: foreignCommits, version: version)
  }
}

/// Completes the unique indexes of a type before a transaction writes, since an index that is behind could not refuse a
/// duplicate. As in the background, at most some hundred rows are read in each transaction, and others write in
/// between. Completed steps remain if a later one fails.
struct UniqueIndexCompletion {
  private let core: SQLiteCore

  init(_ core: SQLiteCore) {
    self.core = core
  }

  /// Completes the indexes step by step. The calling thread does not have the writer.
  func complete(_ record: RecordDescription, in transaction: SQLiteTransaction) throws {
    while true {
      let outcome = try step(record, in: transaction)
      guard outcome.isDone else { continue }
      return core.committer.withState {
        $0.uniqueIndexes.insert(record, outcome.foreignCommits, version: outcome.violatedVersion)
      }
    }
  }

  /// Returns whether the unique indexes of a type are known to be complete, or known to be violated.
  func isKnown(of record: RecordDescription) -> Bool {
    let foreignCommits = core.sequence.foreignCommits
    return core.committer.withState {
      $0.uniqueIndexes.contains(record, foreignCommits, version: core.sequence.version)
    }
  }

  /// Takes one step.
  ///
  /// - Returns: whether nothing is left to fill; how many commits of other processes were noticed up to the end of the step;
  ///   and the commit version if stored objects violate an index, otherwise nil.
  private func step(
    _ record: RecordDescription, in transaction: SQLiteTransaction
  ) throws -> (isDone: Bool, foreignCommits: Int, violatedVersion: UInt64?) {
    try transaction.acquireWriter()
    defer { core.committer.releaseWriter() }
    let writer = try core.database.writer()
    let indexes = try writer.uniqueIndexesBehind(of: record)
    // If others write all the time, small steps may never be completed. So all rows are read in one transaction then.
    let limit = writer.indexProgress.isDisturbed(record) ? Int.max : IndexVerifier.batch
    let isDone = try indexes.isEmpty || writer.fillIndexes(indexes, of: record, limit: limit)
    // Read before the writer is released: a commit that is noticed later may have made the indexes incomplete.
    return (isDone, core.sequence.foreignCommits, writer.violation(of: record) != nil ? core.sequence.version : nil)
  }
}

import Dflat

/// The types whose unique indexes are complete, unless another process has written since. Guarded by the committer.
struct CompleteUniqueIndexes {
  /// How many commits of other processes had been noticed when the indexes of a type were completed.
  private var foreignCommits: [ObjectIdentifier: Int] = [:]

  func contains(_ record: RecordDescription, _ foreignCommits: Int) -> Bool {
    self.foreignCommits[ObjectIdentifier(record)] == foreignCommits
  }

  mutating func insert(_ record: RecordDescription, _ foreignCommits: Int) {
    self.foreignCommits[ObjectIdentifier(record)] = foreignCommits
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
  func complete(_ record: RecordDescription) throws {
    while try !step(record) {}
    let foreignCommits = core.sequence.foreignCommits
    core.committer.withState { $0.uniqueIndexes.insert(record, foreignCommits) }
  }

  /// Whether the unique indexes of a type are known to be complete, or to be of no use.
  func isKnown(of record: RecordDescription) -> Bool {
    let foreignCommits = core.sequence.foreignCommits
    return core.committer.withState { $0.uniqueIndexes.contains(record, foreignCommits) }
  }

  /// - Returns: whether nothing is left to fill.
  private func step(_ record: RecordDescription) throws -> Bool {
    core.committer.acquireWriter(.transaction)
    defer { core.committer.releaseWriter() }
    let writer = try core.database.writer()
    let indexes = try writer.uniqueIndexesBehind(of: record)
    // Where others write all the time, small steps may never come to an end: then nobody writes meanwhile.
    let limit = writer.indexProgress.isDisturbed(record) ? Int.max : IndexVerifier.batch
    return try indexes.isEmpty || writer.fillIndexes(indexes, of: record, limit: limit)
  }
}

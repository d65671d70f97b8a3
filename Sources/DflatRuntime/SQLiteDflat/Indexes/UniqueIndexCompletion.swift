import Dflat

/// Completes the unique indexes of a type before a transaction writes: one that is behind could not refuse a duplicate. As in
/// the background, no more than some hundred rows are read in a transaction, others write in between, and what has been done
/// stays done if a step fails.
struct UniqueIndexCompletion {
  private let core: WorkspaceCore

  init(_ core: WorkspaceCore) {
    self.core = core
  }

  /// For a thread that does not have the writer.
  func complete(_ record: RecordDescription) throws {
    while try !step(record) {}
    core.committer.noteCompleteUniqueIndexes(record)
  }

  /// - Returns: whether nothing is left to fill.
  private func step(_ record: RecordDescription) throws -> Bool {
    core.committer.acquireWriter(.transaction)
    defer { core.committer.releaseWriter() }
    let writer = try core.database.writer()
    let indexes = try writer.uniqueIndexesBehind(of: record)
    return try indexes.isEmpty || writer.fillIndexes(indexes, of: record)
  }
}

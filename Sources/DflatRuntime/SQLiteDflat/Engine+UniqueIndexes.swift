import Dflat

extension Engine {
  /// Completes the unique indexes of `types` before a transaction writes: one that is behind could not refuse a duplicate.
  /// As in the background, no more than some hundred rows are read in a transaction, others write in between, and what has
  /// been done stays done when there is a failure.
  ///
  /// With the write lock, which is given up between two steps, and is held in the end, also after a failure.
  ///
  /// - Returns: the writer.
  func completeUniqueIndexes(of types: [Any.Type]) throws -> Writer {
    var writer = try store.writer()
    for type in types {
      // A transaction may name types that are not stored.
      guard let record = (type as? any Atom.Type)?._record else { continue }
      while true {
        let indexes = try catchUp.uniqueIndexesBehind(record, on: writer.connection)
        if indexes.isEmpty { break }
        try commitPredecessors(writer)
        if try catchUp.step(record, indexes, by: writer) { break }
        writeLock.release()
        writeLock.acquire(.transaction)
        writer = try store.writer()
      }
    }
    writer.noteCompleteUniqueIndexes(of: types)
    return writer
  }

  /// Commits the group that is open, since a step is a transaction of its own. With the write lock, which is kept.
  private func commitPredecessors(_ writer: Writer) throws {
    guard writeLock.group != nil else { return }
    defer { scheduler.completeInBackground() }
    try commitGroup(writer).get()
  }
}

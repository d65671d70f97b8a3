import Dflat
import DflatEngine

extension SQLiteWorkspace {
  /// Returns whether all indexes of a type are complete, so that fetches use them. True also for a type without objects,
  /// or without indexes.
  ///
  /// A new index of the schema is filled in the background, once a fetch or a change would use it. Until then, queries
  /// are answered from the rows. If another program writes without updating the indexes, they are verified again. A
  /// unique index that stored objects violate becomes complete after the app has repaired them: the error handler and
  /// ``waitForIndexes(of:progress:)`` tell which rows these are.
  ///
  /// ```swift
  /// if try !workspace.indexesAreComplete(Post.self) { print("queries of posts may be slow") }
  /// ```
  ///
  /// The call takes a few look-ups in the file. It may be made on any thread.
  ///
  /// See also: Documentation/using-the-store.md (Indexes).
  ///
  /// - Throws: `StoreError`.
  public func indexesAreComplete<Element: Atom>(_ type: Element.Type) throws(StoreError) -> Bool {
    try core.indexesAreComplete(type._record)
  }

  /// Fills and verifies the indexes of a type, and waits until that is done. The work is done in the background, some
  /// hundred rows at a time, while no transaction needs the writer. So other work goes on, and may delay this.
  ///
  /// ```swift
  /// try await workspace.waitForIndexes(of: Post.self) { share in print("\(Int(100 * share)) %") }
  /// ```
  ///
  /// Queries are right without it: use it before work that needs the indexes, and in tests of plans.
  ///
  /// See also: Documentation/seeing-what-the-store-does.md (Indexes that are being filled).
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - progress: is called on a background queue after each step with the share that is done, from 0 to 1.
  /// - Throws: `StoreError.failed` with the reason why an index could not be filled: an `SQLiteError`, which names the
  ///   values and rows if stored objects violate a unique index, or `IncompleteIndex`; `StoreError.shutDown`.
  public func waitForIndexes<Element: Atom>(
    of type: Element.Type, progress: (@Sendable (_ share: Double) -> Void)? = nil
  ) async throws(StoreError) {
    let record = type._record
    let outcome: Result<Void, any Error> = await withCheckedContinuation { continuation in
      core.catchUp.request(record, progress: progress) { continuation.resume(returning: $0) }
    }
    switch outcome {
    case .success: if try core.indexesAreComplete(record) { return }
    case .failure(let error as StoreError): throw error
    case .failure(let error): throw .failed(error)
    }
    throw .failed(IncompleteIndex(type: "\(type)"))
  }
}

extension SQLiteCore {
  fileprivate func indexesAreComplete(_ record: RecordDescription) throws(StoreError) -> Bool {
    do {
      let areComplete = try withConnection { connection in
        guard try connection.hasTable(record.table) else { return true }
        let reader = connection.reader(for: record)
        return try record.indexes.indices.allSatisfy { try reader.isComplete(index: $0) }
      }
      if let areComplete { return areComplete }
    } catch {
      throw .failed(error)
    }
    if database.isShutDown { throw .shutDown }
    return true
  }
}

import Dflat
import DflatEngine

extension SQLiteWorkspace {
  /// Whether all indexes of a type are complete, so that fetches use them. True also while no object of the type is stored, and for a
  /// type without indexes.
  ///
  /// An index that a new version of the schema has is filled in the background, from the first fetch or change on that would use it;
  /// until then, queries are answered from the rows. Others may write beside the indexes, which are then verified anew. A unique index
  /// that stored objects violate never is complete: the error handler is told which objects these are.
  ///
  /// It takes a few look-ups in the file, and may be called on any thread.
  ///
  /// - Throws: `StoreError`.
  public func indexesAreComplete<Element: Atom>(_ type: Element.Type) throws(StoreError) -> Bool {
    try core.indexesAreComplete(type._record)
  }

  /// Has the indexes of a type filled and verified, and waits until that is done. It is done in the background, some hundred rows at a
  /// time while no transaction wants to write; so other work goes on, and is what this waits for.
  ///
  /// ```swift
  /// try await workspace.waitForIndexes(of: Post.self) { share in print("\(Int(100 * share)) %") }
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - progress: is called on a background queue after each step with the share that is done, from 0 to 1.
  /// - Throws: `StoreError.failed` with the reason why an index could not be filled, such as a full disk or `IncompleteIndex`;
  ///   `StoreError.shutDown`.
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

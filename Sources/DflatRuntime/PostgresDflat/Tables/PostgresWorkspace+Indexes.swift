import Dflat
import DflatEngine

extension PostgresWorkspace {
  /// Returns whether the database has all indexes of a type, and they are valid, so that fetches use them. True also
  /// while no object of the type is stored, and for a type without indexes. It asks the server.
  ///
  /// - Throws: `StoreError`.
  public func indexesAreComplete<Element: Atom>(_ type: Element.Type) throws(StoreError) -> Bool {
    try core.reading { connection, _ in try core.missingIndexes(of: type._record, on: connection).isEmpty }
  }

  /// Has the missing indexes of a type built, and waits until they are complete, whichever workspace builds them. Rows
  /// are read and written meanwhile. If `PostgresOptions.buildsIndexes` is off, it waits for another workspace to build
  /// them.
  ///
  /// ```swift
  /// try await workspace.waitForIndexes(of: Post.self) { share in print("\(Int(100 * share)) %") }
  /// ```
  ///
  /// A unique index that stored objects violated is built once they have different values: no other call but this one and
  /// `prepare(_:)` tries it again while the workspace is open.
  ///
  /// It asks the server ten times a second, and blocks no thread of Swift's pool.
  ///
  /// See also: Documentation/postgres-setup.md.
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - progress: called on a background thread a few times a second with the share that is done, from 0 to 1.
  /// - Throws: `StoreError.failed` with the reason why an index could not be built; or with a `CancellationError` if
  ///   the task is cancelled, which does not stop the build; `StoreError.shutDown`.
  public func waitForIndexes<Element: Atom>(
    of type: Element.Type, progress: (@Sendable (_ share: Double) -> Void)? = nil
  ) async throws(StoreError) {
    let (core, record) = (core, type._record)
    core.indexBuilder.forgetFailure(of: record)
    while true {
      let share = try await core.inBackground { connection, _ in
        let missing = try core.missingIndexes(of: record, on: connection)
        if missing.isEmpty { return 1.0 }
        core.indexBuilder.request(record)
        let done = Double(record.indexes.count - missing.count)
        return (done + (try core.shareOfIndexBeingBuilt(of: record, on: connection))) / Double(record.indexes.count)
      }
      progress?(share)
      if share == 1 { return }
      if let failure = core.indexBuilder.failure(of: record) { throw .failed(failure) }
      do {
        try await Task.sleep(for: .milliseconds(100))
      } catch {
        throw .failed(error)
      }
    }
  }
}

extension PostgresCore {
  /// Returns the indexes that a type's table lacks, or that are not valid; none if there is no table.
  fileprivate func missingIndexes(of record: RecordDescription, on connection: PostgresConnection) throws -> [Int] {
    let table = try catalog.look(for: record, on: connection)
    return table.exists ? record.indexes.indices.filter { !table.isIndexUsable[$0] } : []
  }

  /// Returns the share of the table that has been read for the index that is being built; less than 1.
  fileprivate func shareOfIndexBeingBuilt(
    of record: RecordDescription, on connection: PostgresConnection
  ) throws -> Double {
    var share = 0.0
    try connection.query(
      """
      SELECT coalesce(max(1000 * blocks_done / nullif(blocks_total, 0)), 0)::bigint FROM pg_stat_progress_create_index
      WHERE relid = \(PostgresConnection.namedRelation)
      """, connection.parameters(naming: record.tableName), for: "Looking at an index that is built"
    ) { row in
      share = min(Double(row.integer(0)) / 1_000, 0.99)
      return true
    }
    return share
  }
}

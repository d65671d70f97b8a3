import Dflat
import DflatEngine
import FlatBuffersCore

extension SQLiteWorkspace {
  /// Calls `changeHandler` with each later state of a result; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    changeHandler: @escaping @Sendable (_ fetchedResult: FetchedResult<Element>) -> Void
  ) -> any WorkspaceSubscription {
    core.subscription(toResult: fetchedResult, changeHandler: changeHandler)
  }

  /// Calls `changeHandler` with each later state of an object, until it is deleted; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    object: Element, changeHandler: @escaping @Sendable (_ subscribedObject: SubscribedObject<Element>) -> Void
  ) -> any WorkspaceSubscription {
    core.subscription(toObject: object, changeHandler: changeHandler)
  }

  /// Returns the later states of a result as an asynchronous sequence; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy
  ) -> AsyncStream<FetchedResult<Element>> {
    core.stream(ofResult: fetchedResult, bufferingPolicy)
  }

  /// Returns the later states of an object as an asynchronous sequence; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    object: Element, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
  ) -> AsyncStream<Element> {
    core.stream(ofObject: object, bufferingPolicy)
  }
}

extension SQLiteCore: ObservableStore {
  /// Calls `body` with a connection that shows committed rows, also in a transaction or a snapshot. It shows all
  /// commits up to its version and usually no later one: see `Database.makeExact`.
  ///
  /// - Returns: nil if nothing is stored, or the workspace has been shut down.
  private func withCommittedRows<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result? {
    try database.withReader(inTransaction: false, forSubscribers: true) { reader in
      try database.makeExact(reader)
      return try body(reader)
    }
  }

  func committedRows<Element: Atom>(
    of query: StandingQuery, as type: Element.Type, _ damages: inout [any Error]
  ) throws -> StandingQuery.Rows {
    try withCommittedRows { connection in
      let fetched = try fetchedRows(
        type, query.request, .objects, query.order, on: connection, &damages)
      var rows = StandingQuery.Rows()
      rows.objects = fetched.objects
      rows.rowids = fetched.rowids
      rows.keys = fetched.sortKeys
      rows.version = connection.commitVersion
      return rows
    } ?? StandingQuery.Rows()
  }

  /// Reads the committed object in a row.
  ///
  /// - Returns: the object, or nil in its place if there is no such row, with the commit version at which it was read.
  ///   The whole result is nil if nothing is stored, or the workspace has been shut down.
  func object<Element: Atom>(
    in rowid: Int64, as type: Element.Type
  ) throws -> (object: (any Atom)?, version: UInt64)? {
    try withCommittedRows { connection in
      let object = try connection.reader(for: type._record).withRow(rowid) { bytes in
        try bytes.map { try type.object(in: $0, rowid, on: connection) }
      }
      return (object, connection.commitVersion)
    }
  }

  /// Returns the row that holds an object; nil if none does.
  ///
  /// An object that this workspace has read is looked up by its row: a later object with the same key is another one.
  /// Any other object is looked up by its primary key.
  func row<Element: Atom>(of object: Element) throws -> Int64? {
    let record = Element._record
    let isKnown = sequence.isUnchanged(ObjectIdentifier(record), object._rowid, since: object._commitVersion)
    if isKnown, object._rowid != 0 { return object._rowid }
    guard let stored = object as? any StoredAtom else { return nil }
    let isOwn = object._rowid != 0 && sequence.isOwn(object._commitVersion)
    return try withCommittedRows { connection in
      let reader = connection.reader(for: record)
      return try RowEncoder.with { encoder in
        let root = FlatBufferTable(ofEncoded: try encoder.encode(stored))
        guard isOwn else { return try reader.withRow(havingPrimaryKeyOf: root) { $0?.rowid } }
        let rowid = committer.withState { $0.numbers.actualRow(object._rowid, of: record) } ?? object._rowid
        return try reader.withRow(rowid) { isSameObject(root, $0, inRow: rowid, record) ? rowid : nil }
      }
    } ?? nil
  }

  /// Returns whether a row holds an object: its primary key is the object's, or was until this workspace changed it.
  private func isSameObject(
    _ object: FlatBufferTable, _ bytes: UnsafeRawBufferPointer?, inRow rowid: Int64, _ record: RecordDescription
  ) -> Bool {
    guard let bytes, let current = FlatBufferTable(rootOf: ByteBuffer(unsafeBorrowing: bytes)) else { return false }
    guard let key = RowKey.identity(of: object, record) else { return false }
    if key == RowKey.identity(of: current, record) { return true }
    return committer.withState { $0.formerKeys.contains(key, of: RowID(record, rowid)) }
  }
}

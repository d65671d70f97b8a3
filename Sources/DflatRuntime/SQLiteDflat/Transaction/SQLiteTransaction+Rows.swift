import CSQLite
import Dflat
import DflatEngine
import FlatBuffersCore

/// The way in which a transaction reads and changes rows for the requests of its closure.
extension SQLiteTransaction: EngineTransaction {
  func submit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject { try carryOut(request) }

  func `try`(submit request: some ChangeRequest) -> UpdatedObject? { tryToCarryOut(request) }

  var standing: TransactionStanding {
    switch state {
    case .collecting, .writing: .open
    case .aborted: .aborted
    case .failed(let failure): .failed(failure)
    case .ended: .ended
    }
  }

  func prepare(_ record: consuming RecordDescription) throws -> RecordDescription {
    switch state {
    case .collecting:
      try core.database.opener.checkMayWrite()
      if record.hasUniqueIndex, !UniqueIndexCompletion(core).isKnown(of: record) {
        try UniqueIndexCompletion(core).complete(record, in: self)
      }
      if isToWriteAlone { try takeWriter() }
    case .writing:
      try checkWriter()
      try checkRecall()
    default: break
    }
    return record
  }

  func noteSubmission() throws { if isToApply { try takeWriter() } }

  func recover<Request: ChangeRequest>(
    from error: any Error, in request: Request
  ) throws(TransactionError) -> UpdatedObject {
    if let conflict = error as? KeyConflict ?? (error as? SQLiteError)?.conflict(in: Request.Element._record) {
      throw takenKey(conflict, by: request)
    }
    throw fail(error)
  }

  // MARK: Creating

  func insert<Request: ChangeRequest>(
    _ request: Request, _ record: RecordDescription, _ encoder: RowEncoder
  ) throws -> Request.Element {
    if let writer { return try insert(request, record, encoder, writer) }
    let nextRow = try findNextRow(record)
    let proposal = request._object(_rowid: nextRow)
    let bytes = try encoder.encode(proposal)
    let root = FlatBufferTable(ofEncoded: bytes)
    let keys = RowKey.all(of: root, record)
    try checkKeys(keys, of: root, Request.Element.self)
    // Taken only now, so that a refused object uses no number.
    let rowid = core.committer.withState { $0.numbers.take(for: record) }
    let object = rowid == nextRow ? proposal : request._object(_rowid: rowid)
    set.append(.inserted, record, rowid, bytes, keepsKeys: false, from: nil, to: object)
    for key in keys { set.claim(key, for: rowid) }
    return object
  }

  /// Stores a new object in a transaction that has the writer: no other transaction takes row numbers of the type, or
  /// keys.
  private func insert<Request: ChangeRequest>(
    _ request: Request, _ record: RecordDescription, _ encoder: RowEncoder, _ writer: WriterConnection
  ) throws -> Request.Element {
    try prepareRows(of: record, writer)
    let object = request._object(_rowid: lastNumber + 1)
    let bytes = try encoder.encode(object)
    let root = FlatBufferTable(ofEncoded: bytes)
    // Keys are copied only if necessary: most new objects have new keys.
    if !record.hasUniqueIndex, try isFree(primaryKeyOf: root, record, writer) {
      set.append(.inserted, record, object._rowid, bytes, keepsKeys: false, from: nil, to: object)
      set.claimPrimaryKey(of: root, record)
    } else {
      let keys = RowKey.all(of: root, record)
      try checkKeys(keys, of: root, Request.Element.self)
      set.append(.inserted, record, object._rowid, bytes, keepsKeys: false, from: nil, to: object)
      for key in keys { set.claim(key, for: object._rowid) }
    }
    lastNumber += 1
    return object
  }

  /// Checks that no row holds one of the keys of an encoded object.
  ///
  /// - Throws: `KeyConflict` if a row holds one.
  private func checkKeys<Element: StoredAtom>(
    _ keys: [RowKey], of object: FlatBufferTable, _ type: Element.Type
  ) throws {
    for key in keys where try row(holding: key, of: object, type) != nil { throw KeyConflict(key) }
  }

  /// Returns the number that the next new object will probably get.
  ///
  /// The first call finds out which numbers the table has used, and so does the first call after others have committed.
  /// Otherwise a new object could get the number of an object that others have stored. The transaction would then take
  /// that object for absent.
  private func findNextRow(_ record: RecordDescription) throws -> Int64 {
    let foreignCommits = core.sequence.lookForForeignCommits()
    if let row = core.committer.withState({ $0.numbers.next(of: record, after: foreignCommits) }) { return row }
    var last: Int64 = 0
    try read { connection in
      if try connection.hasTable(record.table) { last = try RecordTables(record: record).lastRow(on: connection) }
    }
    return core.committer.withState { state in
      state.numbers.noteLookUp(last, of: record, after: foreignCommits)
      return state.numbers.last(of: record) + 1
    }
  }

  // MARK: Updating

  func row<Element: StoredAtom>(
    holdingPrimaryKeyOf object: Element, _ record: RecordDescription
  ) throws -> (rowid: Int64, object: Element?)? {
    try RowEncoder.with { encoder in
      let root = FlatBufferTable(ofEncoded: try encoder.encode(object))
      guard let key = RowKey.primaryKey(of: root, record), let rowid = try row(holding: key, of: root, Element.self)
      else { return nil }
      return (rowid, try undamagedObject(in: rowid))
    }
  }

  /// Returns the latest object in a row; nil if the row's bytes do not hold one.
  private func undamagedObject<Element: StoredAtom>(in rowid: Int64) throws -> Element? {
    if case .stored(let object)? = rowState(Element._record, rowid) { return object as? Element }
    var found: Element?
    try read { connection in
      try connection.reader(for: Element._record).withRow(rowid) { bytes in
        do {
          if let bytes { found = try Element.object(in: bytes, rowid, on: connection) }
        } catch let error as SQLiteError where error.code == SQLITE_CORRUPT {
          // The row is replaced, whatever it held.
        }
      }
    }
    return found
  }

  func write<Element: StoredAtom>(
    _ object: Element, _ bytes: UnsafeRawBufferPointer, from current: Element?, keepsKeys: Bool,
    _ record: RecordDescription
  ) throws {
    guard !keepsKeys else {
      set.append(.updated, record, object._rowid, bytes, keepsKeys: true, from: current, to: object)
      return
    }
    let root = FlatBufferTable(ofEncoded: bytes)
    let keys = RowKey.all(of: root, record)
    let former = try RowEncoder.with { encoder in
      try current.map { RowKey.all(of: FlatBufferTable(ofEncoded: try encoder.encode($0)), record) } ?? []
    }
    // Even a key that seems to stay: the row may hold another one, such as the number of an enum case that this version
    // does not know.
    for key in keys {
      if let row = try row(holding: key, of: root, Element.self), row != object._rowid { throw KeyConflict(key) }
    }
    set.append(.updated, record, object._rowid, bytes, keepsKeys: false, from: current, to: object)
    for key in keys where !former.contains(key) { set.claim(key, for: object._rowid) }
    for key in former where key.index == nil && !keys.contains(key) { set.giveUp(key, of: object._rowid) }
  }

  // MARK: Deleting

  func deleteRow<Element: StoredAtom>(of current: Element, _ record: RecordDescription) throws {
    set.append(
      .deleted, record, current._rowid, UnsafeRawBufferPointer(start: nil, count: 0), keepsKeys: false,
      from: nil, to: current)
  }
}

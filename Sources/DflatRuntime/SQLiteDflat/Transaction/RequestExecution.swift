import CSQLite
import Dflat
import DflatEngine
import FlatBuffersCore

/// How a transaction carries out what its closure submits.
extension SQLiteTransaction {
  func submit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject {
    switch state {
    case .collecting, .writing: break
    case .aborted: throw .aborted
    case .failed(let failure): throw failure
    case .ended: preconditionFailure(SQLiteTransaction.endedMessage)
    }
    return try carryOut(request)
  }

  func `try`(submit request: some ChangeRequest) -> UpdatedObject? {
    do {
      return try submit(request)
    } catch TransactionError.objectAlreadyExists {
      preconditionFailure("An object with the primary key or unique value of the submitted one is stored already.")
    } catch {
      // The failure has been reported, and completes the transaction with false.
      return nil
    }
  }

  private func carryOut<Request: ChangeRequest>(_ request: Request) throws(TransactionError) -> UpdatedObject {
    precondition(
      types.contains(ObjectIdentifier(Request.Element.self)),
      "A change of \(Request.Element.self) was submitted, which performChanges did not name among its types.")
    do {
      // Once, and handed on from here: each look at it counts references.
      let record = Request.Element._record
      try prepare(record)
      let result = try execute(request, record, encoder)
      request._change = .spent
      lookedUp = nil
      if set.isLarge { try applyIfLarge() }
      return result
    } catch let error as SQLiteError where error.isConflict {
      throw .objectAlreadyExists
    } catch is KeyConflict {
      throw .objectAlreadyExists
    } catch {
      throw fail(error)
    }
  }

  /// The primary key, or a unique value, is taken by another object.
  private struct KeyConflict: Error {}

  /// Makes the transaction ready to change objects of a type.
  private func prepare(_ record: RecordDescription) throws {
    switch state {
    case .collecting:
      if record.hasUniqueIndex, !core.committer.hasCompleteUniqueIndexes(record) {
        try UniqueIndexCompletion(core).complete(record)
      }
      guard isToWriteAlone else { return }
      try takeWriter()
    case .writing: try writer?.check()
    default: break
    }
  }

  private func execute<Request: ChangeRequest>(
    _ request: Request, _ record: RecordDescription, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    switch request._change {
    case .create: return .inserted(try create(request, record, encoder))
    case .update(let base): return try update(request, from: base, record, encoder)
    case .upsert: return try upsert(request, record, encoder)
    case .delete(let base): return try delete(base, record)
    case .spent: throw SubmissionError.spent(type: "\(Request.Element.self)")
    }
  }

  // MARK: Creating

  private func create<Request: ChangeRequest>(
    _ request: Request, _ record: RecordDescription, _ encoder: RowEncoder
  ) throws -> Request.Element {
    if let writer { return try create(request, record, encoder, writer) }
    let nextRow = try findNextRow(record)
    let proposal = request._object(_rowid: nextRow)
    let bytes = try encoder.encode(proposal)
    let root = FlatBufferTable(ofEncoded: bytes)
    let keys = RowKey.all(of: root, record)
    try checkKeys(keys, of: root, Request.Element.self)
    // Only now, so that an object that is refused takes no number.
    let rowid = core.committer.withPendingChanges { $0.takeRow(of: record) }
    let object = rowid == nextRow ? proposal : request._object(_rowid: rowid)
    set.append(.inserted, record, rowid, bytes, keepsKeys: false, from: nil, to: object)
    for key in keys { set.claim(key, for: rowid) }
    return object
  }

  /// The same where the transaction has the writer: nobody else takes row numbers of the type, or keys.
  private func create<Request: ChangeRequest>(
    _ request: Request, _ record: RecordDescription, _ encoder: RowEncoder, _ writer: TransactionWriter
  ) throws -> Request.Element {
    try prepareRows(of: record, writer)
    let object = request._object(_rowid: lastNumber + 1)
    let bytes = try encoder.encode(object)
    let root = FlatBufferTable(ofEncoded: bytes)
    // A key is copied only if that cannot be helped: mostly new objects have new keys.
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

  /// Throws if a row holds one of the keys of an encoded object.
  private func checkKeys<Element: StoredAtom>(
    _ keys: [RowKey], of object: FlatBufferTable, _ type: Element.Type
  ) throws {
    for key in keys where try row(holding: key, of: object, type) != nil { throw KeyConflict() }
  }

  /// The number that the next new object will have. The numbers that the table has used are looked up at first.
  private func findNextRow(_ record: RecordDescription) throws -> Int64 {
    if let row = core.committer.withPendingChanges({ $0.nextRow(of: record) }) { return row }
    var last: Int64 = 0
    try read { connection in
      if try connection.hasTable(record.table) { last = try RecordTables(record: record).lastRow(on: connection) }
    }
    return core.committer.withPendingChanges { changes in
      changes.raiseLastRow(of: record, to: last)
      return changes.nextRow(of: record) ?? last + 1
    }
  }

  // MARK: Updating

  private func update<Request: ChangeRequest>(
    _ request: Request, from base: Request.Element, _ record: RecordDescription, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    let current: Request.Element
    if lookedUp === base {
      current = base
    } else {
      // The request may have been made before other submissions, or in an earlier transaction.
      guard let latest = try self.current(base, record) else {
        throw SubmissionError.gone(type: "\(Request.Element.self)", rowid: base._rowid)
      }
      current = latest
    }
    // Also where the request would change nothing: two processes that both count from 5 to 6 have not counted to 7.
    try checkFetched(current)
    let object = request._object(_rowid: current._rowid)
    let bytes = try encoder.encode(object)
    if current !== base {
      // Fields that the request has not set must not undo what has been changed since it was made.
      let isBase = try RowEncoder.with { try $0.encode(base).isSame(as: bytes) }
      if isBase { return .identity(current) }
      let isSame = try RowEncoder.with { first in
        try RowEncoder.with { second in try first.encode(base).isSame(as: second.encode(current)) }
      }
      if !isSame { throw SubmissionError.superseded(type: "\(Request.Element.self)", rowid: current._rowid) }
    }
    // An object is encoded as a function of its values, so equal bytes are equal values (and NaN equals itself).
    if !Request._differs(object, current), try RowEncoder.with({ try $0.encode(current).isSame(as: bytes) }) {
      return .identity(current)
    }
    noteChange(of: current)
    try write(object, record, bytes, from: current, keepsKeys: Request._hasSameKeys(object, current))
    return .updated(object)
  }

  private func upsert<Request: ChangeRequest>(
    _ request: Request, _ record: RecordDescription, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    let proposal = request._object(_rowid: 0)
    let former: (rowid: Int64, object: Request.Element?)? = try RowEncoder.with { encoder in
      let root = FlatBufferTable(ofEncoded: try encoder.encode(proposal))
      guard let key = RowKey.primaryKey(of: root, record),
        let rowid = try row(holding: key, of: root, Request.Element.self)
      else { return nil }
      return (rowid, try undamagedObject(in: rowid))
    }
    guard let former else { return .inserted(try create(request, record, encoder)) }
    let object = request._object(_rowid: former.rowid)
    let bytes = try encoder.encode(object)
    if let current = former.object {
      try checkFetched(current)
      if try RowEncoder.with({ try $0.encode(current).isSame(as: bytes) }) { return .identity(current) }
      noteChange(of: current)
      try write(object, record, bytes, from: current, keepsKeys: Request._hasSameKeys(object, current))
    } else {
      try write(object, record, bytes, from: nil, keepsKeys: false)
    }
    return .updated(object)
  }

  /// The latest object in a row; nil if the row's bytes do not hold one.
  private func undamagedObject<Element: StoredAtom>(in rowid: Int64) throws -> Element? {
    if case .stored(let object)? = rowState(Element._record, rowid) { return object as? Element }
    var found: Element?
    try read { connection in
      try connection.reader(for: Element._record).withRow(rowid) { bytes in
        do {
          if let bytes { found = try Element.object(in: bytes, rowid, on: connection) }
        } catch let error as SQLiteError where error.code == SQLITE_CORRUPT {
          // It is replaced, whatever it was.
        }
      }
    }
    return found
  }

  /// - Parameters:
  ///   - current: the object that is replaced; nil if its bytes are damaged.
  ///   - keepsKeys: whether the primary key and all unique values are known to be the same.
  private func write<Element: StoredAtom>(
    _ object: Element, _ record: RecordDescription, _ bytes: UnsafeRawBufferPointer, from current: Element?,
    keepsKeys: Bool
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
    // Also a key that stays: the row may hold another, such as the number of an enum's case that this version does not know.
    for key in keys {
      if let row = try row(holding: key, of: root, Element.self), row != object._rowid { throw KeyConflict() }
    }
    set.append(.updated, record, object._rowid, bytes, keepsKeys: false, from: current, to: object)
    for key in keys where !former.contains(key) { set.claim(key, for: object._rowid) }
    for key in former where key.index == nil && !keys.contains(key) { set.giveUp(key, of: object._rowid) }
  }

  // MARK: Deleting

  private func delete<Element: StoredAtom>(_ base: Element, _ record: RecordDescription) throws -> UpdatedObject {
    if lookedUp === base {
      try deleteRow(of: base, record)
    } else if let current = try current(base, record) {
      try deleteRow(of: current, record)
    }
    // A second deletion of an object has nothing to do.
    return .deleted(base._rowid)
  }

  private func deleteRow<Element: StoredAtom>(of current: Element, _ record: RecordDescription) throws {
    try checkFetched(current)
    noteChange(of: current)
    set.append(
      .deleted, record, current._rowid, UnsafeRawBufferPointer(start: nil, count: 0), keepsKeys: false,
      from: nil, to: current)
  }
}

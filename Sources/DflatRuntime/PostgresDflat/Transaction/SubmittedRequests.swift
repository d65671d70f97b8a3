import Dflat
import DflatEngine
import FlatBuffersCore

/// How a transaction carries out what its closure submits.
extension PostgresTransaction {
  func execute<Request: ChangeRequest>(_ request: Request) throws -> UpdatedObject {
    let layout = try prepare(Request.Element._record)
    return try RowEncoder.with { encoder in
      switch request._change {
      case .create: return .inserted(try create(request, layout, encoder))
      case .update(let base): return try update(request, from: base, layout, encoder)
      case .upsert: return try upsert(request, layout, encoder)
      case .delete(let base): return try delete(base, layout)
      case .spent: throw SubmissionError.spent(type: "\(Request.Element.self)")
      }
    }
  }

  /// Makes sure that objects of a type can be written.
  func prepare(_ record: RecordDescription) throws -> DatabaseTable {
    let table = core.catalog.table(of: record)
    if table.isWritable { return table.layout }
    guard case .open(let connection) = state else {
      try core.prepareForWriting(record)
      return table.layout
    }
    // To make an index waits for all transactions that are open, as this one is.
    let found = try core.catalog.look(for: record, on: connection)
    let isComplete = zip(found.layout.indexes, found.isIndexUsable).allSatisfy { !$0.isUnique || $1 }
    guard found.exists, isComplete else { throw PreparationNeeded(record: record) }
    core.catalog.noteWritable(record)
    if !found.isComplete { core.indexBuilder.request(record) }
    return found.layout
  }

  // MARK: Creating

  private func create<Request: ChangeRequest>(
    _ request: Request, _ layout: DatabaseTable, _ encoder: RowEncoder
  ) throws -> Request.Element {
    let record = layout.record
    let connection = try connection()
    let rowid = try core.catalog.takeNumber(of: record, on: connection)
    let object = request._object(_rowid: rowid)
    let bytes = try encoder.encode(object)
    var parameters = PostgresParameters()
    parameters.append(rowid)
    parameters.append(keyOf: FlatBufferTable(ofEncoded: bytes), layout)
    parameters.append(bytes: bytes)
    let purpose = "Storing an object of \(record.table)"
    noteWrite()
    if isCareful {
      var isStored = false
      try connection.query(layout.insertUnlessTaken, parameters, for: purpose) { _ in
        isStored = true
        return true
      }
      if !isStored { throw KeyConflict() }
    } else {
      // A key that is taken is an error of this statement, which undoes the attempt; the next one is careful.
      try connection.send(layout.insert, parameters, for: purpose)
      try connection.finishIfMuchIsUnanswered()
    }
    rows[RowID(record, rowid)] = .stored(object)
    return object
  }

  // MARK: Updating

  private func update<Request: ChangeRequest>(
    _ request: Request, from base: Request.Element, _ layout: DatabaseTable, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    let current: Request.Element
    if lookedUp === base {
      current = base
    } else {
      // The request may have been made before other submissions, or in an earlier transaction.
      guard let latest = try self.current(base) else {
        throw SubmissionError.gone(type: "\(Request.Element.self)", rowid: base._rowid)
      }
      current = latest
    }
    let object = request._object(_rowid: current._rowid)
    let bytes = try encoder.encode(object)
    if current !== base {
      // Fields that the request has not set must not undo what has been changed since it was made.
      if try RowEncoder.with({ try $0.encode(base).isSame(as: bytes) }) { return .identity(current) }
      let isSame = try RowEncoder.with { first in
        try RowEncoder.with { second in try first.encode(base).isSame(as: second.encode(current)) }
      }
      if !isSame { throw SubmissionError.superseded(type: "\(Request.Element.self)", rowid: current._rowid) }
    }
    if !Request._differs(object, current), try RowEncoder.with({ try $0.encode(current).isSame(as: bytes) }) {
      return .identity(current)
    }
    try write(object, bytes, from: current, keepsKeys: Request._hasSameKeys(object, current), layout)
    return .updated(object)
  }

  private func upsert<Request: ChangeRequest>(
    _ request: Request, _ layout: DatabaseTable, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    let proposal = request._object(_rowid: 0)
    guard let former = try row(holdingPrimaryKeyOf: proposal, layout) else {
      return .inserted(try create(request, layout, encoder))
    }
    let object = request._object(_rowid: former.rowid)
    let bytes = try encoder.encode(object)
    if let current = former.object, try RowEncoder.with({ try $0.encode(current).isSame(as: bytes) }) {
      return .identity(current)
    }
    let keepsKeys = former.object.map { Request._hasSameKeys(object, $0) } ?? false
    try write(object, bytes, from: former.object, keepsKeys: keepsKeys, layout)
    return .updated(object)
  }

  /// - Parameters:
  ///   - current: the object that is replaced; nil if its bytes are damaged.
  ///   - keepsKeys: whether the primary key and all unique values are known to be the same.
  private func write<Element: StoredAtom>(
    _ object: Element, _ bytes: UnsafeRawBufferPointer, from current: Element?, keepsKeys: Bool, _ layout: DatabaseTable
  ) throws {
    let record = layout.record
    let purpose = "Changing an object of \(record.table)"
    let connection = try connection()
    noteWrite()
    var parameters = PostgresParameters()
    parameters.append(object._rowid)
    let root = FlatBufferTable(ofEncoded: bytes)
    let keys = keepsKeys ? [] : RowKey.all(of: root, record)
    let former = try keepsKeys || current == nil ? [] : self.keys(of: current)
    if keepsKeys || current != nil && Set(keys) == Set(former) {
      parameters.append(bytes: bytes)
      try connection.send(layout.update, parameters, changesOneRow: true, for: purpose)
      try connection.finishIfMuchIsUnanswered()
    } else {
      parameters.append(keyOf: root, layout)
      parameters.append(bytes: bytes)
      // A conflict undoes this change alone.
      try connection.send("SAVEPOINT dflat", for: purpose)
      try connection.finish()
      do {
        try connection.send(layout.updateWithKeys, parameters, changesOneRow: true, for: purpose)
        try connection.send("RELEASE SAVEPOINT dflat", for: purpose)
        try connection.finish()
      } catch let error as PostgresError where error.isConflict {
        try connection.send("ROLLBACK TO SAVEPOINT dflat", for: purpose)
        try connection.finish()
        throw KeyConflict()
      }
      for key in former where key.index == nil && !keys.contains(key) { formerKeys.append((key, object._rowid)) }
    }
    rows[RowID(record, object._rowid)] = .stored(object)
  }

  private func keys<Element: StoredAtom>(of object: Element?) throws -> [RowKey] {
    guard let object else { return [] }
    return try RowEncoder.with { encoder in
      RowKey.all(of: FlatBufferTable(ofEncoded: try encoder.encode(object)), Element._record)
    }
  }

  // MARK: Deleting

  private func delete<Element: StoredAtom>(_ base: Element, _ layout: DatabaseTable) throws -> UpdatedObject {
    let current = try lookedUp === base ? base : self.current(base)
    // A second deletion of an object has nothing to do.
    if let current {
      var rowid = PostgresParameters()
      rowid.append(current._rowid)
      let connection = try connection()
      noteWrite()
      try connection.send(
        layout.delete, rowid, changesOneRow: true, for: "Deleting an object of \(layout.record.table)")
      try connection.finishIfMuchIsUnanswered()
      rows[RowID(layout.record, current._rowid)] = .deleted
    }
    return .deleted(base._rowid)
  }
}

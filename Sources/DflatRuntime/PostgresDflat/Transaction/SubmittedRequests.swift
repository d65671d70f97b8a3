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
    var table = core.catalog.table(of: record)
    if table.isWritable { return table.layout }
    if !table.hasUniqueIndexes {
      guard case .open(let connection) = state else {
        try core.prepareForWriting(record)
        return table.layout
      }
      table = try core.catalog.look(for: record, on: connection)
      // To make an index waits for all transactions that are open, as this one is.
      guard table.hasUniqueIndexes else { throw PreparationNeeded(record: record) }
    }
    core.catalog.noteWritable(record)
    if !table.isComplete { core.indexBuilder.request(record) }
    return table.layout
  }

  // MARK: Creating

  private func create<Request: ChangeRequest>(
    _ request: Request, _ layout: DatabaseTable, _ encoder: RowEncoder
  ) throws -> Request.Element {
    let record = layout.record
    let connection = try openConnection()
    let rowid = try core.catalog.takeNumber(of: record, afterMany: rows.count, on: connection)
    let object = request._object(_rowid: rowid)
    let bytes = try encoder.encode(object)
    noteWrite()
    if isCareful {
      try insertCarefully(rowid, bytes, layout)
    } else {
      // A key that is taken is an error of the statement, which undoes the attempt; the next one is careful.
      try pending.insert(rowid, bytes, layout, on: connection)
    }
    rows[RowID(record, rowid)] = .stored(object)
    return object
  }

  /// Inserts a row, and waits for the answer.
  private func insertCarefully(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable) throws {
    var parameters = PostgresParameters()
    parameters.append(rowid)
    parameters.append(keyOf: FlatBufferTable(ofEncoded: bytes), layout)
    parameters.append(bytes: bytes)
    var isStored = false
    try connection().query(
      layout.insertUnlessTaken, parameters, for: "Storing an object of \(layout.record.table)"
    ) { _ in
      isStored = true
      return true
    }
    if !isStored { throw KeyConflict() }
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
    noteWrite()
    let keys = keepsKeys ? [] : RowKey.all(of: FlatBufferTable(ofEncoded: bytes), record)
    let former = try keepsKeys || current == nil ? [] : self.keys(of: current)
    if keepsKeys || current != nil && Set(keys) == Set(former) {
      // If the transaction has changed the row before, that may be pending.
      let connection = try rows[RowID(record, object._rowid)] == nil ? openConnection() : connection()
      try pending.update(object._rowid, bytes, layout, on: connection)
    } else {
      try writeWithKeys(object._rowid, bytes, layout)
      for key in former where key.index == nil && !keys.contains(key) { formerKeys.append((key, object._rowid)) }
    }
    rows[RowID(record, object._rowid)] = .stored(object)
  }

  /// Changes a row whose keys change with it, and waits for the answer. A conflict undoes this change alone.
  private func writeWithKeys(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ layout: DatabaseTable) throws {
    let purpose = "Changing an object of \(layout.record.table)"
    let connection = try connection()
    var parameters = PostgresParameters()
    parameters.append(rowid)
    parameters.append(keyOf: FlatBufferTable(ofEncoded: bytes), layout)
    parameters.append(bytes: bytes)
    try connection.send("SAVEPOINT dflat", for: purpose)
    try connection.finish()
    do {
      try connection.send(layout.updateWithKeys, parameters, changedRows: 1, for: purpose)
      try connection.send("RELEASE SAVEPOINT dflat", for: purpose)
      try connection.finish()
    } catch let error as PostgresError where error.isConflict {
      try connection.send("ROLLBACK TO SAVEPOINT dflat", for: purpose)
      try connection.finish()
      throw KeyConflict()
    }
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
      noteWrite()
      try pending.delete(current._rowid, layout, on: openConnection())
      rows[RowID(layout.record, current._rowid)] = .deleted
    }
    return .deleted(base._rowid)
  }
}

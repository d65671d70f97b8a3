import Dflat
import FlatBuffersCore

/// A transaction while its closure runs, as an engine implements it: how rows are read and written, and what errors
/// mean. An extension carries the submitted requests out, alike for all engines.
///
/// An engine's `submit` calls `carryOut`, and its `try(submit:)` calls `tryToCarryOut`. Both are inlined there, so that
/// no call goes through this protocol. (If an extension's method were the witness, it would not be specialized.)
@usableFromInline
package protocol EngineTransaction: TransactionContext, RunningTransaction {
  /// The engine's description of the table of one type, with which it reads and writes rows.
  associatedtype Table

  /// The types that the caller passed when it requested the transaction.
  var types: [ObjectIdentifier] { get }
  /// The object that was looked up last; nil if something has been submitted since. A request for this object need not
  /// look it up again.
  var lookedUp: AnyObject? { get set }
  /// Encodes submitted objects. The bytes are valid until the next submission.
  var encoder: RowEncoder { get }

  /// Whether the transaction accepts what its closure submits.
  var standing: TransactionStanding { get }

  /// Calls the error handler, on this thread or later on another one.
  func report(_ error: any Error)

  /// Drops everything that has been submitted. Later submissions are refused with `failure`.
  func rollBack(failing failure: TransactionError)

  /// Prepares the transaction to change objects of a type.
  func prepare(_ record: consuming RecordDescription) throws -> Table

  /// Is called after each change request that was carried out: the transaction may now apply the changes that it has collected.
  func noteSubmission() throws

  // MARK: Reading rows

  /// Returns the latest state of an object that was read from a row; nil if the row now holds another object, or none.
  func current<Element: StoredAtom>(_ object: Element, _ table: Table) throws -> Element?

  /// Returns the row with the primary key of `object`, as this transaction sees it; nil if there is none. The object in
  /// the result is nil if the row's bytes are damaged.
  func row<Element: StoredAtom>(
    holdingPrimaryKeyOf object: Element, _ table: Table
  ) throws -> (rowid: Int64, object: Element?)?

  /// Checks that no other process has replaced an object since the transaction fetched it. Does nothing if the database
  /// guarantees that.
  ///
  /// - Parameter isFoundByKey: whether the object was found by its primary key, to be replaced whatever it holds. Then
  ///   it is also checked that no other process has stored it since the transaction looked for it in vain.
  func checkFetched<Element: StoredAtom>(_ current: Element, isFoundByKey: Bool) throws

  /// Records that the transaction has changed the row of `current`. From then on, `checkFetched(_:isFoundByKey:)` does
  /// not compare that row with the object that was fetched before, since the transaction itself has replaced it.
  func noteChange<Element: StoredAtom>(of current: Element)

  // MARK: Writing rows

  /// Stores a new object under a new row number.
  ///
  /// - Throws: `KeyConflict` if another object has its primary key, or one of its unique values.
  func insert<Request: ChangeRequest>(
    _ request: Request, _ table: Table, _ encoder: RowEncoder
  ) throws -> Request.Element

  /// Stores an object in an existing row.
  ///
  /// - Parameters:
  ///   - bytes: the encoded object.
  ///   - current: the object that is replaced; nil if its bytes are damaged.
  ///   - keepsKeys: whether the primary key and all unique values are known to stay the same.
  /// - Throws: `KeyConflict` if another object has its primary key, or one of its unique values.
  func write<Element: StoredAtom>(
    _ object: Element, _ bytes: UnsafeRawBufferPointer, from current: Element?, keepsKeys: Bool, _ table: Table
  ) throws

  /// Deletes the row of an object.
  func deleteRow<Element: StoredAtom>(of current: Element, _ table: Table) throws

  // MARK: Errors

  /// Decides what an error means for the transaction when a request could not be carried out.
  ///
  /// - Returns: an object for the closure to go on with, if it will run again in any case.
  /// - Throws: `.objectAlreadyExists` if only this request was refused; else the transaction has failed.
  func recover<Request: ChangeRequest>(
    from error: any Error, in request: Request
  ) throws(TransactionError) -> UpdatedObject
}

/// A conflict of keys: another object has the primary key, or a unique value.
@usableFromInline
package enum KeyConflict: Error {
  case primaryKey
  /// A unique index, by its number.
  case index(Int)
  /// The database has not said which key is taken.
  case unknown

  /// Creates the conflict about a key.
  /// - Parameter key: the key that is taken.
  package init(_ key: RowKey) { self = key.index.map { .index($0) } ?? .primaryKey }
}

extension EngineTransaction {
  // Inlined into the engine for the benchmark rows "insert documents, one transaction", "update documents, one
  // transaction" and "delete documents, one transaction": each request is carried out here.
  /// Carries out `request` for `submit(_:)`. Stops the program if the closure has returned, or the transaction did not
  /// name the type of the object.
  @inlinable @inline(__always)
  package func carryOut<Request: ChangeRequest>(_ request: Request) throws(TransactionError) -> UpdatedObject {
    try checkAcceptsSubmissions()
    if !types.contains(ObjectIdentifier(Request.Element.self)) { stopBecauseNotNamed(Request.Element.self) }
    do {
      // The description is looked up once and passed on, since each look-up retains and releases it.
      let record = Request.Element._record
      if record.hasRealKey { try checkKey(of: request, record) }
      let table = try prepare(record)
      let result = try execute(request, table, encoder)
      request._change = .spent
      lookedUp = nil
      try noteSubmission()
      return result
    } catch {
      return try recover(from: error, in: request)
    }
  }

  /// Carries out `request` for `try(submit:)`. Stops the program where `carryOut(_:)` does, and if a key is taken.
  /// Returns nil after any other error.
  @inlinable @inline(__always)
  package func tryToCarryOut(_ request: some ChangeRequest) -> UpdatedObject? {
    do {
      return try submit(request)
    } catch TransactionError.objectAlreadyExists(let key) {
      stopProgram(key.adviceForTry)
    } catch {
      // The failure has been reported, and completes the transaction with false.
      return nil
    }
  }

  @inlinable @inline(__always)
  package func execute<Request: ChangeRequest>(
    _ request: Request, _ table: Table, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    switch request._change {
    case .create: return .inserted(try insert(request, table, encoder))
    case .update(let base): return try update(request, from: base, table, encoder)
    case .upsert: return try upsert(request, table, encoder)
    case .delete(let base): return try delete(base, table)
    case .spent: throw SubmissionError.spent(type: "\(Request.Element.self)")
    }
  }

  @inlinable @inline(__always)
  package func update<Request: ChangeRequest>(
    _ request: Request, from base: Request.Element, _ table: Table, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    if lookedUp === base { return try replace(base, by: request, from: base, table, encoder) }
    // The request may have been made before other submissions, or in an earlier transaction.
    guard let current = try current(base, table) else {
      throw SubmissionError.gone(type: "\(Request.Element.self)", rowid: base._rowid)
    }
    return try replace(current, by: request, from: base, table, encoder)
  }

  /// Carries out a request that was made from `base`. The latest state of that object is `current`.
  @inlinable @inline(__always)
  package func replace<Request: ChangeRequest>(
    _ current: Request.Element, by request: Request, from base: Request.Element, _ table: Table, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    // Also if the request would change nothing: two processes that both count from 5 to 6 have not counted to 7.
    try checkFetched(current, isFoundByKey: false)
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
    try write(object, bytes, from: current, keepsKeys: Request._hasSameKeys(object, current), table)
    noteChange(of: current)
    return .updated(object)
  }

  @inlinable
  package func upsert<Request: ChangeRequest>(
    _ request: Request, _ table: Table, _ encoder: RowEncoder
  ) throws -> UpdatedObject {
    guard let former = try row(holdingPrimaryKeyOf: request._object(_rowid: 0), table) else {
      return .inserted(try insert(request, table, encoder))
    }
    let object = request._object(_rowid: former.rowid)
    let bytes = try encoder.encode(object)
    if let current = former.object {
      try checkFetched(current, isFoundByKey: true)
      if try RowEncoder.with({ try $0.encode(current).isSame(as: bytes) }) { return .identity(current) }
      try write(object, bytes, from: current, keepsKeys: Request._hasSameKeys(object, current), table)
      noteChange(of: current)
    } else {
      // The row was damaged.
      try write(object, bytes, from: nil, keepsKeys: false, table)
      noteChange(of: object)
    }
    return .updated(object)
  }

  @inlinable @inline(__always)
  package func delete<Element: StoredAtom>(_ base: Element, _ table: Table) throws -> UpdatedObject {
    // A second deletion of an object has nothing to do.
    if let current = try lookedUp === base ? base : current(base, table) {
      try checkFetched(current, isFoundByKey: false)
      try deleteRow(of: current, table)
      noteChange(of: current)
    }
    return .deleted(base._rowid)
  }

  /// Checks that no field of the request's primary key is NaN.
  ///
  /// - Throws: `SubmissionError.notANumber` if a field is NaN.
  @usableFromInline
  package func checkKey<Request: ChangeRequest>(of request: Request, _ record: RecordDescription) throws {
    switch request._change {
    case .delete, .spent: return
    case .create, .update, .upsert: break
    }
    let object = request._object(_rowid: 0)
    let columns = try RowEncoder.with { encoder in
      let root = FlatBufferTable(ofEncoded: try encoder.encode(object))
      return record.primaryKeys.indices.filter { column in
        let field = record.primaryKeys[column]
        guard field.isReal, case .null = record.columns.value(at: column, in: root) else { return false }
        // NULL stands for a NaN or for an absent value. It is a NaN if the field is present, or has a default, which an
        // absent field would read as.
        return field.defaultValue != nil || root.hasField(at: field.slot)
      }
    }
    guard !columns.isEmpty else { return }
    throw SubmissionError.notANumber(
      type: "\(Request.Element.self)", fields: columns.map { record.columnName($0) })
  }

  /// Returns the error that the closure gets for a request whose key is taken.
  package func takenKey<Request: ChangeRequest>(_ conflict: KeyConflict, by request: Request) -> TransactionError {
    let record = Request.Element._record
    let columns: Range<Int>
    switch conflict {
    case .primaryKey: columns = record.primaryKeys.indices
    case .index(let index): columns = record.primaryKeys.count + index..<record.primaryKeys.count + index + 1
    case .unknown: return .objectAlreadyExists(TakenKey(type: "\(Request.Element.self)"))
    }
    do {
      let fields = try RowEncoder.with { encoder in
        let root = FlatBufferTable(ofEncoded: try encoder.encode(request._object(_rowid: 0)))
        return columns.map { column in
          record.withValue(ofColumn: column, in: root) {
            TakenKey.Field(name: record.columnName(column), value: $0.text)
          }
        }
      }
      return .objectAlreadyExists(
        TakenKey(type: "\(Request.Element.self)", fields: fields, isPrimaryKey: columns.lowerBound == 0))
    } catch {
      return TransactionError(error)
    }
  }

  @usableFromInline @inline(never)
  package func stopBecauseNotNamed(_ type: any Atom.Type) -> Never {
    stopProgram(
      "A change of \(type) was submitted, which performChanges did not name among its types. Name \(type).self there.")
  }

  /// Returns the primary key of an object; nil if a column is NULL.
  package func primaryKey<Element: StoredAtom>(of object: Element) throws -> RowKey? {
    try RowEncoder.with { encoder in
      RowKey.primaryKey(of: FlatBufferTable(ofEncoded: try encoder.encode(object)), Element._record)
    }
  }

  /// Returns the primary key of an object, in which a NULL equals a NULL: see `RowKey.identity(of:_:)`.
  package func identity<Element: StoredAtom>(of object: Element) throws -> RowKey? {
    try RowEncoder.with { encoder in
      RowKey.identity(of: FlatBufferTable(ofEncoded: try encoder.encode(object)), Element._record)
    }
  }

  @usableFromInline package static var endedMessage: String {
    "A transaction context was used after its closure had returned. It belongs to the closure alone: "
      + "call performChanges again for further changes."
  }
}

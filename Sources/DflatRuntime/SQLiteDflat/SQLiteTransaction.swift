import CSQLite
import Dflat
import FlatBuffersCore
import Foundation

/// A transaction while its closure runs, on the thread that runs it.
final class SQLiteTransaction: TransactionContext, RunningTransaction {
  let engine: Engine
  let ticket: Ticket
  private let types: [ObjectIdentifier]
  /// The same types.
  private let metatypes: [Any.Type]
  var phase = Phase.reading
  /// The objects of the types as the transaction knows them: fetched, stored or deleted in it.
  ///
  /// Unchecked: its functions call nothing that leads back here, and checks would cost more than they do.
  @exclusivity(unchecked) private var objects = KnownObjects()
  /// Objects that were read at this moment, and that the transaction has not changed, are as they are stored: it writes
  /// alone since then. 0 when there are none.
  private var currentMoment: UInt64 = 0
  /// How often that had been noticed when the transaction began.
  private let foreignChangesBefore: Int
  /// The open group of which the transaction has read what is not committed yet.
  var seenGroup: CommitGroup?
  /// What has been written since the transaction joined a group; nil when it is the only one in SQLite's transaction.
  var log: ChangeLog?
  /// Whether the transaction has joined a group: another thread may then have it step aside, but while it uses the writer.
  /// The write lock's `operation` guards `phase` and `log` from then on.
  private var hasOperations = false
  /// Whether the transaction's own thread holds `operation`.
  private var isOperating = false

  enum Phase {
    /// Nothing has been submitted.
    case reading
    /// With the write lock, in a transaction of the writer.
    case writing(Writer)
    case aborted
    case failed(TransactionError)
    case finished
  }

  init(_ engine: Engine, _ ticket: Ticket, types: [ObjectIdentifier], _ metatypes: [Any.Type]) {
    self.engine = engine
    self.ticket = ticket
    self.types = types
    self.metatypes = metatypes
    foreignChangesBefore = engine.foreignChanges.count
  }

  // MARK: Using the writer

  /// Keeps others from having the transaction step aside.
  ///
  /// - Returns: false when that is so already, or nobody could.
  @discardableResult
  func beginOperation() -> Bool {
    guard hasOperations, !isOperating else { return false }
    engine.writeLock.operation.lock()
    isOperating = true
    return true
  }

  func endOperation() {
    guard isOperating else { return }
    isOperating = false
    engine.writeLock.operation.unlock()
  }

  /// Calls `body` on another thread than the transaction's, while that does not use the writer.
  func betweenOperations<Result>(_ body: () -> Result) -> Result {
    engine.writeLock.operation.lock()
    defer { engine.writeLock.operation.unlock() }
    return body()
  }

  private func writer() throws -> Writer {
    if case .writing(let writer) = phase {
      // After some errors, even of a fetch, SQLite rolls everything back; what is written then would be committed alone.
      guard writer.connection.isInTransaction else { throw SubmissionError.undone }
      return writer
    }
    engine.writeLock.acquire(.transaction)
    do {
      var writer = try engine.store.writer()
      if !writer.hasCompleteUniqueIndexes(of: types) {
        writer = try engine.completeUniqueIndexes(of: metatypes)
      }
      if engine.writeLock.group != nil, !writer.connection.isInTransaction {
        // An error of somebody's fetch has undone what the group had written, and the tables that it had made.
        writer.rollBack()
        engine.settleGroup(.others)
      }
      if let seenGroup, case .failed = engine.writeLock.state(of: seenGroup) { throw SubmissionError.undone }
      if engine.writeLock.group == nil {
        try writer.begin(noticing: engine.foreignChanges)
      } else {
        try writer.beginMember()
        log = ChangeLog()
        engine.writeLock.operation.lock()
        hasOperations = true
        isOperating = true
      }
      // Others have written since this transaction began: objects that were read before are not to be relied on.
      if engine.foreignChanges.count != foreignChangesBefore { objects.forgetAll() }
      // What those before it in a group have written is not committed, so that no moment tells of it.
      if log == nil { currentMoment = writer.moment }
      phase = .writing(writer)
      if log != nil { engine.writeLock.setFlexible(self) }
      return writer
    } catch {
      engine.writeLock.release()
      throw error
    }
  }

  func abort() -> Bool {
    beginOperation()
    defer { endOperation() }
    switch phase {
    case .reading:
      phase = .aborted
      return true
    case .writing(let writer):
      rollBack(writer, to: .aborted, because: TransactionError.aborted)
      return true
    case .aborted, .failed: return false
    case .finished: preconditionFailure(SQLiteTransaction.finishedMessage)
    }
  }

  private func rollBack(_ writer: Writer, to next: Phase, because error: any Error) {
    undo(writer, because: error)
    objects.forgetAll()
    currentMoment = 0
    phase = next
    engine.writeLock.release()
  }

  private static let finishedMessage =
    "A transaction context was used after its closure had returned. It belongs to the closure alone."

  // MARK: Submitting

  func submit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject {
    beginOperation()
    defer { endOperation() }
    switch phase {
    case .aborted: throw .aborted
    case .failed(let error): throw error
    case .finished: preconditionFailure(SQLiteTransaction.finishedMessage)
    case .reading, .writing: break
    }
    return try carryOut(request)
  }

  private func carryOut<Request: ChangeRequest>(_ request: Request) throws(TransactionError) -> UpdatedObject {
    precondition(
      types.contains(ObjectIdentifier(Request.Element.self)),
      "A change of \(Request.Element.self) was submitted, which performChanges did not name among its types.")
    do {
      let writer = try writer()
      let updated = try apply(request, by: writer)
      request._change = .spent
      // Others must not wait until a long list of changes has been made and made again.
      if log?.isFull == true {
        reportAfterOperation(stepAside(writer))
        if case .failed(let failure) = phase { throw failure }
      }
      return updated
    } catch let error as SQLiteError where error.isConflict {
      throw .objectAlreadyExists
    } catch let failure as TransactionError {
      throw failure
    } catch {
      throw fail(error)
    }
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

  /// Reports errors such that the handler may wait for whoever waits for this transaction's operation.
  private func reportAfterOperation(_ errors: [any Error]) {
    guard !errors.isEmpty else { return }
    endOperation()
    for error in errors { engine.report(error) }
  }

  /// Fails the whole transaction.
  private func fail(_ error: any Error) -> TransactionError {
    let failure = TransactionError(error)
    if case .writing(let writer) = phase {
      rollBack(writer, to: .failed(failure), because: error)
    } else {
      phase = .failed(failure)
    }
    // A TransactionError says too little to be all that anybody hears of it.
    reportAfterOperation([error])
    return failure
  }

  private func apply<Request: ChangeRequest>(_ request: Request, by writer: Writer) throws -> UpdatedObject {
    switch request._change {
    case .create: return .inserted(try create(request, by: writer))
    case .update(let latest): return try update(request, from: latest, by: writer)
    case .upsert: return try upsert(request, by: writer)
    case .delete(let latest):
      let recordWriter = try prepared(Request.Element.self, writer)
      try recordWriter.delete(latest._rowid)
      log?.delete(recordWriter.record, latest._rowid)
      objects.noteChange(to: .deleted, of: Request.Element.self, latest._rowid)
      return .deleted(latest._rowid)
    case .spent:
      throw SubmissionError.spent(type: "\(Request.Element.self)")
    }
  }

  private func prepared<Element: Atom>(_ type: Element.Type, _ writer: Writer) throws -> RecordWriter {
    try prepared(writer.record(of: type), writer)
  }

  func prepared(_ record: RecordDescription, _ writer: Writer) throws -> RecordWriter {
    try prepared(writer.record(record), writer)
  }

  private func prepared(_ recordWriter: RecordWriter, _ writer: Writer) throws -> RecordWriter {
    if recordWriter.isPrepared { return recordWriter }
    let firstRow = writer.firstUnusedRow(of: recordWriter.record)
    try recordWriter.prepareTables(firstUnusedRow: firstRow) { index in
      _ = try engine.catchUp.fill(index, of: recordWriter.record, on: writer.connection, limit: .max)
    }
    return recordWriter
  }

  private func create<Request: ChangeRequest>(_ request: Request, by writer: Writer) throws -> Request.Element {
    let recordWriter = try prepared(Request.Element.self, writer)
    // Mostly it comes where it is expected, and need not be made again with its place.
    let expectedRow = recordWriter.expectedRow
    let object = request._object(_rowid: expectedRow)
    let bytes = try writer.encoder.encode(object)
    let rowid = try recordWriter.insert(bytes)
    log?.insert(recordWriter.record, rowid, bytes)
    // Not remembered: most objects that are created are not changed in the same transaction, and to keep them all costs
    // a quarter of what storing them does. A change of one reads it.
    return rowid == expectedRow ? object : request._object(_rowid: rowid)
  }

  private func update<Request: ChangeRequest>(
    _ request: Request, from latest: Request.Element, by writer: Writer
  ) throws -> UpdatedObject {
    let object = request._object(_rowid: latest._rowid)
    guard let current = try current(latest, by: writer) else {
      throw SubmissionError.gone(type: "\(Request.Element.self)", rowid: latest._rowid)
    }
    let bytes = try writer.encoder.encode(object)
    // The writing of an object is a function of its values, so equal bytes are equal values (and NaN equals itself).
    if !Request._differs(object, current), try writer.comparisonEncoder.encode(current).isSame(as: bytes) {
      return .identity(current)
    }
    try write(object, bytes, by: writer)
    return .updated(object)
  }

  private func upsert<Request: ChangeRequest>(_ request: Request, by writer: Writer) throws -> UpdatedObject {
    let record = Request.Element._record
    try prepared(record, writer).carryOutDeletions()
    let bytes = try writer.encoder.encode(request._object(_rowid: 0))
    let stored: (rowid: Int64, isSame: Bool)? = try writer.connection.reader(for: record).withRow(
      havingPrimaryKeyOf: FlatBufferTable(ofEncoded: bytes)
    ) { row in
      row.map { ($0.rowid, $0.bytes.isSame(as: bytes)) }
    }
    guard let stored else { return .inserted(try create(request, by: writer)) }
    let object = request._object(_rowid: stored.rowid)
    if stored.isSame { return .identity(remember(object)) }
    try write(object, writer.encoder.encode(object), by: writer)
    return .updated(object)
  }

  private func write<Element: Atom>(_ object: Element, _ bytes: UnsafeRawBufferPointer, by writer: Writer) throws {
    let recordWriter = try prepared(Element.self, writer)
    guard try recordWriter.update(object._rowid, bytes) else {
      throw SubmissionError.gone(type: "\(Element.self)", rowid: object._rowid)
    }
    log?.update(recordWriter.record, object._rowid, bytes)
    objects.noteChange(to: object)
  }

  // MARK: Known objects

  /// Notes objects that were fetched in the transaction, so that a change of one need not read it.
  func remember<Element: Atom>(fetched result: FetchedResult<Element>) {
    objects.reserve(result.count, of: Element.self)
    for object in result { _ = remember(object) }
  }

  private func remember<Element: Atom>(_ object: Element) -> Element {
    objects.note(read: object)
    return object
  }

  func latest<Element: Atom & FlatBuffersEncodable>(_ object: Element) -> Element? {
    do {
      if isLatest(object) { return object }
      return try object._rowid == 0 ? stored(havingPrimaryKeyOf: object) : stored(Element.self, object._rowid)
    } catch {
      engine.report(error)
      return nil
    }
  }

  /// Whether the object, which was fetched before, is known to be as it is stored, so that it need not be read.
  private func isLatest<Element: Atom>(_ object: Element) -> Bool {
    guard object._moment != 0, object._rowid != 0, !objects.isKnown(Element.self, object._rowid) else { return false }
    if object._moment == currentMoment { return true }
    return isDatabaseLocked
      && engine.store.changedRows.isUnchanged(ObjectIdentifier(Element.self), object._rowid, since: object._moment)
  }

  /// Whether this workspace has the database locked for writing, so that nobody else changes it now.
  private var isDatabaseLocked: Bool {
    if case .writing = phase { return true }
    return engine.writeLock.isGroupOpen
  }

  /// Notes, for the transactions that follow, what this one has changed, which has ended well.
  func noteChanges(by writer: Writer) {
    engine.store.changedRows.note(objects, at: writer.moment)
  }

  /// The state that an update is compared with.
  private func current<Element: Atom>(_ latest: Element, by writer: Writer) throws -> Element? {
    switch objects.state(of: Element.self, latest._rowid) {
    case .stored(let object): object as? Element
    case .deleted: nil
    case .changed: try stored(Element.self, latest._rowid)
    // A request may have been made in an earlier transaction.
    case nil: isLatest(latest) ? latest : try stored(Element.self, latest._rowid)
    }
  }

  private func stored<Element: Atom>(_ type: Element.Type, _ rowid: Int64) throws -> Element? {
    switch objects.state(of: Element.self, rowid) {
    case .stored(let object): return object as? Element
    case .deleted: return nil
    case .changed, nil: break
    }
    var object: Element?
    try read { connection in
      try connection.reader(for: Element._record).withRow(rowid) { bytes in
        if let bytes { object = try Element.object(in: bytes, rowid, on: connection) }
      }
    }
    guard let object else { return nil }
    return remember(object)
  }

  private func stored<Element: Atom & FlatBuffersEncodable>(havingPrimaryKeyOf object: Element) throws -> Element? {
    var found: Element?
    try read { connection in
      // Not the writer's encoder: this thread need not hold the write lock.
      let encoder = RowEncoder()
      defer { withExtendedLifetime(encoder) {} }
      let root = FlatBufferTable(ofEncoded: try encoder.encode(object))
      try connection.reader(for: Element._record).withRow(havingPrimaryKeyOf: root) { row in
        if let row { found = try Element.object(in: row.bytes, row.rowid, on: connection) }
      }
    }
    guard let found else { return nil }
    return remember(found)
  }

  /// Calls `body` with the connection on which the transaction reads; not at all when nothing is stored.
  ///
  /// What is found is put into a variable: to return it through functions that return anything costs the look-up of a type
  /// each time.
  private func read(_ body: (SQLiteConnection) throws -> Void) throws {
    _ = try engine.withConnection(body)
  }
}

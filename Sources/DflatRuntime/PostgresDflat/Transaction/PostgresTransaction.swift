import Dflat
import DflatEngine
import FlatBuffersCore

/// One attempt to run a transaction, on the thread that runs its closure.
///
/// It takes a connection when it first reads or writes, and begins a serializable transaction there. It collects its
/// changes, and sends them before the next read or when there are many. It does not wait for the answers: they come
/// with the next read, or before the commit. An attempt that conflicts with another transaction is undone, and the
/// closure runs again.
final class PostgresTransaction {
  let core: PostgresCore
  let types: [ObjectIdentifier]
  /// Whether the attempt waits for the answer to each insertion, so that `submit` can report a taken key.
  let isCareful: Bool
  /// The commit version of the objects that this attempt reads, and of no others.
  let version: UInt64
  private(set) var state = State.idle
  /// The submitted changes that have not been sent.
  var pending = PendingWrites()
  /// The state of each row that the attempt has changed.
  var rows: [RowID: RowState] = [:]
  /// The primary keys that rows had before this attempt changed them.
  var formerKeys: [(key: RowKey, rowid: Int64)] = []
  /// The object that was looked up last; nil if something has been submitted since. A request for it needs no second
  /// look-up.
  var lookedUp: AnyObject?
  let encoder = RowEncoder.take()
  private(set) var hasWritten = false
  /// The numbers of objects that the attempt has inserted, updated and deleted.
  private(set) var changes = ChangeCounts()
  /// The keys of the dictionary that the closure has set; nil for a removed key.
  var keys: [DictionaryPath: StoredDictionaryValue?] = [:]
  /// The dictionary's `writeCount` before the attempt's snapshot was taken.
  private(set) var keyWriteCount: UInt64 = 0

  enum State {
    /// Nothing has been read or submitted yet.
    case idle
    case open(PostgresConnection)
    case aborted
    case failed(TransactionError)
    /// The attempt has been undone, and the closure will run again. Until the closure returns, its fetches show
    /// committed objects, and its submissions are dropped.
    case retryNeeded(RetryReason)
    /// The closure has returned.
    case ended
  }

  /// The reason why an attempt was undone and its closure runs again.
  enum RetryReason {
    /// The attempt conflicts with another transaction, or has lost its connection.
    case conflict(PostgresError)
    /// A key is taken. The next attempt waits for each answer, to find out which one.
    case takenKey
    /// Something that a type needs to be written has to be made, which is impossible while the transaction is open.
    case preparation(RecordDescription)
    /// A table, or a function of an index, has been dropped.
    case missingTable(PostgresError)
    /// A new key of the dictionary may have got a row number that is taken.
    case takenKeyNumber(PostgresError)

    /// The conflict of an attempt whose snapshot lacks the value of a key: the key was set on the workspace before, and
    /// written after the snapshot was taken.
    static var olderSnapshot: RetryReason {
      .conflict(
        PostgresError(
          cause: .serializationFailure, message: "a key was written after the transaction's snapshot was taken",
          purpose: "Using the dictionary"))
    }
  }

  init(_ core: PostgresCore, types: [ObjectIdentifier], isCareful: Bool) {
    self.core = core
    self.types = types
    self.isCareful = isCareful
    version = core.feed.takeReadVersion()
  }

  // MARK: The connection

  /// Returns the connection for fetches; nil if the fetches have to read committed objects instead.
  func connectionForReading() throws -> PostgresConnection? {
    switch state {
    case .idle, .open: return try connection()
    case .aborted, .failed, .retryNeeded, .ended: return nil
    }
  }

  /// Returns the connection with the transaction, after everything submitted has been sent to it.
  ///
  /// - Throws: `SubmissionError.undone` if the transaction has failed, was undone or has ended; or the error of a
  ///   statement.
  func connection() throws -> PostgresConnection {
    let connection = try openConnection()
    try pending.send(on: connection)
    return connection
  }

  /// Returns the connection with the transaction. Begins the transaction if necessary. Pending changes stay unsent.
  ///
  /// - Throws: `SubmissionError.undone` if the transaction has failed, was undone or has ended; or the error for a
  ///   connection that cannot be had, or on which no transaction can begin.
  func openConnection() throws -> PostgresConnection {
    switch state {
    case .open(let connection): return connection
    case .idle:
      let connection = try core.pool.acquire(for: .readWrite)
      keyWriteCount = core.dictionary.writeCount
      do {
        try connection.begin(.writing, for: "Beginning a transaction")
      } catch {
        core.pool.release(connection)
        throw error
      }
      state = .open(connection)
      return connection
    case .aborted, .failed, .retryNeeded, .ended: throw SubmissionError.undone
    }
  }

  func noteWrite(_ kind: RowChange.Kind) {
    hasWritten = true
    changes.add(kind)
  }

  // MARK: Failing

  /// Returns why the closure has to run again after an error; nil if that would not help.
  func reasonToRunAgain(after error: any Error) -> RetryReason? {
    if case .retryNeeded(let reason) = state { return reason }
    switch error {
    case let error as PreparationNeeded: return .preparation(error.record)
    case let error as PostgresError:
      // The error of a taken key comes with the answer to any later statement.
      if error.isConflict, !isCareful { return .takenKey }
      if error.isMissingRelation { return .missingTable(error) }
      return error.isRetryable ? .conflict(error) : nil
    default: return nil
    }
  }

  /// Undoes the attempt. Its closure will run again.
  func undo(because reason: RetryReason) {
    if case .retryNeeded = state { return }
    rollBack(to: .retryNeeded(reason))
  }

  func rollBack(failing failure: TransactionError) { rollBack(to: .failed(failure)) }

  /// Fails the transaction after a failed fetch, whatever the cause: nothing may be decided on a missing answer. The
  /// fetch reports the error.
  func noteFailedRead(_ error: any Error) { rollBack(to: .failed(TransactionError(error))) }

  func abort() -> Bool {
    switch state {
    case .idle:
      rollBack(to: .aborted)
      return true
    case .open(let connection):
      do {
        // The closure may abort because of a change whose answer is outstanding.
        try pending.send(on: connection)
        try connection.finish()
        rollBack(to: .aborted)
      } catch {
        if let reason = reasonToRunAgain(after: error) { undo(because: reason) } else { rollBack(to: .aborted) }
      }
      return true
    // The closure runs again, and decides anew.
    case .retryNeeded: return true
    case .aborted, .failed: return false
    case .ended: stopProgram(PostgresTransaction.endedMessage)
    }
  }

  /// Rolls the server's transaction back, drops everything submitted, and enters `next`.
  private func rollBack(to next: State) {
    if case .open(let connection) = state {
      connection.rollBack()
      core.pool.release(connection)
    }
    pending.removeAll()
    rows.removeAll()
    formerKeys = []
    keys = [:]
    lookedUp = nil
    state = next
  }

  // MARK: Ending

  /// The outcome of an attempt.
  enum Outcome {
    /// The changes are stored.
    case committed
    case failed(TransactionError)
    /// The closure has to run again.
    case again(RetryReason)
  }

  /// Ends the attempt after its closure has returned, committing it if it is open.
  ///
  /// - Parameter isTrial: whether it is undone even if it could commit.
  func end(isTrial: Bool = false) -> Outcome {
    encoder.giveBack()
    defer { state = .ended }
    switch state {
    case .idle: return .committed
    case .aborted: return .failed(.aborted)
    case .failed(let failure): return .failed(failure)
    case .retryNeeded(let reason): return .again(reason)
    case .ended: return .failed(.others)
    case .open(let connection):
      if isTrial {
        rollBack(to: .aborted)
        return .committed
      }
      return commit(connection)
    }
  }

  private func commit(_ connection: PostgresConnection) -> Outcome {
    // A copy: rolling back forgets the keys.
    let keys = keys
    let turn = keys.isEmpty ? nil : core.dictionary.beginTransaction(setting: keys.keys)
    // The server would not notice that the snapshot lacks a row that is to be removed.
    if let turn, keys.keys.contains(where: { core.dictionary.mayHaveWritten($0, since: keyWriteCount) }) {
      _ = core.dictionary.endTransaction(turn, committing: [:])
      undo(because: .olderSnapshot)
      return .again(.olderSnapshot)
    }
    let ending = sendCommit(with: keys, on: connection)
    // Before anything that may call user code, such as the error handler, which may wait for keys to be written.
    let subscribers = turn.map { core.dictionary.endTransaction($0, committing: ending.isCommit ? keys : [:]) } ?? []
    switch ending {
    case .committed:
      if hasWritten { core.waitUntilObserved(Set(rows.keys.lazy.map(\.record)), on: connection) }
      core.pool.release(connection)
      core.dictionary.tellLater(subscribers)
      return .committed
    case .lost(let error):
      core.pool.release(connection)
      state = .aborted
      return .again(.conflict(error))
    case .unknown:
      core.pool.release(connection)
      state = .aborted
      report(PostgresError.unknownOutcome("Committing"))
      return .failed(.others(PostgresError.unknownOutcome("Committing")))
    case .refused(let error):
      // A key of the dictionary is replaced if it exists, so the conflict is about a row number.
      if isCareful, !keys.isEmpty, let error = error as? PostgresError, error.isConflict {
        undo(because: .takenKeyNumber(error))
        return .again(.takenKeyNumber(error))
      }
      guard let reason = reasonToRunAgain(after: error) else { return .failed(fail(error)) }
      undo(because: reason)
      return .again(reason)
    }
  }

  /// How the transaction has ended on the server.
  private enum Ending {
    case committed
    /// The connection was lost, and nothing is stored.
    case lost(PostgresError)
    /// The connection was lost, and whether anything is stored cannot be found out.
    case unknown
    /// A statement has failed. The transaction still has to be rolled back.
    case refused(any Error)

    var isCommit: Bool { if case .committed = self { true } else { false } }
  }

  private func sendCommit(
    with keys: [DictionaryPath: StoredDictionaryValue?], on connection: PostgresConnection
  ) -> Ending {
    do {
      try pending.send(on: connection)
      if !keys.isEmpty { try core.dictionary.send(keys, on: connection) }
      guard hasWritten || !keys.isEmpty else {
        try connection.commit(for: "Committing")
        return .committed
      }
      // The server sends to subscribers only what is on disk: without this, they would hear of the commit some time
      // later.
      if core.feed.isObserved { try connection.send("SET LOCAL synchronous_commit = on", for: "Committing") }
      return try core.settlement.commit(connection, for: "Committing") ? .committed : .unknown
    } catch let error as PostgresError where connection.isBroken {
      return .lost(error)
    } catch {
      return .refused(error)
    }
  }
}

/// The error that a type needs something made before it can be written.
struct PreparationNeeded: Error {
  let record: RecordDescription
}

import Dflat
import DflatEngine
import FlatBuffersCore

/// One attempt of a transaction, on the thread that runs its closure.
///
/// It takes a connection when it first reads or writes, and begins a serializable transaction there. What it changes is collected,
/// sent before it reads again or much is pending, and not waited for: the answers come with that of the next read, or before the
/// commit. An attempt that conflicts with another transaction is undone, and the closure is run again.
final class PostgresTransaction {
  let core: PostgresCore
  let types: [ObjectIdentifier]
  /// Whether each new object is waited for, so that a key that is taken is told by `submit`.
  let isCareful: Bool
  /// The commit version of the objects that are read in this attempt, and of no others.
  let version: UInt64
  private(set) var state = State.idle
  /// What has been submitted and not been sent.
  var pending = PendingWrites()
  /// The rows that the attempt has changed, and what it has made of them.
  var rows: [RowID: RowState] = [:]
  /// The keys that rows no longer have.
  var formerKeys: [(key: RowKey, rowid: Int64)] = []
  /// The object that was looked up last, unless something has been submitted since: a request for it need not look again.
  var lookedUp: AnyObject?
  let encoder = RowEncoder.take()
  private(set) var hasWritten = false
  /// How many objects the attempt has changed.
  private(set) var changes = ChangeCounts()
  /// The keys of the dictionary that the closure has set; nil for one that it has removed.
  var keys: [DictionaryPath: StoredDictionaryValue?] = [:]
  /// How often the workspace had written pending keys before the attempt's snapshot was taken.
  private(set) var keyWriteCount: UInt64 = 0

  enum State {
    /// Nothing has been read or submitted yet.
    case idle
    case open(PostgresConnection)
    case aborted
    case failed(TransactionError)
    /// The attempt has been undone, and the closure will be run again. Until the closure returns, its fetches show committed
    /// objects, and its submissions are dropped.
    case doomed(Doom)
    /// The closure has returned.
    case ended
  }

  /// Why an attempt was undone.
  enum Doom {
    /// It is in conflict with another transaction, or has lost its connection.
    case conflict(PostgresError)
    /// A key is taken, and which one is found out by waiting for each answer.
    case takenKey
    /// A type has to be made ready to be written, which cannot be done while the transaction is open.
    case preparation(RecordDescription)
    /// Somebody has dropped a table, or a function of an index.
    case missingTable(PostgresError)
    /// A new key of the dictionary was to get a row number that may be taken.
    case takenKeyNumber(PostgresError)

    /// Its snapshot lacks the value of a key that was set on the workspace before, and written since.
    static var olderSnapshot: Doom {
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

  /// The connection on which fetches read; nil if they read what is committed.
  func connectionForReading() throws -> PostgresConnection? {
    switch state {
    case .idle, .open: return try connection()
    case .aborted, .failed, .doomed, .ended: return nil
    }
  }

  /// The connection with the transaction, to which everything has been sent that was submitted.
  func connection() throws -> PostgresConnection {
    let connection = try openConnection()
    try pending.send(on: connection)
    return connection
  }

  /// The connection with the transaction, which is begun if it has not been. What is pending stays so.
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
    case .aborted, .failed, .doomed, .ended: throw SubmissionError.undone
    }
  }

  func noteWrite(_ kind: RowChange.Kind) {
    hasWritten = true
    changes.add(kind)
  }

  // MARK: Failing

  /// Why the closure has to be run again after an error; nil if that would be of no use.
  func reasonToRunAgain(after error: any Error) -> Doom? {
    if case .doomed(let doom) = state { return doom }
    switch error {
    case let error as PreparationNeeded: return .preparation(error.record)
    case let error as PostgresError:
      // A key that was taken is told with the answer to whatever comes next.
      if error.isConflict, !isCareful { return .takenKey }
      if error.isMissingRelation { return .missingTable(error) }
      return error.isRetryable ? .conflict(error) : nil
    default: return nil
    }
  }

  /// Undoes the attempt, whose closure is to be run again.
  func doom(_ doom: Doom) {
    if case .doomed = state { return }
    rollBack(to: .doomed(doom))
  }

  func rollBack(failing failure: TransactionError) { rollBack(to: .failed(failure)) }

  /// Fails the transaction after a fetch in it has failed, for whatever cause: nothing may be decided on an answer that nobody gave.
  /// The fetch reports the error.
  func noteFailedRead(_ error: any Error) { rollBack(to: .failed(TransactionError(error))) }

  func abort() -> Bool {
    switch state {
    case .idle:
      rollBack(to: .aborted)
      return true
    case .open(let connection):
      do {
        // The closure may abort because of what it was told of a change whose answer was not known.
        try pending.send(on: connection)
        try connection.finish()
        rollBack(to: .aborted)
      } catch {
        if let reason = reasonToRunAgain(after: error) { doom(reason) } else { rollBack(to: .aborted) }
      }
      return true
    // The closure is run again, and decides anew.
    case .doomed: return true
    case .aborted, .failed: return false
    case .ended: stopProgram(PostgresTransaction.endedMessage)
    }
  }

  /// Drops everything that has been submitted.
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

  /// How an attempt has ended.
  enum Outcome {
    /// Its changes are stored.
    case committed
    case failed(TransactionError)
    /// Its closure is to be run again.
    case again(Doom)
  }

  /// Ends the attempt, whose closure has returned.
  ///
  /// - Parameter isTrial: whether it is undone in any case.
  func end(isTrial: Bool = false) -> Outcome {
    encoder.giveBack()
    defer { state = .ended }
    switch state {
    case .idle: return .committed
    case .aborted: return .failed(.aborted)
    case .failed(let failure): return .failed(failure)
    case .doomed(let doom): return .again(doom)
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
    // Rolling back forgets them.
    let keys = keys
    if !keys.isEmpty {
      core.dictionary.beginTransaction()
      // The server would not notice that the snapshot lacks a row which is to be removed.
      if keys.keys.contains(where: { core.dictionary.mayHaveWritten($0, since: keyWriteCount) }) {
        _ = core.dictionary.endTransaction(committing: [:])
        doom(.olderSnapshot)
        return .again(.olderSnapshot)
      }
    }
    let ending = sendCommit(with: keys, on: connection)
    // Before anything that may call the user's code, such as the error handler: that may wait for keys to be written.
    let subscribers = keys.isEmpty ? [] : core.dictionary.endTransaction(committing: ending.isCommit ? keys : [:])
    switch ending {
    case .committed:
      if hasWritten { core.waitUntilObserved(Set(rows.keys.lazy.map(\.record)), on: connection) }
      core.pool.release(connection)
      core.dictionary.tell(subscribers)
      return .committed
    case .lost(let error):
      core.pool.release(connection)
      state = .aborted
      return .again(.conflict(error))
    case .unknown:
      core.pool.release(connection)
      state = .aborted
      core.report(PostgresError.unknownOutcome("Committing"))
      return .failed(.others(PostgresError.unknownOutcome("Committing")))
    case .refused(let error):
      // No key of the dictionary is ever taken: it is replaced.
      if isCareful, !keys.isEmpty, let error = error as? PostgresError, error.isConflict {
        doom(.takenKeyNumber(error))
        return .again(.takenKeyNumber(error))
      }
      guard let reason = reasonToRunAgain(after: error) else { return .failed(fail(error)) }
      doom(reason)
      return .again(reason)
    }
  }

  /// How the server, or the way to it, has ended the transaction.
  private enum Ending {
    case committed
    /// The connection was lost, and nothing is stored.
    case lost(PostgresError)
    /// The connection was lost, and whether anything is stored cannot be found out.
    case unknown
    /// A statement has failed, and the transaction is still to be rolled back.
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
      // The server sends to subscribers what is on the disk: or else it would tell them some time after the commit.
      if core.feed.isObserved { try connection.send("SET LOCAL synchronous_commit = on", for: "Committing") }
      return try core.settlement.commit(connection, for: "Committing") ? .committed : .unknown
    } catch let error as PostgresError where connection.isBroken {
      return .lost(error)
    } catch {
      return .refused(error)
    }
  }
}

/// A type has to be made ready to be written.
struct PreparationNeeded: Error {
  let record: RecordDescription
}

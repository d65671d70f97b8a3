import Dflat
import DflatEngine
import Dispatch
import PostgresLayout

/// How keys are written: in the background what was set on the workspace, and with a transaction what that has set. They take
/// turns; see `DictionaryTurns`.
extension DictionaryTable {
  /// The pauses between attempts to write, in milliseconds: each is twice as long as the one before.
  private static let pauses = 100...10_000

  // MARK: Setting

  /// Sets a key; nil removes it. The calling thread tells subscribers.
  func set(_ value: StoredDictionaryValue?, for path: DictionaryPath) {
    let (subscribers, isWriteNeeded, isClosed) = state.withLock { state in
      if state.isClosed { return ([DictionarySubscriber](), false, true) }
      state.setCount += 1
      state.pending[path] = (value, state.setCount)
      state.reported.remove(path)
      let isWriteNeeded = !state.isWriteScheduled
      state.isWriteScheduled = true
      return (state.post(value, path), isWriteNeeded, false)
    }
    if isClosed {
      return report(DictionaryError(key: path.key.text, namespace: path.namespace.text, .shutDown))
    }
    if isWriteNeeded { writeInBackground(after: 0) }
    tell(subscribers)
  }

  private func writeInBackground(after pause: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) {
      do {
        try self.write()
      } catch {
        // The first failure is reported, and its retries are not.
        if pause == 0 { self.report(self.error(error)) }
        let next = max(DictionaryTable.pauses.lowerBound, min(2 * pause, DictionaryTable.pauses.upperBound))
        let isClosed = self.state.withLock { $0.isClosed }
        if !isClosed { self.writeInBackground(after: next) }
      }
    }
  }

  private func error(_ error: any Error) -> DictionaryError {
    let path = state.withLock { $0.pending.keys.first }
    return DictionaryError(key: path?.key.text, namespace: path?.namespace.text ?? "", .notWritten(error))
  }

  /// Waits until what was set before is written.
  ///
  /// - Returns: whether it is.
  func synchronize() -> Bool {
    do {
      try queue.sync { try write() }
      return true
    } catch {
      report(self.error(error))
      return false
    }
  }

  // MARK: Pending keys

  /// Writes what is pending, until nothing is. On the queue.
  private func write() throws {
    while true {
      let isDone = state.withLock { state in
        if state.pending.isEmpty { state.isWriteScheduled = false }
        return state.pending.isEmpty
      }
      if isDone { return }
      var pauses = RetryPauses(.limited(20))
      while true {
        do {
          try writePending()
          break
        } catch let error as PostgresError where error.isRetryable {
          guard pauses.wait() else { throw error }
        } catch let error as PostgresError where error.isMissingRelation {
          // Somebody has dropped the table: it is made anew.
          catalog.forgetAll()
          guard pauses.wait() else { throw error }
        } catch let error as PostgresError where error.isConflict {
          // A key is never taken, but the row number of a new one may be.
          guard try numbering.recover(from: error, in: DictionaryTable.record), pauses.wait() else { throw error }
        }
      }
    }
  }

  /// Writes what is pending in one transaction of the server. Each attempt looks anew what that is: meanwhile, a transaction may
  /// have set the same keys.
  private func writePending() throws {
    // The connection comes before the turn: transactions that wait for their turn have theirs already.
    let connection = try pool.acquire(for: .readWrite)
    defer { pool.release(connection) }
    if !catalog.table(of: DictionaryTable.record).isWritable || catalog.outcomes == .unknown {
      let preparation = TablePreparation(catalog: catalog, connection: try PostgresConnection(options.direct))
      for failure in try preparation.prepareForWriting(DictionaryTable.record) { report(failure) }
    }
    state.withLock { $0.turns.requestWrite() }
    let values = state.wait { $0.turns.beginWrite() ? $0.pending : nil }
    do {
      try connection.begin(.writing, for: "Writing keys")
      try send(values.mapValues(\.value), on: connection)
      let purpose = "Writing keys"
      guard try settlement.commit(connection, for: purpose) else { throw PostgresError.unknownOutcome(purpose) }
    } catch {
      connection.rollBack()
      // Where it is not known how COMMIT has ended, they may be stored.
      state.withLock { $0.turns.endWrite(of: values.keys) }
      state.notifyAll()
      throw error
    }
    let skipped = state.withLock { state in
      state.turns.endWrite(of: values.keys)
      var skipped: Set<DictionaryPath> = []
      for (path, written) in values where state.pending[path]?.number == written.number {
        state.pending[path] = nil
        if let path = state.skipped.remove(path) { skipped.insert(path) }
      }
      return skipped
    }
    state.notifyAll()
    refresh(skipped)
  }

  // MARK: Transactions

  /// What a transaction needs to know of a moment before its snapshot is taken, in order to notice that the snapshot is too old.
  var writeCount: UInt64 { state.withLock { $0.turns.writeCount } }

  /// Whether a value that was set before may be missing in a snapshot that was taken after `writeCount` was `count`.
  func mayHaveWritten(_ path: DictionaryPath, since count: UInt64) -> Bool {
    state.withLock { $0.turns.mayHaveWritten(path, since: count) }
  }

  /// The same of any key of a namespace.
  func mayHaveWritten(anyOf namespace: DictionaryKey, since count: UInt64) -> Bool {
    state.withLock { $0.turns.mayHaveWritten(anyOf: namespace, since: count) }
  }

  /// Waits until a transaction may write keys. Pending ones are not written before `endTransaction(committing:)`.
  func beginTransaction() { state.wait { $0.turns.beginTransaction() ? () : nil } }

  /// Ends the turn of a transaction. What it has committed replaces what is pending.
  ///
  /// - Returns: who is to be told of that.
  func endTransaction(committing values: [DictionaryPath: StoredDictionaryValue?]) -> [DictionarySubscriber] {
    let (subscribers, skipped): ([DictionarySubscriber], Set<DictionaryPath>) = state.withLock { state in
      state.turns.endTransaction()
      state.setCount += 1
      var skipped: Set<DictionaryPath> = []
      let subscribers = values.flatMap { path, value in
        state.pending[path] = nil
        if let path = state.skipped.remove(path) { skipped.insert(path) }
        state.reported.remove(path)
        return state.post(value, path)
      }
      return (subscribers, skipped)
    }
    state.notifyAll()
    // What others have set meanwhile may be later than the transaction.
    refresh(skipped)
    return subscribers
  }

  /// Tells subscribers what was set.
  func tell(_ subscribers: [DictionarySubscriber]) {
    for subscriber in subscribers { subscriber.deliver(guardedBy: state) }
  }

  /// Sends the keys of a transaction, for which the table has been prepared.
  func send(_ values: [DictionaryPath: StoredDictionaryValue?], on connection: PostgresConnection) throws {
    let layout = catalog.layout(of: DictionaryTable.record)
    let keys = (KeyForm.sql("$1::bytea"), KeyForm.sql("$2::bytea"))
    for (path, value) in values {
      var parameters = DictionaryTable.keys(of: path)
      if let value {
        try RowEncoder.with { encoder in
          parameters.append(bytes: try encoder.encode(DictionaryItem(path: path, value: value)))
        }
        try connection.send(
          DatabaseTable.checked(
            """
            INSERT INTO \(layout.table) (__pk0, __pk1, p) VALUES (\(keys.0), \(keys.1), $3) \
            ON CONFLICT (__pk0, __pk1) DO UPDATE SET p = EXCLUDED.p
            """), parameters, isChange: true, for: "Writing a key")
      } else {
        let row = "FROM \(layout.table) WHERE __pk0 = \(keys.0) AND __pk1 = \(keys.1)"
        // The count is that of before the deletion.
        try connection.send(
          DatabaseTable.checked("DELETE \(row)", rowCount: "(SELECT count(*) \(row))"), parameters, isChange: true,
          for: "Removing a key")
      }
      try connection.finishIfMuchIsUnanswered()
    }
  }
}

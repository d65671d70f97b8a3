import Dflat
import DflatEngine
import Dispatch
import PostgresLayout

/// The writing of keys: the workspace's keys in the background, and a transaction's keys with the transaction. The two
/// take turns; see `DictionaryTurns`.
extension DictionaryTable {
  /// The shortest and the longest pause between attempts to write, in milliseconds. Each pause is twice as long as the
  /// one before.
  private static let pauses = 100...10_000
  /// The most seconds that a waiting background write keeps transactions from beginning their turns.
  private static let longestRequest = 1.0
  /// The most seconds for which a background write whose turn did not come lets transactions begin, before it requests
  /// its turn again.
  private static let longestWithdrawal = 0.1

  /// The error that keeps a key from being written.
  struct WriteFailure {
    let error: DictionaryError
    /// The `HandlerDepth` of the code that has set the key, at which the error is to be reported. An error handler that
    /// sets a key which is refused would otherwise be called for ever.
    let depth: Int

    /// Hands the error to a function that calls the error handler.
    func report(to handler: (any Error) -> Void) { HandlerDepth.$current.withValue(depth) { handler(error) } }
  }

  // MARK: Setting

  /// Sets a key, or removes it if the value is nil. Calls its subscribers on the calling thread.
  ///
  /// - Returns: the reason why the key keeps its value, which the caller has to report; nil if the key was set.
  func set(_ value: StoredDictionaryValue?, for path: DictionaryPath) -> DictionaryError? {
    do {
      try options.requireWriting(for: "Setting a key")
    } catch {
      return DictionaryError(key: path.key.text, namespace: path.namespace.text, .refused(error))
    }
    // The calling thread may have seen the objects of a transaction that is committing another value of the key. The
    // thread's value must then replace that one, so the call waits for the commit.
    state.wait(atMost: Self.longestCommit) { $0.committing[path] == nil ? () : nil }
    let depth = HandlerDepth.current
    let (subscribers, newWrite, isClosed) = state.withLock { state -> ([DictionarySubscriber], UInt64?, Bool) in
      if state.isClosing { return ([], nil, true) }
      state.setCount += 1
      state.pending[path] = (value, state.setCount, depth)
      state.reported.remove(path)
      let newWrite = state.scheduledWrite == nil ? state.scheduleWrite() : nil
      return (state.post(value, path), newWrite, false)
    }
    if isClosed { return DictionaryError(key: path.key.text, namespace: path.namespace.text, .shutDown) }
    if let newWrite { writeInBackground(newWrite, after: 0) }
    tell(subscribers)
    return nil
  }

  /// Writes pending keys on the queue.
  ///
  /// - Parameters:
  ///   - number: the number of the write, by `State.scheduleWrite()`.
  ///   - pause: the milliseconds until then; 0 for the first attempt.
  private func writeInBackground(_ number: UInt64, after pause: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) {
      guard self.state.withLock({ $0.scheduledWrite == number }) else { return }
      var refusals: [WriteFailure] = []
      let outcome = Result { try self.write(&refusals) }
      for refusal in refusals { refusal.report(to: self.report) }
      guard case .failure(let error) = outcome else {
        // Calls of `synchronize()` that wait for the queue come first.
        let next = self.state.withLock { $0.scheduleWrite() }
        if let next { self.writeInBackground(next, after: 0) }
        return
      }
      // Only the first failure is reported, not those of its retries.
      if pause == 0 { self.failure(error).report(to: self.report) }
      let next = max(DictionaryTable.pauses.lowerBound, min(2 * pause, DictionaryTable.pauses.upperBound))
      let isClosed = self.state.withLock { $0.isClosed }
      if !isClosed { self.writeInBackground(number, after: next) }
    }
  }

  /// Returns the failure of a write after which all keys are still pending, with the lowest `HandlerDepth` of these.
  private func failure(_ error: any Error) -> WriteFailure {
    let (path, depth) = state.withLock { ($0.pending.keys.first, $0.pending.values.lazy.map(\.depth).min()) }
    return WriteFailure(
      error: DictionaryError(key: path?.key.text, namespace: path?.namespace.text ?? "", .notWritten(error)),
      depth: depth ?? 0)
  }

  /// Waits until everything set before is written.
  ///
  /// - Returns: an error for each reason why a key was not written, which the caller has to report; empty if all keys were
  ///   written.
  func synchronize() -> [WriteFailure] {
    var errors: [WriteFailure] = []
    do {
      try queue.sync { try write(&errors) }
      // A background write may be in the pause after a failure, though keys can be written again.
      let next = state.withLock { $0.scheduleWrite() }
      if let next { writeInBackground(next, after: 0) }
    } catch {
      // At the depth of the caller, who asks for this write.
      errors.append(WriteFailure(error: failure(error).error, depth: HandlerDepth.current))
    }
    return errors
  }

  // MARK: Pending keys

  /// Writes the keys that are pending now. Runs on the queue. A key that is set meanwhile may still be pending at the
  /// end: threads that set keys all the time would keep the call from returning.
  ///
  /// - Parameter refusals: receives the error of each key that the server refuses for its value. Such a key is given up.
  private func write(_ refusals: inout [WriteFailure]) throws {
    let last = state.withLock { $0.setCount }
    while state.withLock({ $0.pending.values.contains { $0.number <= last } }) { try write(nil, &refusals) }
  }

  /// Writes pending keys together. If the server refuses one of them for its value, writes each half of them by itself,
  /// and so on, so that the refused key keeps no other key from being written.
  ///
  /// - Parameter paths: the keys; nil for all that are pending.
  private func write(_ paths: Set<DictionaryPath>?, _ refusals: inout [WriteFailure]) throws {
    var values: PendingValues = [:]
    do {
      try writeTogether(paths, &values)
    } catch let error where Self.isAboutAValue(error) {
      guard values.count > 1 else {
        guard let (path, written) = values.first, Self.isRefusal(error, of: written.value) else { throw error }
        if giveUp(path, written.number) {
          let refusal = DictionaryError(key: path.key.text, namespace: path.namespace.text, .refused(error))
          refusals.append(WriteFailure(error: refusal, depth: written.depth))
        }
        return
      }
      let paths = Array(values.keys)
      var failure: (any Error)?
      for half in [paths[..<(paths.count / 2)], paths[(paths.count / 2)...]] {
        do {
          try write(Set(half), &refusals)
        } catch let error where Self.isAboutAValue(error) {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
    }
  }

  /// Returns whether an error may be due to one of the values that were written: the other values may be written
  /// without it.
  private static func isAboutAValue(_ error: any Error) -> Bool {
    // Any other error than these comes from the encoding of a value.
    (error as? PostgresError)?.isAboutAValue ?? !(error is StoreError)
  }

  /// Returns whether a value was refused for good: it was written by itself, and would be refused again.
  private static func isRefusal(_ error: any Error, of value: StoredDictionaryValue?) -> Bool {
    guard (error as? PostgresError)?.isAboutMemory == true else { return true }
    // The server may lack memory only for a moment. But for a large value it may never have enough.
    return switch value {
    case .string(let text): text.utf8.count >= largeValue
    case .encoded(let encoded): encoded.bytes.count >= largeValue
    default: false
    }
  }

  /// The number of bytes from which on a value counts as too large for a server that has no memory for it. The server
  /// needs several times as much.
  private static let largeValue = 1 << 24

  /// Gives a pending value up: its key has the stored value again, and the key's subscribers are notified.
  ///
  /// - Returns: false if the key was set again meanwhile.
  private func giveUp(_ path: DictionaryPath, _ number: UInt64) -> Bool {
    let isGivenUp = state.withLock { state in
      guard state.pending[path]?.number == number else { return false }
      state.pending[path] = nil
      state.skipped.remove(path)
      return true
    }
    state.notifyAll()
    if isGivenUp { refresh([path]) }
    return isGivenUp
  }

  /// Writes pending keys in one transaction of the server, in several attempts if necessary.
  ///
  /// - Parameters:
  ///   - paths: the keys; nil for all that are pending.
  ///   - values: receives the values of the last attempt.
  private func writeTogether(_ paths: Set<DictionaryPath>?, _ values: inout PendingValues) throws {
    var pauses = RetryPauses(.limited(20))
    while true {
      do {
        return try attempt(paths, &values)
      } catch let error as PostgresError where error.isRetryable {
        // Otherwise each attempt could wait in vain for another connection to the same server that is gone.
        if error.cause == .connectionLost { pool.dropIdle() }
        guard pauses.wait() else { throw error }
      } catch let error as PostgresError where error.isMissingRelation {
        // Somebody has dropped the table: make it anew.
        catalog.forgetAll()
        guard pauses.wait() else { throw error }
      } catch let error as PostgresError where error.isConflict {
        // Keys never conflict, but the row number of a new one may be taken. Any other conflict is about a value, which
        // violates a constraint that somebody has added to the table.
        guard try numbering.recover(from: error, in: DictionaryTable.record) else { throw error }
        // Not `error`, which would count as the refusal of a value: here, the row number is taken, and the value may be right.
        guard pauses.wait() else { throw PostgresError.takenNumber("Writing keys") }
      }
    }
  }

  /// Writes pending keys in one transaction of the server. Each attempt reads them anew: a transaction may have set the
  /// same keys meanwhile.
  private func attempt(_ paths: Set<DictionaryPath>?, _ attempted: inout PendingValues) throws {
    attempted = [:]
    // Takes the connection before the turn: transactions that wait for their turn already hold theirs.
    let connection = try pool.acquire(for: .readWrite)
    defer { pool.release(connection) }
    if catalog.knownTable(of: DictionaryTable.record)?.isWritable != true || catalog.outcomes == .unknown {
      let preparation = TablePreparation(
        catalog: catalog, connection: try PostgresConnection(options.direct),
        wait: PostgresConnection.LockWait(onDelay: { self.report($0) }))
      for failure in try preparation.prepareForWriting(DictionaryTable.record) { report(failure) }
    }
    let values = beginWrite(of: paths)
    attempted = values
    do {
      try connection.begin(.writing, for: "Writing keys")
      try send(values.mapValues(\.value), on: connection)
      let purpose = "Writing keys"
      guard try settlement.commit(connection, for: purpose) else { throw PostgresError.unknownOutcome(purpose) }
    } catch {
      connection.rollBack()
      // If the outcome of COMMIT is unknown, the keys may be stored.
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

  /// Waits for the turn of a background write. Returns the pending values of the keys.
  ///
  /// - Parameter paths: the keys; nil for all.
  private func beginWrite(of paths: Set<DictionaryPath>?) -> PendingValues {
    while true {
      state.withLock { $0.turns.requestWrite() }
      let values = state.wait(atMost: Self.longestRequest) { state -> PendingValues? in
        guard state.turns.beginWrite() else { return nil }
        guard let paths else { return state.pending }
        return state.pending.filter { paths.contains($0.key) }
      }
      if let values { return values }
      // Prevents a deadlock: a transaction that has its turn may wait for a row that another one has locked, and the
      // other one may wait for its own turn, which this request delays.
      state.withLock { $0.turns.withdrawRequest() }
      state.notifyAll()
      usleepRandomly(upTo: Self.longestWithdrawal)
    }
  }

  // MARK: Transactions

  /// The number of background writes so far. A transaction reads it before its snapshot is taken, to notice later that
  /// the snapshot is too old.
  var writeCount: UInt64 { state.withLock { $0.turns.writeCount } }

  /// Returns whether a pending value of a key may have been written since `writeCount` was `count`. A transaction whose
  /// snapshot was taken then has to run again: it may not see a value that was set before it began.
  func mayHaveWritten(_ path: DictionaryPath, since count: UInt64) -> Bool {
    state.withLock { $0.turns.mayHaveWritten(path, since: count) }
  }

  /// Returns whether a pending value of any key of a namespace may have been written since `writeCount` was `count`. A
  /// transaction whose snapshot was taken then has to run again.
  func mayHaveWritten(anyOf namespace: DictionaryKey, since count: UInt64) -> Bool {
    state.withLock { $0.turns.mayHaveWritten(anyOf: namespace, since: count) }
  }

  /// The turn of a transaction that commits keys.
  struct TransactionTurn {
    /// The number of the last setting of a key before the turn.
    fileprivate let setCount: UInt64
    /// The number of the last post of each key of the transaction before the turn; 0 for a key without subscribers.
    fileprivate let lastPosts: [DictionaryPath: UInt64]
  }

  /// Waits until a transaction may write keys. Pending keys are not written until its turn ends.
  func beginTransaction(setting paths: some Sequence<DictionaryPath>) -> TransactionTurn {
    state.wait { state in
      guard state.turns.beginTransaction() else { return nil }
      var lastPosts: [DictionaryPath: UInt64] = [:]
      for path in paths {
        state.committing[path, default: 0] += 1
        lastPosts[path] = state.lastPosts[path, default: 0]
      }
      return TransactionTurn(setCount: state.setCount, lastPosts: lastPosts)
    }
  }

  /// Ends the turn of a transaction. The values that it has committed replace those that were pending before the turn.
  ///
  /// - Parameters:
  ///   - turn: the turn.
  ///   - values: the values that were committed; none if the transaction was not.
  /// - Returns: the subscribers that the caller has to tell.
  func endTransaction(
    _ turn: TransactionTurn, committing values: [DictionaryPath: StoredDictionaryValue?]
  ) -> [DictionarySubscriber] {
    let (subscribers, unclear): ([DictionarySubscriber], Set<DictionaryPath>) = state.withLock { state in
      state.turns.endTransaction()
      for path in turn.lastPosts.keys {
        let count = state.committing[path, default: 1] - 1
        state.committing[path] = count == 0 ? nil : count
      }
      state.setCount += 1
      var subscribers: [DictionarySubscriber] = []
      var unclear: Set<DictionaryPath> = []
      for (path, value) in values {
        state.reported.remove(path)
        // A call that has not waited for the end of a long COMMIT has set a later value.
        if let pending = state.pending[path], pending.number > turn.setCount { continue }
        if state.pending.removeValue(forKey: path) != nil { state.turns.noteReplacement(of: path) }
        let hasNewerPost = state.lastPosts[path, default: 0] != turn.lastPosts[path, default: 0]
        if state.skipped.remove(path) != nil || hasNewerPost { unclear.insert(path) }
        if !hasNewerPost { subscribers += state.post(value, path) }
      }
      return (subscribers, unclear)
    }
    state.notifyAll()
    // A value that another process has set meanwhile may be older or newer than the transaction's. So these keys are
    // read from the database.
    refresh(unclear)
    return subscribers
  }

  /// Calls subscribers with the values posted to them, on the calling thread.
  func tell(_ subscribers: [DictionarySubscriber]) {
    for subscriber in subscribers { subscriber.deliver(guardedBy: state, before: completions) }
  }

  /// Has subscribers called with the values posted to them, before the completion handlers that are appended later. The
  /// calling thread may hold the types of a transaction, for which a callback may wait.
  func tellLater(_ subscribers: [DictionarySubscriber]) {
    completions.appendCallbacks(subscribers.map { subscriber in { self.tell([subscriber]) } })
  }

  /// Sends the keys of a transaction. The table must be prepared.
  func send(_ values: [DictionaryPath: StoredDictionaryValue?], on connection: PostgresConnection) throws {
    let layout = catalog.layout(of: DictionaryTable.record, on: connection)
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
        // The subquery counts the rows before the deletion.
        try connection.send(
          DatabaseTable.checked("DELETE \(row)", rowCount: "(SELECT count(*) \(row))"), parameters, isChange: true,
          for: "Removing a key")
      }
      try connection.finishIfMuchIsUnanswered()
    }
  }
}

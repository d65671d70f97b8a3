import Dflat

/// What a transaction has to do with those that are committed with it.
extension SQLiteTransaction {
  // MARK: Reading what is not committed yet

  /// The connection on which a transaction reads.
  struct Reading {
    let connection: SQLiteConnection
    let end: End

    enum End {
      case nothing
      case operation
      case writeLock
    }
  }

  /// The connection that sees what the transaction has written, or those before it in the open group; nil when what is
  /// committed is all that it has to see. To be ended with `endReading(_:)`.
  ///
  /// - Parameter inSnapshot: whether it reads in a snapshot.
  func beginReading(inSnapshot: Bool) throws -> Reading? {
    let isOperation = beginOperation()
    if case .writing(let writer) = phase {
      do {
        try writer.carryOutDeletions()
      } catch {
        if isOperation { endOperation() }
        throw error
      }
      return Reading(connection: writer.connection, end: isOperation ? .operation : .nothing)
    }
    if isOperation { endOperation() }
    guard !inSnapshot, let group = engine.writeLock.group(before: ticket.lines),
      engine.writeLock.acquire(whileOpen: group)
    else { return nil }
    do {
      // The lock is held for this reading only: a closure that has submitted nothing keeps nobody from writing.
      let connection = try engine.store.writer().connection
      seenGroup = group
      return Reading(connection: connection, end: .writeLock)
    } catch {
      engine.writeLock.release()
      throw error
    }
  }

  func endReading(_ reading: Reading) {
    switch reading.end {
    case .nothing: break
    case .operation: endOperation()
    case .writeLock: engine.writeLock.release()
    }
  }

  /// Whether fetches see the transaction's own writes.
  var hasWritten: Bool {
    let isOperation = beginOperation()
    defer { if isOperation { endOperation() } }
    if case .writing = phase { return true }
    return false
  }

  /// Has those before it committed, so that all that it has to see is.
  func settlePredecessors() {
    if let group = engine.writeLock.group(before: ticket.lines) { engine.closeGroup(group) }
  }

  // MARK: Ending

  /// Ends the transaction, whose closure has returned. It is completed then, or with the group that it has joined.
  func finish() {
    beginOperation()
    let last = phase
    let isMember = log != nil
    phase = .finished
    log = nil
    if isMember { engine.writeLock.setFlexible(nil) }
    endOperation()
    switch last {
    case .writing(let writer): finish(writer, isMember: isMember)
    case .reading:
      if case .atOnce(let failure) = engine.writeLock.join(ticket, havingSeen: seenGroup) { settle(failure) }
      engine.commitIfIdle(after: ticket)
    case .aborted, .finished:
      settle(.aborted)
      engine.commitIfIdle(after: ticket)
    case .failed(let failure):
      settle(failure)
      engine.commitIfIdle(after: ticket)
    }
  }

  private func settle(_ failure: TransactionError?) { engine.scheduler.settle(CollectionOfOne((ticket, failure))) }

  private func finish(_ writer: Writer, isMember: Bool) {
    noteChanges(by: writer)
    do {
      // Also when it is not one: it may become the first.
      try writer.carryOutDeletions()
      if isMember { try writer.endMember() }
    } catch {
      undo(writer, isMember: isMember, because: error)
      engine.writeLock.release()
      settle(TransactionError(error))
      engine.commitIfIdle(after: ticket)
      engine.report(error)
      return
    }
    engine.end(ticket, by: writer)
  }

  /// Undoes what the transaction has written. When SQLite cannot undo that alone, all those that wait to be committed
  /// have failed with it.
  func undo(_ writer: Writer, because error: any Error) {
    let isMember = log != nil
    log = nil
    undo(writer, isMember: isMember, because: error)
  }

  private func undo(_ writer: Writer, isMember: Bool, because error: any Error) {
    if isMember, case .success = Result(catching: { try writer.undoMember() }) { return }
    writer.rollBack()
    engine.settleGroup(TransactionError(error))
    if isMember { engine.scheduler.completeInBackground() }
  }

  // MARK: Stepping aside

  /// Has the group committed without this transaction, which has joined it and is still running.
  ///
  /// - Returns: false when the transaction is no longer in the way.
  func stepAside(for group: CommitGroup) -> Bool {
    let errors: [any Error]? = betweenOperations {
      guard log != nil, case .writing(let writer) = phase, case .open = engine.writeLock.state(of: group) else {
        return nil
      }
      return stepAside(writer)
    }
    guard let errors else { return false }
    for error in errors { engine.report(error) }
    return true
  }

  /// Undoes the transaction, commits those before it, and does it again, alone in SQLite's transaction from now on.
  ///
  /// When those before it cannot be committed, this one fails, too: it may have read what they had written.
  ///
  /// - Returns: errors to report when nothing is held any more.
  func stepAside(_ writer: Writer) -> [any Error] {
    guard let log else { return [] }
    self.log = nil
    engine.writeLock.setFlexible(nil)
    engine.sharing.noteStandingAside()
    do {
      try writer.undoMember(toRepeat: true)
    } catch {
      writer.rollBack()
      engine.settleGroup(TransactionError(error))
      engine.scheduler.completeInBackground()
      return [failStanding(aside: error)]
    }
    // Between the commit and the beginning others may write: so nothing else is done between them.
    let before = engine.foreignChanges.count
    let commit = Result { try writer.commit() }
    let beginning = commit.flatMap { Result { try writer.begin(noticing: engine.foreignChanges) } }
    engine.settleGroup(after: commit)
    engine.scheduler.completeInBackground()
    if case .failure(let error) = commit { return [failStanding(aside: error)] }
    do {
      try beginning.get()
      // It has read under the write lock, and must not have read what another process has replaced now.
      if engine.foreignChanges.count != before { throw SubmissionError.notRepeatable }
      try log.replay { try prepared($0, writer) }
      return []
    } catch {
      writer.rollBack()
      return [failStanding(aside: error)]
    }
  }

  private func failStanding(aside error: any Error) -> any Error {
    phase = .failed(TransactionError(error))
    engine.writeLock.release()
    return error
  }
}

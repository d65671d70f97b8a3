import CSQLite
import Dflat
import Dispatch

/// How transactions are committed, alone or several at once.
///
/// A transaction that has done its work leaves SQLite's transaction open when another is about to go on at once: it joins
/// the group of those that wait to be committed. The last one commits for all, or one that finds that the group is large
/// or old. The others run as savepoints within, so that each is undone alone.
///
/// A closure may wait for the completion of an earlier transaction, and a completion must not wait for long. So a timer
/// closes the group in any case: it commits when nobody is writing, and otherwise has the transaction that is undone,
/// commits those before it, and does again what it had done (`SQLiteTransaction.stepAside(for:)`). `CommitSharing` sees to
/// it that this is rare.
extension Engine {
  private static let timers = DispatchQueue(label: "dflat.commit", attributes: .concurrent)

  /// Ends the turn of a transaction that has written. With the write lock, which is released.
  func end(_ ticket: Ticket, by writer: Writer) {
    let group = writeLock.group
    let isLarge = sharing.hasWrittenMuch(writer.connection.totalChanges)
    let isShared =
      !isLarge && scheduler.sharesCommits && (group?.isWelcoming ?? true)
      && (writeLock.isWanted || scheduler.hasNext(after: ticket)) && sharing.isAdvisable(foreignChanges.count)
    guard isShared else {
      commit(writer, and: ticket)
      return
    }
    let joined = writeLock.join(ticket)
    writeLock.release()
    guard joined.isNew else { return }
    // The group belongs to the write lock, whose guard it is under.
    nonisolated(unsafe) let opened = joined.group
    Engine.timers.asyncAfter(deadline: .now() + CommitGroup.limitOfPatience) { [weak self] in
      self?.closeGroup(opened)
    }
  }

  /// Commits what is open, and with it the group and `ticket`. With the write lock, which is released.
  func commit(_ writer: Writer, and ticket: Ticket? = nil) {
    let outcome = commitGroup(writer, and: ticket)
    let behind = writer.recordsBehind
    // Nobody is told of anything with the lock held: a handler may wait for whoever wants it.
    writeLock.release()
    for record in behind { catchUp.request(record) }
    if case .failure(let error) = outcome { report(error) }
  }

  /// Commits what is open, keeping the write lock.
  func commitGroup(_ writer: Writer, and ticket: Ticket? = nil) -> Result<Void, any Error> {
    let outcome = Result { try writer.commit() }
    settleGroup(after: outcome, and: ticket)
    return outcome
  }

  /// Lets the members of the group be completed, as their commit has ended. With the write lock.
  func settleGroup(after commit: Result<Void, any Error>, and ticket: Ticket? = nil) {
    if case .failure(let error) = commit {
      settleGroup(TransactionError(error), and: ticket)
    } else {
      settleGroup(nil, and: ticket)
    }
  }

  /// Lets the members of the group be completed. With the write lock.
  func settleGroup(_ failure: TransactionError?, and ticket: Ticket? = nil) {
    let members = writeLock.close(failure.map { .failed($0) } ?? .committed)
    scheduler.settle(members.lazy.map { ($0.ticket, $0.isBound ? failure : nil) })
    if let ticket { scheduler.settle(CollectionOfOne((ticket, failure))) }
  }

  /// Commits the group when a transaction that has not written was the last that it waited for.
  func commitIfIdle(after ticket: Ticket) {
    guard !scheduler.hasNext(after: ticket), writeLock.acquireIfIdle() else { return }
    commitWaiting()
  }

  /// Commits the group. With the write lock, which is released.
  private func commitWaiting() {
    do {
      commit(try store.writer())
    } catch {
      // Not while a group is open: its connection is open, too.
      settleGroup(TransactionError(error))
      writeLock.release()
      report(error)
    }
  }

  /// Commits the group, whoever writes, unless it has been.
  func closeGroup(_ group: CommitGroup) {
    while true {
      switch writeLock.way(toClose: group) {
      case .closed: return
      case .acquired:
        commitWaiting()
        scheduler.completeInBackground()
        return
      case .blocked(let transaction):
        // It may have ended meanwhile.
        if transaction.stepAside(for: group) {
          scheduler.completeInBackground()
          return
        }
      }
    }
  }
}

extension TransactionError {
  /// What a transaction is told of an error that the error handler gets.
  init(_ error: any Error) {
    self = (error as? SQLiteError)?.code == SQLITE_FULL ? .diskFull : .others
  }
}

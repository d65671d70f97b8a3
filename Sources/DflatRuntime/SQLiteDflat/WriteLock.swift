import Dflat
import Foundation

/// Lets one thread write at a time, transactions before the background job that fills indexes; and keeps the group of
/// transactions that wait to be committed together.
///
/// Whoever takes the lock while a group is open finds SQLite's transaction open, with the group's changes in it.
final class WriteLock: @unchecked Sendable {
  // Unchecked because the variables are guarded by `condition`.
  private let condition = NSCondition()
  /// Held by a transaction that has joined the group while it uses the writer, and by whoever has it step aside. One for
  /// all: only one of them can use the writer at a time.
  let operation = NSLock()
  private var isHeld = false
  private var waitingTransactions = 0
  private var openGroup: CommitGroup?
  /// The holder, when it can be undone and done again so that the open group is committed without it.
  private var flexibleHolder: SQLiteTransaction?

  enum Priority {
    case transaction
    /// Only while no transaction waits, be it to write or to be committed.
    case background
  }

  func acquire(_ priority: Priority) {
    condition.lock()
    defer { condition.unlock() }
    switch priority {
    case .transaction:
      waitingTransactions += 1
      while isHeld { condition.wait() }
      waitingTransactions -= 1
    case .background:
      while isHeld || waitingTransactions > 0 || openGroup != nil { condition.wait() }
    }
    isHeld = true
  }

  func release() {
    condition.lock()
    defer { condition.unlock() }
    isHeld = false
    flexibleHolder = nil
    // All are woken: the one that a single signal would wake may be the background job, which then has to go on waiting.
    condition.broadcast()
  }

  // MARK: The group

  /// The group that is open. For the holder: nobody else opens or closes one.
  var group: CommitGroup? { condition.withLock { openGroup } }

  /// Whether a group is open, and with it SQLite's transaction.
  var isGroupOpen: Bool { condition.withLock { openGroup != nil } }

  /// Whether a transaction waits for the lock.
  var isWanted: Bool { condition.withLock { waitingTransactions > 0 } }

  /// The open group, when one that stands in one of `lines` comes after it.
  func group(before lines: [ObjectIdentifier]) -> CommitGroup? {
    condition.withLock {
      guard let openGroup, lines.contains(where: { openGroup.lines.contains($0) }) else { return nil }
      return openGroup
    }
  }

  /// Adds a transaction to the open group, or opens one with it. For the holder.
  ///
  /// - Returns: the group, and whether it is new.
  func join(_ ticket: Ticket) -> (group: CommitGroup, isNew: Bool) {
    condition.withLock {
      let group = openGroup ?? CommitGroup()
      let isNew = openGroup == nil
      openGroup = group
      group.add(ticket, isBound: true)
      return (group, isNew)
    }
  }

  /// When a transaction is completed, and how.
  enum Ending {
    case atOnce(TransactionError?)
    case withGroup
  }

  /// Adds a transaction that has written nothing to the open group, if it comes after a member.
  ///
  /// - Parameter seen: the group of which it has read something.
  func join(_ ticket: Ticket, havingSeen seen: CommitGroup?) -> Ending {
    condition.withLock {
      if let seen {
        switch seen.state {
        case .failed(let failure): return .atOnce(failure)
        case .committed: break
        case .open:
          seen.add(ticket, isBound: true)
          return .withGroup
        }
      }
      guard let openGroup, ticket.lines.contains(where: { openGroup.lines.contains($0) }) else {
        return .atOnce(nil)
      }
      openGroup.add(ticket, isBound: false)
      return .withGroup
    }
  }

  func state(of group: CommitGroup) -> CommitGroup.State { condition.withLock { group.state } }

  /// Closes the group, which has been committed or has failed. For the holder.
  ///
  /// - Returns: its members.
  func close(_ state: CommitGroup.State) -> [CommitGroup.Member] {
    condition.lock()
    defer { condition.unlock() }
    guard let group = openGroup else { return [] }
    openGroup = nil
    group.state = state
    condition.broadcast()
    return group.members
  }

  /// Says whether the holder can be undone and done again.
  func setFlexible(_ holder: SQLiteTransaction?) {
    condition.lock()
    defer { condition.unlock() }
    flexibleHolder = holder
    if holder != nil { condition.broadcast() }
  }

  /// Takes the lock, unless the group is closed before it is free.
  func acquire(whileOpen group: CommitGroup) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while isHeld, case .open = group.state { condition.wait() }
    guard case .open = group.state else { return false }
    isHeld = true
    return true
  }

  /// Takes the lock when a group is open and nobody holds the lock or waits for it.
  func acquireIfIdle() -> Bool {
    condition.withLock {
      guard !isHeld, waitingTransactions == 0, openGroup != nil else { return false }
      isHeld = true
      return true
    }
  }

  enum Way {
    /// The group has been closed.
    case closed
    /// The caller has the lock now.
    case acquired
    /// This one has it, and can be undone and done again.
    case blocked(by: SQLiteTransaction)
  }

  /// Finds out how the group can be closed now.
  func way(toClose group: CommitGroup) -> Way {
    condition.lock()
    defer { condition.unlock() }
    while true {
      guard case .open = group.state else { return .closed }
      if !isHeld {
        isHeld = true
        return .acquired
      }
      if let flexibleHolder { return .blocked(by: flexibleHolder) }
      condition.wait()
    }
  }
}

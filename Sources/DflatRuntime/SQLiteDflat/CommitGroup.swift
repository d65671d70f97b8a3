import Dflat
import Dispatch

/// Transactions whose closures have returned, and whose changes wait in one SQLite transaction to be committed together.
///
/// The variables are guarded by the write lock's own lock.
final class CommitGroup {
  /// Those that are completed when the group is committed, or has failed.
  var members: [Member] = []
  /// The lines in which they stood. Whoever stands in one of them comes after them, and is not completed before.
  var lines: Set<ObjectIdentifier> = []
  let began = DispatchTime.now()
  var state = State.open

  struct Member {
    let ticket: Ticket
    /// Whether it fails when the group does: not if it has neither written nor read anything of the group.
    let isBound: Bool
  }

  enum State {
    case open
    case committed
    case failed(TransactionError)
  }

  func add(_ ticket: Ticket, isBound: Bool) {
    members.append(Member(ticket: ticket, isBound: isBound))
    for line in ticket.lines where !lines.contains(line) { lines.insert(line) }
  }

  /// How long others may join after the first member.
  static let patience = DispatchTimeInterval.milliseconds(5)
  /// How long the first member waits at most, but for the commit itself. The one that is writing when the group stops to
  /// welcome others has time to end, and commits it then.
  static let limitOfPatience = DispatchTimeInterval.milliseconds(10)
  /// How many members are committed together at most.
  static let limit = 1024

  /// Whether others may still join.
  var isWelcoming: Bool { members.count < CommitGroup.limit && DispatchTime.now() < began + CommitGroup.patience }
}

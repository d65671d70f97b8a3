import Dispatch
import Foundation

/// The read transaction that a reader keeps open from one fetch to the next, since beginning one costs more than many a
/// fetch does.
///
/// It is used again only while it shows what a new one would show: until this process commits anything, and for a short
/// time, as others may commit, too. It is ended before its workspace commits, and when that time is over, so that it keeps
/// nobody from reusing the log. Transactions do not read from it: what they read decides what they write.
struct KeptSnapshot {
  /// The moment of the clock in which the snapshot began, or at which: it may show what was committed after.
  let moment: UInt64
  /// When the snapshot, or one taken in its place, began: nanoseconds of the system's uptime.
  let time: UInt64

  /// How long what others have committed may stay unseen.
  static let lifetime = DispatchTimeInterval.milliseconds(10)
  private static let nanoseconds: UInt64 = 10_000_000

  /// Where kept snapshots are ended in time.
  static let queue = DispatchQueue(label: "dflat.snapshots", qos: .utility)

  /// Whether this snapshot, which was begun before, is as good as `new`.
  func serves(_ new: KeptSnapshot) -> Bool {
    moment == new.moment && new.time - time < KeptSnapshot.nanoseconds
  }
}

/// The commits that this process makes to one file, by however many workspaces: none of them may be hidden by a kept
/// snapshot.
final class CommitClock: @unchecked Sendable {
  // Unchecked because the variables are guarded by the lock.
  private let lock = NSLock()
  private let number = CommitClock.moments.nextClock()
  private var moment: UInt64
  private var running = 0

  /// What a snapshot that begins from now on is good for; nil while something is being committed: nobody could say whether
  /// it shows that or not.
  var next: KeptSnapshot? {
    lock.lock()
    defer { lock.unlock() }
    return running > 0 ? nil : KeptSnapshot(moment: moment, time: DispatchTime.now().uptimeNanoseconds)
  }

  /// Whether the snapshot may be used again.
  func isGood(_ snapshot: KeptSnapshot?) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return running == 0 && snapshot?.moment == moment
  }

  func beginCommit() {
    lock.lock()
    defer { lock.unlock() }
    moment = newMoment()
    running += 1
  }

  func endCommit() {
    lock.lock()
    defer { lock.unlock() }
    running -= 1
  }

  /// Notes that another process has committed.
  func noticeForeignCommit() {
    lock.lock()
    defer { lock.unlock() }
    moment = newMoment()
  }

  // MARK: Moments

  /// The time from one commit to the next. No other file, and no other time, has the same number; none has 0.
  var now: UInt64 {
    lock.lock()
    defer { lock.unlock() }
    return moment
  }

  /// Whether two moments are known to be of one clock, and so of one file.
  static func isSameClock(_ lhs: UInt64, _ rhs: UInt64) -> Bool {
    lhs >> counterBits == rhs >> counterBits && lhs >> counterBits != 0
  }

  /// A moment is the number of its clock, and below that a counter that all clocks share.
  private static let counterBits: UInt64 = 42

  private static let moments = Moments()

  private func newMoment() -> UInt64 { CommitClock.moment(of: number) }

  private static func moment(of number: UInt64) -> UInt64 { number << counterBits | moments.next() }

  private final class Moments: @unchecked Sendable {
    // Unchecked because the variables are guarded by the lock.
    private let lock = NSLock()
    private var last: UInt64 = 0
    private var lastClock: UInt64 = 0

    func next() -> UInt64 {
      lock.lock()
      defer { lock.unlock() }
      last += 1
      return last
    }

    /// The number of a new clock; 0, which tells it from no other, when after four million of them there is no other left.
    func nextClock() -> UInt64 {
      lock.lock()
      defer { lock.unlock() }
      let limit = UInt64.max >> CommitClock.counterBits
      if lastClock <= limit { lastClock += 1 }
      return lastClock <= limit ? lastClock : 0
    }
  }

  // MARK: One for each file

  /// A file, whatever the path by which it is found. All that cannot be told apart count as one.
  private struct FileIdentity: Hashable {
    var device: UInt64 = 0
    var number: UInt64 = 0

    init(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// Kept by hand, and not by weak references, which make every use of what they refer to dearer.
  private final class Known: @unchecked Sendable {
    // Unchecked because the variable is guarded by the lock.
    private let lock = NSLock()
    private var clocks: [FileIdentity: (clock: CommitClock, users: Int)] = [:]

    func join(_ file: FileIdentity) -> CommitClock {
      lock.lock()
      defer { lock.unlock() }
      let clock = clocks[file]?.clock ?? CommitClock(file)
      clocks[file, default: (clock, 0)].users += 1
      return clock
    }

    func leave(_ file: FileIdentity) {
      lock.lock()
      defer { lock.unlock() }
      guard let users = clocks[file]?.users else { return }
      if users > 1 { clocks[file]?.users -= 1 } else { clocks[file] = nil }
    }
  }

  private static let known = Known()
  private let file: FileIdentity

  private init(_ file: FileIdentity) {
    self.file = file
    moment = CommitClock.moment(of: number)
  }

  /// The clock of the file at `path`, the same for all who use the file at a time. Whoever asks leaves it in the end.
  static func join(fileAt path: String) -> CommitClock {
    known.join(FileIdentity(path: path))
  }

  func leave() {
    CommitClock.known.leave(file)
  }
}

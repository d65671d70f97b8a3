import Dispatch

/// The transactions that a snapshot shows, as `pg_current_snapshot()` returns them.
/// https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
struct ServerSnapshot {
  /// The time after which every snapshot is assumed to show a received commit: 32 bits of a number do not tell whether
  /// it is much older or much newer than another. A server makes far fewer than 2^31 transactions in an hour.
  static let longestDelay = DispatchTimeInterval.seconds(3_600)

  /// All transactions with lower numbers have ended.
  private let lowest: UInt64
  /// No transaction from this number on has ended.
  private let end: UInt64
  /// The transactions from `lowest` to `end` that have not ended.
  private let running: Set<UInt64>

  /// Parses the text of a snapshot; nil if it is malformed.
  ///
  /// - Parameter text: for example `10:20:10,14,15`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let lowest = UInt64(parts[0]), let end = UInt64(parts[1]) else { return nil }
    self.lowest = lowest
    self.end = end
    running = Set(parts[2].split(separator: ",").compactMap { UInt64($0) })
  }

  /// Returns whether the snapshot shows the changes of a committed transaction.
  ///
  /// - Parameter xid: the lower 32 bits of the transaction's number.
  func shows(_ xid: UInt32) -> Bool {
    // The numbers of transactions known at one time differ by less than 2^31.
    var number = end & ~0xffff_ffff | UInt64(xid)
    if number > end + 1 << 31, number >= 1 << 32 { number -= 1 << 32 }
    if number + 1 << 31 < end { number += 1 << 32 }
    return number < lowest || number < end && !running.contains(number)
  }
}

/// The transactions that a snapshot shows, as `pg_current_snapshot()` tells.
/// https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
struct ServerSnapshot {
  /// All transactions below have ended.
  private let lowest: UInt64
  /// All from this one on have not ended.
  private let end: UInt64
  /// Those between that have not ended.
  private let running: Set<UInt64>

  /// - Parameter text: such as `10:20:10,14,15`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let lowest = UInt64(parts[0]), let end = UInt64(parts[1]) else { return nil }
    self.lowest = lowest
    self.end = end
    running = Set(parts[2].split(separator: ",").compactMap { UInt64($0) })
  }

  /// Whether the changes of a transaction that has committed show.
  ///
  /// - Parameter xid: the lower 32 bits of its number.
  func shows(_ xid: UInt32) -> Bool {
    // Numbers of transactions that are known at one time differ by less than 2^31.
    var number = end & ~0xffff_ffff | UInt64(xid)
    if number > end + 1 << 31, number >= 1 << 32 { number -= 1 << 32 }
    if number + 1 << 31 < end { number += 1 << 32 }
    return number < lowest || number < end && !running.contains(number)
  }
}

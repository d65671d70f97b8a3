/// The last-changed versions of rows, by which an object is known to be current without reading its row again.
///
/// Each of a number of slots holds the version of the latest change of any row that falls into it. Rows that share a slot can
/// only make the answer "perhaps changed". There are more slots the more rows have been changed, up to a megabyte. Only this
/// workspace's changes are noted.
struct RowVersions {
  /// Nothing is known of changes before this version.
  private var horizon: UInt64
  /// As many as a power of two. Empty before the first change.
  private var latest: ContiguousArray<UInt64> = []
  /// How many changes have been noted since there are so many slots.
  private var changeCount = 0
  private static let slotCounts = (first: 1 << 10, last: 1 << 17)

  init(horizon: UInt64) {
    self.horizon = horizon
  }

  /// Forgets all changes before `version`, at which another process may have changed any row.
  mutating func forget(before version: UInt64) { horizon = version }

  /// Notes that a row is changed by the commit that will end `version`.
  mutating func noteChange(of type: ObjectIdentifier, _ rowid: Int64, at version: UInt64) {
    changeCount += 1
    if changeCount > latest.count / 4, latest.count < RowVersions.slotCounts.last { grow() }
    latest[slot(of: type, rowid)] = version
  }

  private mutating func grow() {
    if latest.isEmpty {
      latest = ContiguousArray(repeating: 0, count: RowVersions.slotCounts.first)
    } else {
      // A slot of the smaller number becomes several, each of which may be that of its row.
      let factor = min(8, RowVersions.slotCounts.last / latest.count)
      let former = latest
      latest.reserveCapacity(factor * former.count)
      for _ in 1..<factor { latest += former }
    }
    changeCount = 0
  }

  /// Whether the row is sure to be as it was when an object was read from it at `version`; false is inconclusive.
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool {
    guard version >= horizon else { return false }
    // An object that was read at the very version that a change has ended may show the row before the change or after it.
    return latest.isEmpty || latest[slot(of: type, rowid)] < version
  }

  private func slot(of type: ObjectIdentifier, _ rowid: Int64) -> Int {
    // Multiplied by the golden ratio (2^64 / 1.618...), so that the rows of two types begin at different slots.
    let start = UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15 >> 32
    return Int(truncatingIfNeeded: start &+ UInt64(bitPattern: rowid)) & (latest.count - 1)
  }
}

/// The last-changed versions of rows, by which an object is known to be current without reading its row again.
///
/// A hash table that forgets nothing and has no chains: rows that fall into one slot share it, and of such rows the answer can
/// be "perhaps changed" without need. There are more slots the more rows have been changed, up to a megabyte. Only this
/// workspace's changes are noted.
struct RowVersions {
  private struct Slot: BitwiseCopyable {
    /// The row whose changes are noted here; `shared` if there are several.
    var row: UInt64 = 0
    /// The version of the latest change of these rows; 0 if none has been changed.
    var version: UInt64 = 0

    static let shared = UInt64.max

    mutating func noteChange(of row: UInt64, at version: UInt64) {
      if self.version == 0 {
        self.row = row
      } else if self.row != row {
        self.row = Slot.shared
      }
      self.version = max(self.version, version)
    }
  }

  /// Nothing is known of changes before this version.
  private var horizon: UInt64
  /// As many as a power of two. Empty before the first change.
  private var slots: ContiguousArray<Slot> = []
  /// How many slots are used.
  private var usedCount = 0
  private static let slotCounts = (first: 1 << 10, last: 1 << 16)

  init(horizon: UInt64) {
    self.horizon = horizon
  }

  /// Forgets all changes before `version`, at which another process may have changed any row.
  mutating func forget(before version: UInt64) { horizon = version }

  /// Notes that a row is changed by the commit that will end `version`.
  mutating func noteChange(of type: ObjectIdentifier, _ rowid: Int64, at version: UInt64) {
    if usedCount >= slots.count / 4, slots.count < RowVersions.slotCounts.last { grow() }
    let row = RowVersions.number(of: type, rowid)
    let index = index(of: row)
    if slots[index].version == 0 { usedCount += 1 }
    slots[index].noteChange(of: row, at: version)
  }

  private mutating func grow() {
    let former = slots
    let count = former.isEmpty ? RowVersions.slotCounts.first : min(8 * former.count, RowVersions.slotCounts.last)
    slots = ContiguousArray(repeating: Slot(), count: count)
    for (index, slot) in former.enumerated() where slot.version != 0 {
      if slot.row != Slot.shared {
        slots[self.index(of: slot.row)] = slot
      } else {
        // Its rows may be in any of the slots that it becomes.
        for place in stride(from: index, to: count, by: former.count) { slots[place] = slot }
      }
    }
    usedCount = slots.count { $0.version != 0 }
  }

  /// Whether the row is sure to be as it was when an object was read from it at `version`; false is inconclusive.
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool {
    guard version >= horizon else { return false }
    guard !slots.isEmpty else { return true }
    let row = RowVersions.number(of: type, rowid)
    let slot = slots[index(of: row)]
    // An object that was read at the very version that a change has ended may show the row before the change or after it.
    return slot.version < version || slot.row != row && slot.row != Slot.shared
  }

  /// A number for a row of a type. Rows of two types may have one number: then each counts as changed when the other is.
  private static func number(of type: ObjectIdentifier, _ rowid: Int64) -> UInt64 {
    // Multiplied by the golden ratio (2^64 / 1.618...), so that the rows of two types begin at different slots.
    let start = UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15 >> 32
    return start &+ UInt64(bitPattern: rowid)
  }

  private func index(of row: UInt64) -> Int { Int(truncatingIfNeeded: row) & (slots.count - 1) }
}

/// The last-changed versions of rows: they show that an object is current without reading its row again.
///
/// A hash table without eviction and without chains. Rows that fall into one slot share it, and may then count as
/// changed although they are not. The table grows with the number of changed rows, up to a megabyte. Only changes of
/// this workspace are recorded.
struct RowVersions {
  private struct Slot: BitwiseCopyable {
    /// The row whose changes are recorded here; `shared` if there are several.
    var row: UInt64 = 0
    /// The version of the latest change of the slot's rows; 0 if none has been changed.
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

  /// The version before which changes are unknown.
  private var horizon: UInt64
  /// The hash table. Its size is a power of two; it is empty before the first change.
  private var slots: ContiguousArray<Slot> = []
  /// How many slots are used.
  private var usedCount = 0
  private static let slotCounts = (first: 1 << 10, last: 1 << 16)

  init(horizon: UInt64) {
    self.horizon = horizon
  }

  /// Forgets all changes before `version`, since another process may have changed any row until then.
  mutating func forget(before version: UInt64) { horizon = version }

  /// Records that a row is changed by the commit that will end `version`.
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
        // Its rows may belong to any of the slots that this slot is divided into.
        for place in stride(from: index, to: count, by: former.count) { slots[place] = slot }
      }
    }
    usedCount = slots.count { $0.version != 0 }
  }

  /// Returns true if the row is known to be as it was when an object was read from it at `version`; false is
  /// inconclusive.
  func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool {
    guard version >= horizon else { return false }
    guard !slots.isEmpty else { return true }
    let row = RowVersions.number(of: type, rowid)
    let slot = slots[index(of: row)]
    // An object that was read at the version that a change has ended may show the row before or after the change.
    return slot.version < version || slot.row != row && slot.row != Slot.shared
  }

  /// Returns a number for a row of a type. If rows of two types have the same number, each counts as changed when the
  /// other is.
  private static func number(of type: ObjectIdentifier, _ rowid: Int64) -> UInt64 {
    // Multiplied by the golden ratio (2^64 / 1.618...), so that the rows of two types begin at different slots.
    let start = (UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15) >> 32
    return start &+ UInt64(bitPattern: rowid)
  }

  private func index(of row: UInt64) -> Int { Int(truncatingIfNeeded: row) & (slots.count - 1) }
}

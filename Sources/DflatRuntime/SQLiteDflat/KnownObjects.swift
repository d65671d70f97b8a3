import Dflat

/// The objects of which a transaction knows the state, by their types and rows.
///
/// A list of tables, since a transaction has few types; and in them a hash of the rows that costs next to nothing, since
/// every object that is changed is noted here.
struct KnownObjects {
  enum State {
    /// An `Element` of the record.
    case stored(AnyObject)
    case deleted
    /// Not as it was read before the transaction, and not known.
    case changed
  }

  /// So many objects that were changed are kept, which may be changed again. To keep all costs more than the changes do,
  /// and memory besides.
  private static let limit = 256
  private var keptCount = 0

  private var tables: ContiguousArray<(record: ObjectIdentifier, rows: RowTable)> = []

  /// What is known of the object in the row; nil when that is nothing.
  func state(of record: RecordDescription, _ rowid: Int64) -> State? {
    for table in tables where table.record == ObjectIdentifier(record) { return table.rows[rowid] }
    return nil
  }

  mutating func set(_ state: State, of record: RecordDescription, _ rowid: Int64) {
    tables[place(of: record)].rows[rowid] = state
  }

  /// Notes that a row holds `object` now.
  mutating func noteChange(to object: AnyObject, of record: RecordDescription, _ rowid: Int64) {
    keptCount += 1
    set(keptCount <= KnownObjects.limit ? .stored(object) : .changed, of: record, rowid)
  }

  mutating func reserve(_ count: Int, of record: RecordDescription) {
    tables[place(of: record)].rows.reserve(count)
  }

  private mutating func place(of record: RecordDescription) -> Int {
    let key = ObjectIdentifier(record)
    if let place = tables.firstIndex(where: { $0.record == key }) { return place }
    tables.append((key, RowTable()))
    return tables.count - 1
  }
}

/// A hash table with open addressing, at most half full.
private struct RowTable {
  private struct Slot {
    var rowid: Int64 = 0
    /// Nil in a free slot.
    var state: KnownObjects.State?
  }

  private var slots: ContiguousArray<Slot> = []
  private var count = 0
  /// The bits of a hash that are not used.
  private var shift: UInt64 = 64

  /// Different in each process, so that no file can have rows that are made to collide.
  private static let multiplier = UInt64.random(in: 0...UInt64.max) | 1

  subscript(rowid: Int64) -> KnownObjects.State? {
    get { slots.isEmpty ? nil : slots[place(of: rowid)].state }
    set {
      if count * 2 >= slots.count { resize(to: max(16, slots.count * 2)) }
      let place = place(of: rowid)
      if slots[place].state == nil { count += 1 }
      slots[place] = Slot(rowid: rowid, state: newValue)
    }
  }

  mutating func reserve(_ more: Int) {
    let needed = (count + more) * 2
    if needed > slots.count { resize(to: 1 << (Int.bitWidth - max(15, needed - 1).leadingZeroBitCount)) }
  }

  /// Where the row is, or would be.
  private func place(of rowid: Int64) -> Int {
    var place = Int(truncatingIfNeeded: (UInt64(bitPattern: rowid) &* RowTable.multiplier) >> shift)
    while slots[place].state != nil, slots[place].rowid != rowid { place = (place + 1) & (slots.count - 1) }
    return place
  }

  /// - Parameter size: a power of two.
  private mutating func resize(to size: Int) {
    let old = slots
    slots = ContiguousArray(repeating: Slot(), count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for slot in old where slot.state != nil { slots[place(of: slot.rowid)] = slot }
  }
}

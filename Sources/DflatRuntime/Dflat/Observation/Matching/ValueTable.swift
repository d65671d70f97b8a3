/// The standing queries that are filed under values of one field: a hash table with open addressing and linear probing.
///
/// A table of a few values is searched without hashing.
struct ValueTable: ~Copyable {
  /// A value, and the filings under it.
  private struct Entry {
    /// The value; NULL, which equals no value, if the entry is vacant.
    var value: RowValue
    var filings = FilingList()
    /// The memory of the value's text or bytes; nil for other values.
    var constants: RetainedConstants?
  }

  private struct Slot: BitwiseCopyable {
    var hash: UInt32 = 0
    /// The index of an entry; -1 if the slot is empty.
    var entry: Int32 = -1
  }

  /// The largest number of entries that are searched one by one. Beyond it, hashing is faster, of numbers and of
  /// texts: `Benchmarks matching` prints the time of a lookup at each size.
  private static let scanLimit = 8

  private var entries = Pool<Entry>()
  /// The hash table. It has at least twice as many slots as there are entries, and their number is a power of two.
  private var slots: ContiguousArray<Slot> = []
  private let seed = UInt64.random(in: .min ... .max)

  /// Returns the list of filings under a value, which is not NULL. The list is empty if nothing is filed under it.
  func filings(of value: RowValue) -> FilingList {
    let index = entries.elements.count <= Self.scanLimit ? scan(for: value) : find(value)
    return index < 0 ? FilingList() : entries.elements[Int(index)].filings
  }

  private func scan(for value: RowValue) -> Int32 {
    for index in entries.elements.indices where entries.elements[index].value.isEqual(to: value) { return Int32(index) }
    return -1
  }

  private func find(_ value: RowValue) -> Int32 {
    let hash = value.hash(seed: seed)
    var position = Int(hash) & (slots.count - 1)
    while slots[position].entry >= 0 {
      if slots[position].hash == hash, entries.elements[Int(slots[position].entry)].value.isEqual(to: value) {
        return slots[position].entry
      }
      position = (position + 1) & (slots.count - 1)
    }
    return -1
  }

  // MARK: Changes

  /// Files `filing` under `value`, which is not NULL.
  mutating func insert(_ filing: Int32, under value: FieldValue, in filings: inout Filings) {
    var index = value.withRowValue { slots.isEmpty ? -1 : find($0) }
    if index < 0 { index = addEntry(value) }
    filings.link(filing, to: &entries.elements[Int(index)].filings)
    filings.setPlace(of: filing, to: .value(index))
  }

  /// Removes `filing` from the entry at `index`.
  mutating func remove(_ filing: Int32, at index: Int32, in filings: inout Filings) {
    filings.unlink(filing, from: &entries.elements[Int(index)].filings)
    if entries.elements[Int(index)].filings.count == 0 { removeEntry(at: index) }
  }

  private mutating func addEntry(_ value: FieldValue) -> Int32 {
    var memory = ConstantMemory()
    let stored = memory.store(value)
    var constants: RetainedConstants?
    if stored.content != nil { constants = RetainedConstants(memory) }
    let index = entries.insert(Entry(value: stored, constants: constants))
    if entries.count * 2 > slots.count { resize(to: max(slots.count * 2, 4)) } else { addSlot(for: index) }
    return index
  }

  private mutating func removeEntry(at index: Int32) {
    removeSlot(of: index)
    entries.remove(at: index, leaving: Entry(value: .null))
    if slots.count > 4, entries.count * 8 < slots.count { resize(to: max(slots.count / 4, 4)) }
  }

  private mutating func addSlot(for index: Int32) {
    let hash = entries.elements[Int(index)].value.hash(seed: seed)
    var position = Int(hash) & (slots.count - 1)
    while slots[position].entry >= 0 { position = (position + 1) & (slots.count - 1) }
    slots[position] = Slot(hash: hash, entry: index)
  }

  private mutating func removeSlot(of index: Int32) {
    let mask = slots.count - 1
    var hole = Int(entries.elements[Int(index)].value.hash(seed: seed)) & mask
    while slots[hole].entry != index { hole = (hole + 1) & mask }
    // Slots that were pushed past the hole move back, so that no search ends before them.
    var position = (hole + 1) & mask
    while slots[position].entry >= 0 {
      let home = Int(slots[position].hash) & mask
      if (position - home) & mask >= (position - hole) & mask {
        slots[hole] = slots[position]
        hole = position
      }
      position = (position + 1) & mask
    }
    slots[hole] = Slot()
  }

  private mutating func resize(to count: Int) {
    slots = ContiguousArray(repeating: Slot(), count: count)
    for index in entries.elements.indices {
      if case .null = entries.elements[index].value { continue }
      addSlot(for: Int32(index))
    }
  }
}

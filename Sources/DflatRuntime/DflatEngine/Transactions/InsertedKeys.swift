import Dflat
import FlatBuffersCore

/// The primary keys of the new objects of a write set, found by their hashes. It stores no keys: the encoded objects
/// have them.
package struct InsertedKeys {
  private struct Slot {
    var hash: UInt32 = 0
    /// The index of the write, plus one; 0 if the slot is empty.
    var number: Int32 = 0
  }

  /// The hash table. Its size is a power of two, and at most half of it is used.
  private var slots: [Slot] = []
  private var count = 0
  /// A random seed, so that nobody can choose keys that collide.
  private static let seed = UInt64.random(in: .min ... .max)

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Returns the hash of an object's primary key; nil if a column is NULL, since NULLs are never in conflict.
  package static func hash(of object: FlatBufferTable, _ record: RecordDescription) -> UInt32? {
    var hash: UInt32 = 0
    for column in record.primaryKeys.indices {
      let value = record.columns.value(at: column, in: object)
      if case .null = value { return nil }
      hash = hash &* 31 &+ value.hash(seed: seed)
    }
    return hash
  }

  /// Returns the index of the latest write whose key has the hash and for which `hasKey` returns true; nil if there is
  /// none.
  package func write(_ hash: UInt32, where hasKey: (Int) -> Bool) -> Int? {
    guard count > 0 else { return nil }
    var latest: Int?
    var position = Int(hash) & (slots.count - 1)
    while slots[position].number != 0 {
      let index = Int(slots[position].number) - 1
      if slots[position].hash == hash, index > latest ?? -1, hasKey(index) { latest = index }
      position = (position + 1) & (slots.count - 1)
    }
    return latest
  }

  package mutating func insert(_ hash: UInt32, write index: Int) {
    if 2 * (count + 1) > slots.count {
      let former = slots
      slots = Array(repeating: Slot(), count: max(64, 2 * former.count))
      for slot in former where slot.number != 0 { place(slot) }
    }
    place(Slot(hash: hash, number: Int32(index) + 1))
    count += 1
  }

  private mutating func place(_ slot: Slot) {
    var position = Int(slot.hash) & (slots.count - 1)
    while slots[position].number != 0 { position = (position + 1) & (slots.count - 1) }
    slots[position] = slot
  }

  package mutating func removeAll() {
    guard count > 0 else { return }
    count = 0
    for position in slots.indices { slots[position] = Slot() }
  }
}

import Dflat
import DflatEngine

/// The keys of one namespace, as the cache knows them. Guarded by the lock of the cache.
final class DictionaryNamespace: @unchecked Sendable {
  // Unchecked because the lock of the cache guards all variables, and whoever uses them holds it.
  let name: DictionaryKey
  /// All keys that were ever read or set. They keep their numbers, so that writing many keys looks none of them up.
  var entries: ContiguousArray<DictionaryEntry> = []
  /// Where each key is in `entries`: a hash table with linear probing, whose slots hold 0 or the number of a key plus 1. At least
  /// half of the slots hold 0, and their count is a power of 2. Since the entries hold the hash values, it grows without hashing
  /// any key again, which a `Dictionary` of this many keys would mostly do.
  private var slots = ContiguousArray<UInt32>(repeating: 0, count: 16)
  var subscribers: [DictionaryKey: [DictionarySubscriber]] = [:]
  /// For each key with subscribers, the number of the last value that was posted to them: see `DictionaryCache.DiskRead`.
  var lastPosts: [DictionaryKey: UInt64] = [:]
  /// The keys of which the error handler was told that their value cannot be read.
  var reported: Set<DictionaryKey> = []
  /// The number of the latest setting of any key.
  var lastSet: UInt64 = 0

  init(_ name: DictionaryKey) {
    self.name = name
  }

  /// The number of a key, its place in `entries`; nil if it was never read or set.
  func number(of key: DictionaryKey) -> Int? { find(key, key.hashValue).number }

  /// The number of a key, which it gets if it has none.
  func makeNumber(of key: DictionaryKey) -> Int {
    let hashValue = key.hashValue
    let found = find(key, hashValue)
    if let number = found.number { return number }
    entries.append(DictionaryEntry(key: key, hashValue: hashValue))
    slots[found.slot] = UInt32(entries.count)
    if 2 * entries.count > slots.count { grow() }
    return entries.count - 1
  }

  /// The slot of a key, with the key's number; if it has none, the slot that is free for it.
  private func find(_ key: DictionaryKey, _ hashValue: Int) -> (slot: Int, number: Int?) {
    var slot = hashValue & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot]) - 1
      if entries[number].hashValue == hashValue, entries[number].key == key { return (slot, number) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return (slot, nil)
  }

  private func grow() {
    var larger = ContiguousArray<UInt32>(repeating: 0, count: 4 * slots.count)
    for (number, entry) in entries.enumerated() {
      var slot = entry.hashValue & (larger.count - 1)
      while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
      larger[slot] = UInt32(number + 1)
    }
    slots = larger
  }

  func removeAll() {
    entries = []
    slots = ContiguousArray(repeating: 0, count: 16)
    subscribers = [:]
  }
}

/// What the cache knows of a key.
struct DictionaryEntry {
  let key: DictionaryKey
  let hashValue: Int
  /// Nil if the key has no value, or if that is not known.
  private(set) var value: StoredDictionaryValue?
  private(set) var isKnown = false
  private(set) var isPending = false
  /// How many commits of others had been noticed when the value was read.
  private(set) var foreignCommits: UInt32 = 0
  /// The number of its latest setting, outside of transactions; 0 if it was not set.
  private(set) var setNumber: UInt64 = 0
  /// The number of the row that held the key when it was last read or written; 0 if it had none. Others may have deleted that
  /// row since: compare its key before it is used.
  private(set) var row: Int64 = 0

  /// What the disk holds of a key.
  struct Stored {
    let value: StoredDictionaryValue?
    /// The number of its row; 0 if it has none.
    let row: Int64

    static var absent: Stored { Stored(value: nil, row: 0) }
  }

  init(key: DictionaryKey, hashValue: Int) {
    self.key = key
    self.hashValue = hashValue
  }

  /// Sets the value, which is pending then.
  mutating func set(_ value: StoredDictionaryValue?, _ setNumber: UInt64) {
    self.value = value
    self.setNumber = setNumber
    isKnown = true
    isPending = true
  }

  /// Notes what is on disk.
  mutating func noteStored(_ stored: Stored, foreignCommits: UInt32) {
    value = stored.value
    row = stored.row
    self.foreignCommits = foreignCommits
    isKnown = true
    isPending = false
  }

  /// Notes that the value, which was pending, is on disk.
  mutating func noteWritten(_ row: Int64, foreignCommits: UInt32) {
    self.row = row
    self.foreignCommits = foreignCommits
    isPending = false
  }

  /// Forgets the value. The key has the one that is on disk.
  mutating func forget() {
    value = nil
    isKnown = false
    isPending = false
  }
}

import Dflat
import DflatEngine

/// The keys of one namespace in the cache. Guarded by the lock of the cache.
final class DictionaryNamespace: @unchecked Sendable {
  // Unchecked because the lock of the cache guards all variables, and each user holds it.
  let name: DictionaryKey
  /// All keys that were ever read or set. They keep their indexes, so that writing many keys looks none of them up.
  var entries: ContiguousArray<DictionaryEntry> = []
  /// The index of each key in `entries`: a hash table with linear probing. A slot holds an index plus 1, or 0 if it is
  /// free. At least half of the slots are free, and their count is a power of 2. The entries hold the hash values, so
  /// the table grows without hashing any key again. A `Dictionary` of so many keys would spend most of its time on
  /// that.
  private var slots = ContiguousArray<UInt32>(repeating: 0, count: 16)
  var subscribers: [DictionaryKey: [DictionarySubscriber]] = [:]
  /// For each key with subscribers, the number of the last value that was posted: see `DictionaryCache.ReadStart`.
  var lastPosts: [DictionaryKey: UInt64] = [:]
  /// The keys whose value was reported to the error handler as unreadable.
  var reported: Set<DictionaryKey> = []
  /// The number of the latest setting of any key.
  var lastSet: UInt64 = 0

  init(_ name: DictionaryKey) {
    self.name = name
  }

  /// Returns the index of a key in `entries`; nil if it was never read or set.
  func number(of key: DictionaryKey) -> Int? { find(key, key.hashValue).number }

  /// Returns the index of a key in `entries`. Adds an entry if it has none.
  func makeNumber(of key: DictionaryKey) -> Int {
    let hashValue = key.hashValue
    let found = find(key, hashValue)
    if let number = found.number { return number }
    entries.append(DictionaryEntry(key: key, hashValue: hashValue))
    slots[found.slot] = UInt32(entries.count)
    if 2 * entries.count > slots.count { grow() }
    return entries.count - 1
  }

  /// Returns the slot and the index of a key. If the key has no index, returns the slot that is free for it.
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

/// The cached state of a key.
struct DictionaryEntry {
  let key: DictionaryKey
  let hashValue: Int
  /// The value; nil if the key has none, or if it is unknown.
  private(set) var value: StoredDictionaryValue?
  private(set) var isKnown = false
  private(set) var isPending = false
  /// The `HandlerDepth` of the code that has set the value last: an error of its write counts as one of that code.
  private(set) var handlerDepth: UInt8 = 0
  /// How many commits of others had been noticed, modulo 2^32, when the value was read or its write began. The value is
  /// outdated once more have been noticed.
  private(set) var foreignCommits: UInt32 = 0
  /// The number of the latest setting, outside of transactions; 0 if the key was not set.
  private(set) var setNumber: UInt64 = 0
  /// The row that held the key when it was last read or written; 0 if none. Others may have deleted that row since:
  /// compare its key before using it.
  private(set) var row: Int64 = 0

  /// The state of a key on disk.
  struct Stored {
    let value: StoredDictionaryValue?
    /// The number of the key's row; 0 if it has none.
    let row: Int64

    static var absent: Stored { Stored(value: nil, row: 0) }
  }

  init(key: DictionaryKey, hashValue: Int) {
    self.key = key
    self.hashValue = hashValue
  }

  /// Sets the value, which is then pending.
  mutating func set(_ value: StoredDictionaryValue?, _ setNumber: UInt64, handlerDepth: UInt8) {
    self.value = value
    self.setNumber = setNumber
    self.handlerDepth = handlerDepth
    isKnown = true
    isPending = true
  }

  /// Records the state of the key on disk.
  mutating func noteStored(_ stored: Stored, foreignCommits: UInt32) {
    value = stored.value
    row = stored.row
    self.foreignCommits = foreignCommits
    isKnown = true
    isPending = false
  }

  /// Records that the pending value is on disk.
  mutating func noteWritten(_ row: Int64, foreignCommits: UInt32) {
    self.row = row
    self.foreignCommits = foreignCommits
    isPending = false
  }

  /// Forgets the value, so that the key has the value on disk.
  mutating func forget() {
    value = nil
    isKnown = false
    isPending = false
  }
}

import Dflat

/// The keys of one namespace, as the cache knows them. Guarded by the lock of the cache.
final class DictionaryNamespace: @unchecked Sendable {
  // Unchecked, and exclusivity, too: the variables are used with the lock held.
  let name: DictionaryKey
  /// All keys that were ever read or set. They keep their numbers, so that who writes many keys need not look them up.
  @exclusivity(unchecked) var entries: ContiguousArray<DictionaryEntry> = []
  /// The place of each key in `entries`.
  @exclusivity(unchecked) private var numbers: [DictionaryKey: Int] = [:]
  @exclusivity(unchecked) var subscribers: [DictionaryKey: [DictionarySubscriber]] = [:]
  /// The keys of which the error handler was told that their value cannot be read.
  @exclusivity(unchecked) var reported: Set<DictionaryKey> = []
  /// The number of the latest setting of any key.
  @exclusivity(unchecked) var lastSet: UInt64 = 0

  init(_ name: DictionaryKey) {
    self.name = name
  }

  /// The place of a key in `entries`; nil if it was never read or set.
  func number(of key: DictionaryKey) -> Int? { numbers[key] }

  /// The place of a key in `entries`, which it gets if it has none.
  func makeNumber(of key: DictionaryKey) -> Int {
    if let number = numbers[key] { return number }
    numbers[key] = entries.count
    entries.append(DictionaryEntry(key: key))
    return entries.count - 1
  }

  func removeAll() {
    entries = []
    numbers = [:]
    subscribers = [:]
  }
}

/// What the cache knows of a key.
struct DictionaryEntry {
  let key: DictionaryKey
  /// Nil if the key has no value, or if that is not known.
  private(set) var value: StoredDictionaryValue?
  private(set) var isKnown = false
  private(set) var isPending = false
  /// How many commits of others had been noticed when the value was read.
  private(set) var foreignCommits: UInt32 = 0
  /// The number of its latest setting, outside of transactions; 0 if it was not set.
  private(set) var setNumber: UInt64 = 0
  /// The number of the row that held the key when it was last read or written; 0 if it had none. Others may have deleted that
  /// row since: who uses it has to see that it still holds the key.
  private(set) var row: Int64 = 0

  /// What the disk holds of a key.
  struct Stored {
    let value: StoredDictionaryValue?
    /// The number of its row; 0 if it has none.
    let row: Int64

    static var none: Stored { Stored(value: nil, row: 0) }
  }

  init(key: DictionaryKey) {
    self.key = key
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

/// A growable list of numbers. It keeps its memory when it is truncated, so that a reused builder allocates nothing.
struct NumberList: ~Copyable {
  private(set) var numbers: UnsafeMutablePointer<UInt32>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    numbers = .allocate(capacity: capacity)
  }

  deinit {
    numbers.deallocate()
  }

  mutating func append(_ number: UInt32) {
    if count == capacity {
      let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: numbers, count: count)
      numbers.deallocate()
      numbers = larger
      capacity *= 2
    }
    (numbers + count).initialize(to: number)
    count += 1
  }

  mutating func truncate(to newCount: Int) {
    count = newCount
  }
}

/// A hash table from the hash of a content to the offset at which a builder has written that content. It uses open
/// addressing, is at most half full, and keeps its memory when it is emptied.
struct OffsetIndex: ~Copyable {
  private struct Entry {
    var hash: UInt32
    /// The distance in bytes from the end of the builder's buffer; 0 marks a free entry.
    var offset: UInt32
  }

  private var entries: UnsafeMutableBufferPointer<Entry>
  private(set) var count = 0

  init() {
    entries = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  deinit {
    entries.deallocate()
  }

  /// Returns the offset that was inserted with `hash` and that satisfies `isWanted`; nil if there is none.
  func find(hash: UInt32, where isWanted: (UInt32) -> Bool) -> UInt32? {
    guard count > 0 else { return nil }
    let mask = entries.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while entries[index].offset != 0 {
      if entries[index].hash == hash, isWanted(entries[index].offset) { return entries[index].offset }
      index = (index + 1) & mask
    }
    return nil
  }

  mutating func insert(_ offset: UInt32, hash: UInt32) {
    if count * 2 >= entries.count { grow() }
    put(Entry(hash: hash, offset: offset))
    count += 1
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    entries.update(repeating: Entry(hash: 0, offset: 0))
    count = 0
  }

  private func put(_ entry: Entry) {
    let mask = entries.count - 1
    var index = Int(truncatingIfNeeded: entry.hash) & mask
    while entries[index].offset != 0 { index = (index + 1) & mask }
    entries[index] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = .allocate(capacity: max(32, old.count * 2))
    entries.initialize(repeating: Entry(hash: 0, offset: 0))
    for entry in old where entry.offset != 0 { put(entry) }
    old.deallocate()
  }
}

/// Returns whether the first `count` bytes at both addresses are equal. Compares 8 bytes at a time.
func equalBytes(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, count: Int) -> Bool {
  var position = 0
  while position <= count - 8 {
    guard
      first.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        == second.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    else { return false }
    position += 8
  }
  while position < count {
    guard
      first.load(fromByteOffset: position, as: UInt8.self) == second.load(fromByteOffset: position, as: UInt8.self)
    else { return false }
    position += 1
  }
  return true
}

/// Returns a hash of `bytes`. `Hasher` is seeded per process, so that an attacker cannot choose contents that collide.
func hashBytes(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
  var hasher = Hasher()
  hasher.combine(bytes: bytes)
  return UInt32(truncatingIfNeeded: hasher.finalize())
}

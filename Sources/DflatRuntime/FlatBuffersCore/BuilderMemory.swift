/// A list of numbers that keeps its memory when it is emptied.
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

  mutating func removeAll(after newCount: Int) {
    count = newCount
  }
}

/// A hash table from contents to the offset where a builder has written them: open addressing, at most half full.
/// It keeps its memory when it is emptied.
struct OffsetIndex: ~Copyable {
  private struct Entry {
    var hash: UInt32
    /// 0 in a free entry.
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

  /// The offset that was inserted with `hash` and for which `isWanted` holds.
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
    place(Entry(hash: hash, offset: offset))
    count += 1
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    entries.update(repeating: Entry(hash: 0, offset: 0))
    count = 0
  }

  private func place(_ entry: Entry) {
    let mask = entries.count - 1
    var index = Int(truncatingIfNeeded: entry.hash) & mask
    while entries[index].offset != 0 { index = (index + 1) & mask }
    entries[index] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = .allocate(capacity: max(32, old.count * 2))
    entries.initialize(repeating: Entry(hash: 0, offset: 0))
    for entry in old where entry.offset != 0 { place(entry) }
    old.deallocate()
  }
}

/// Whether `count` bytes are the same at both places.
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

/// A hash of `bytes`, different in each process, so that nobody can choose contents that collide.
func hashBytes(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
  var hasher = Hasher()
  hasher.combine(bytes: bytes)
  return UInt32(truncatingIfNeeded: hasher.finalize())
}

/// A hash table from integers to plain values, with open addressing and at most half full. Nothing is ever taken out of it.
/// Who has it deallocates it.
///
/// In its own memory, since a look-up in a dictionary, or an array, in a variable of an object costs several times as much.
struct IntegerMap<Value: BitwiseCopyable> {
  private struct Slot: BitwiseCopyable {
    var key: Int64
    var value: Value
    var isTaken: Bool
  }

  /// As many as `mask` has values; nil before the first one is taken.
  private var slots: UnsafeMutablePointer<Slot>?
  private var mask = 0
  /// How many are taken.
  private var count = 0
  /// Where the key was that was looked for last: often it is looked for again.
  private var latestPlace = 0
  /// What a key has at first.
  private let initialValue: Value
  private let secrets = IntegerMapSecrets.shared

  init(initialValue: Value) {
    self.initialValue = initialValue
  }

  func deallocate() { slots?.deallocate() }

  mutating func value(of key: Int64) -> Value {
    guard let slots else { return initialValue }
    return slots[place(of: key, in: slots)].value
  }

  /// Calls `body` with the value of `key`, to be changed.
  mutating func update<Result>(_ key: Int64, _ body: (inout Value) -> Result) -> Result {
    let slots = count * 2 > mask ? resized(to: max(4, 2 * (mask + 1))) : slots ?? resized(to: 4)
    let place = place(of: key, in: slots)
    if !slots[place].isTaken {
      slots[place].isTaken = true
      slots[place].key = key
      count += 1
    }
    return body(&slots[place].value)
  }

  mutating func reserve(_ more: Int) {
    let needed = (count + more) * 2
    if needed > mask + 1 { _ = resized(to: 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)) }
  }

  func forEach(_ body: (Int64, Value) -> Void) {
    guard let slots else { return }
    for place in 0...mask where slots[place].isTaken { body(slots[place].key, slots[place].value) }
  }

  /// Where the key is, or would be.
  ///
  /// Four keys in a row stand in a row. The groups are spread by both halves of the product: with some multipliers, the
  /// upper bits alone would heap them up.
  private mutating func place(of key: Int64, in slots: UnsafeMutablePointer<Slot>) -> Int {
    if slots[latestPlace].key == key, slots[latestPlace].isTaken { return latestPlace }
    let product = (UInt64(bitPattern: key >> 2) ^ secrets.mask).multipliedFullWidth(by: secrets.multiplier)
    let group = Int(truncatingIfNeeded: product.high ^ product.low) << 2
    var place = (group | Int(truncatingIfNeeded: key & 3)) & mask
    while slots[place].isTaken, slots[place].key != key { place = (place &+ 1) & mask }
    latestPlace = place
    return place
  }

  /// - Parameter size: a power of two.
  private mutating func resized(to size: Int) -> UnsafeMutablePointer<Slot> {
    let old = UnsafeMutableBufferPointer(start: slots, count: slots == nil ? 0 : mask + 1)
    let new = UnsafeMutablePointer<Slot>.allocate(capacity: size)
    new.initialize(repeating: Slot(key: 0, value: initialValue, isTaken: false), count: size)
    slots = new
    mask = size - 1
    latestPlace = 0
    for slot in old where slot.isTaken { new[place(of: slot.key, in: new)] = slot }
    old.deallocate()
    return new
  }
}

/// Different in each process, so that no file can have rows that are made to collide.
private struct IntegerMapSecrets: Sendable {
  let mask = UInt64.random(in: 0...UInt64.max)
  let multiplier = UInt64.random(in: 0...UInt64.max) | 1

  static let shared = IntegerMapSecrets()
}

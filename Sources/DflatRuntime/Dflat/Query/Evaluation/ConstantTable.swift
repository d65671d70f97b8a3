/// The constants of a list, in which the values of rows are looked up: a hash table with open addressing and linear
/// probing. A short list is searched one by one.
struct ConstantTable: BitwiseCopyable {
  private struct Slot: BitwiseCopyable {
    var hash: UInt32 = 0
    /// The index of a constant; -1 if the slot is empty.
    var index: Int32 = -1
  }

  private let constants: UnsafeBufferPointer<RowValue>
  /// Whether a constant is NULL.
  let hasNull: Bool
  /// The hash table. It has at least twice as many slots as there are constants, and their number is a power of two;
  /// it is empty for a short list.
  private let slots: UnsafeBufferPointer<Slot>

  /// The largest number of constants that are searched one by one, which is faster than hashing them, as in
  /// `ValueTable`.
  private static let scanLimit = 8

  /// The random seed of all tables, so that nobody can choose values that collide.
  private static let seed = UInt64.random(in: .min ... .max)

  /// Creates a table that is valid as long as `memory` is.
  init(_ values: [FieldValue], in memory: inout ConstantMemory) {
    var constants: [RowValue] = []
    constants.reserveCapacity(values.count)
    var hasNull = false
    for value in values {
      let constant = memory.store(value)
      if case .null = constant { hasNull = true }
      constants.append(constant)
    }
    self.hasNull = hasNull
    self.constants = memory.store(constants)
    if constants.count <= Self.scanLimit {
      slots = UnsafeBufferPointer(start: nil, count: 0)
      return
    }
    // The lowest power of two from twice the number on.
    let count = 1 << (Int.bitWidth - (2 * constants.count - 1).leadingZeroBitCount)
    var slots = Array(repeating: Slot(), count: count)
    for (index, constant) in constants.enumerated() {
      let hash = constant.hash(seed: Self.seed)
      var position = Int(hash) & (count - 1)
      var isNew = true
      while isNew, slots[position].index >= 0 {
        // Only the first of equal constants is in the table.
        isNew = slots[position].hash != hash || !constants[Int(slots[position].index)].isEqual(to: constant)
        position = (position + 1) & (count - 1)
      }
      if isNew { slots[position] = Slot(hash: hash, index: Int32(index)) }
    }
    self.slots = memory.store(slots)
  }

  var isEmpty: Bool { constants.isEmpty }

  /// Returns the index of the first constant that equals a value, which is not NULL; nil if there is none.
  func firstIndex(of value: RowValue) -> Int? {
    if slots.isEmpty { return scan(for: value) }
    let hash = value.hash(seed: Self.seed)
    var position = Int(hash) & (slots.count - 1)
    while slots[position].index >= 0 {
      let index = Int(slots[position].index)
      if slots[position].hash == hash, constants[index].isEqual(to: value) { return index }
      position = (position + 1) & (slots.count - 1)
    }
    return nil
  }

  private func scan(for value: RowValue) -> Int? {
    if case .integer(let value) = value {
      for index in 0..<constants.count {
        if case .integer(let constant) = constants[index] {
          if constant == value { return index }
        } else if RowValue.order(constants[index], .integer(value)) == 0 {
          return index
        }
      }
      return nil
    }
    for index in 0..<constants.count where constants[index].isEqual(to: value) { return index }
    return nil
  }
}

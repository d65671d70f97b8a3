/// A range of values, compiled for comparisons with values of rows.
struct Interval {
  /// A position among the values of the field: at a value, just before it, or just behind it.
  struct Bound: BitwiseCopyable {
    let value: RowValue
    /// -1: just before the value; 1: just behind it.
    let offset: Int8
    /// The order key of the value.
    var key: UInt64 = 0

    /// Compares two bounds. The result is negative if `lhs` comes first, and 0 if both are the same.
    static func order(_ lhs: Bound, _ rhs: Bound) -> Int {
      if lhs.key != rhs.key { return lhs.key < rhs.key ? -1 : 1 }
      let order = RowValue.order(lhs.value, rhs.value)
      return order != 0 ? order : Int(lhs.offset) - Int(rhs.offset)
    }

    func isAtOrBefore(_ value: RowValue) -> Bool {
      let order = RowValue.order(self.value, value)
      return order < 0 || order == 0 && offset <= 0
    }

    func isAtOrBehind(_ value: RowValue) -> Bool {
      let order = RowValue.order(self.value, value)
      return order > 0 || order == 0 && offset >= 0
    }
  }

  /// The lower bound. Without one, it is at NULL, which comes before all values.
  var lower: Bound
  /// The upper bound. Without one, it is at NULL.
  var upper: Bound
  /// The memory of the bounds' texts or bytes.
  private let constants: RetainedConstants?

  init(_ range: ValueRange) {
    var memory = ConstantMemory()
    lower = Bound(range.lower, offset: 1, in: &memory)
    upper = Bound(range.upper, offset: -1, in: &memory)
    constants = lower.value.content != nil || upper.value.content != nil ? RetainedConstants(memory) : nil
  }

  mutating func setKeys(_ keys: OrderKeys) {
    lower.key = keys.key(of: lower.value)
    upper.key = keys.key(of: upper.value)
  }

  /// The value at the index of a removed interval.
  static var vacancy: Interval { Interval(ValueRange()) }
}

extension Interval.Bound {
  /// Makes a bound.
  ///
  /// - Parameter offset: the offset of the bound if it is exclusive.
  fileprivate init(_ bound: ValueRange.Bound?, offset: Int8, in memory: inout ConstantMemory) {
    value = bound.map { memory.store($0.value) } ?? .null
    self.offset = bound?.isInclusive ?? true ? 0 : offset
  }
}

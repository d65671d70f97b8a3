/// A range of values, compiled for comparisons with values of rows.
struct Interval {
  /// A position among the values of the field: at a value, just before it, or just behind it.
  struct Bound: BitwiseCopyable {
    let value: RowValue
    /// -1: just before the value; 1: just behind it.
    let offset: Int8
    /// The order key of the value.
    var key: UInt64 = 0

    /// Below 0 if `lhs` comes first, 0 if both are the same.
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

  /// At NULL, which comes before all values, if there is no lower bound.
  var lower: Bound
  /// At NULL if there is no upper bound.
  var upper: Bound
  /// What the texts of the bounds are in.
  private let constants: RetainedConstants?

  init(_ range: ValueRange) {
    var memory = ConstantMemory()
    lower = Bound(range.lower, offset: 1, in: &memory)
    upper = Bound(range.upper, offset: -1, in: &memory)
    constants = lower.isText || upper.isText ? RetainedConstants(memory) : nil
  }

  mutating func setKeys(_ keys: OrderKeys) {
    lower.key = keys.key(of: lower.value)
    upper.key = keys.key(of: upper.value)
  }

  /// What is left at the index of an interval that was removed.
  static var vacancy: Interval { Interval(ValueRange()) }
}

extension Interval.Bound {
  /// - Parameter offset: that of an exclusive bound.
  fileprivate init(_ bound: ValueRange.Bound?, offset: Int8, in memory: inout ConstantMemory) {
    value = bound.map { memory.store($0.value) } ?? .null
    self.offset = bound?.isInclusive ?? true ? 0 : offset
  }

  fileprivate var isText: Bool {
    if case .text = value { true } else { false }
  }
}

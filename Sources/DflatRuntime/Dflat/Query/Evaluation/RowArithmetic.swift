/// Arithmetic on values of rows.
///
/// Integers are exact. SQL turns a sum that overflows into a rounded real number, and knows no integer above
/// `Int64.max`. So no engine leaves arithmetic to its database. If one operand is a real number, so is the result.
enum RowArithmetic {
  static func evaluate(_ operation: QueryNode.Arithmetic, _ lhs: RowValue, _ rhs: RowValue) -> RowValue {
    if case .integer(let a) = lhs, case .integer(let b) = rhs {
      switch operation {
      case .add:
        let (sum, overflow) = a.addingReportingOverflow(b)
        if !overflow { return .integer(sum) }
      case .subtract:
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        if !overflow { return .integer(difference) }
      case .multiply:
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        if !overflow { return .integer(product) }
      case .remainder:
        // `Int64.min % -1` would trap: the division overflows. Every remainder by -1 is 0.
        return b == 0 ? .null : .integer(b == -1 ? 0 : a % b)
      }
    }
    return evaluateAnyNumbers(operation, lhs, rhs)
  }

  private static func evaluateAnyNumbers(
    _ operation: QueryNode.Arithmetic, _ lhs: RowValue, _ rhs: RowValue
  ) -> RowValue {
    if let a = lhs.wideInteger, let b = rhs.wideInteger {
      switch operation {
      case .add: return RowValue(a + b)
      case .subtract: return RowValue(a - b)
      case .multiply:
        let estimate = a.double * b.double
        return estimate.magnitude < 0x1p126 ? RowValue(a * b) : RowValue(estimate)
      case .remainder: return a.remainder(dividingBy: b).map { RowValue($0) } ?? .null
      }
    }
    guard let a = real(lhs), let b = real(rhs) else { return .null }
    switch operation {
    case .add: return RowValue(a + b)
    case .subtract: return RowValue(a - b)
    case .multiply: return RowValue(a * b)
    case .remainder:
      // Division by 0 and an infinite dividend give NaN, which is NULL.
      return RowValue(a.rounded(.towardZero).truncatingRemainder(dividingBy: b.rounded(.towardZero)))
    }
  }

  private static func real(_ value: RowValue) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .wide(let value): value.double
    case .real(let value): value
    case .null, .text, .bytes: nil
    }
  }
}

extension RowValue {
  /// Creates the canonical value of an integer.
  init(_ value: WideInteger) {
    self = value.int64.map { .integer($0) } ?? value.uint64.map { .unsigned($0) } ?? .wide(value)
  }

  /// The value if it is an integer; else nil.
  fileprivate var wideInteger: WideInteger? {
    switch self {
    case .integer(let value): WideInteger(value)
    case .unsigned(let value): WideInteger(value)
    case .wide(let value): value
    case .null, .real, .text, .bytes: nil
    }
  }
}

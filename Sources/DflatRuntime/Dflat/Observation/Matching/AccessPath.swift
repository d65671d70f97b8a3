/// The key under which the index keeps a standing query: a field, or a text field together with a folding. The field
/// may belong to the elements of a vector: then a row has a value for each element.
struct FiledField: Hashable {
  let field: RecordField
  /// The folding of the field's text; nil if the value is compared as it is.
  var folding: QueryNode.Folding?
  /// The vector to whose elements the field belongs; nil if it belongs to the row.
  var vector: RecordVector?

  /// The field without its folding. It is NULL in exactly the rows in which the folding is NULL.
  var unfolded: FiledField { FiledField(field: field, vector: vector) }
}

/// A condition on one field under which a standing query is filed. Every row that matches the query satisfies it, or
/// the condition of another access path of the query.
struct AccessPath {
  enum Predicate {
    case isNull
    case isNotNull
    case equal(FieldValue)
    case within(ValueRange)
  }

  let field: FiledField
  var predicate: Predicate
  /// Whether every row that satisfies the condition matches the query.
  var isExact: Bool
}

/// The values between two bounds, either of which may be absent. NULL is never among them.
struct ValueRange {
  struct Bound {
    let value: FieldValue
    let isInclusive: Bool
  }

  var lower: Bound?
  var upper: Bound?

  /// Narrows the range to the values that are also in another one.
  mutating func formIntersection(_ other: ValueRange) {
    if let bound = other.lower, lower.map({ Self.isLower($0, below: bound) }) ?? true { lower = bound }
    if let bound = other.upper, upper.map({ Self.isUpper(bound, below: $0) }) ?? true { upper = bound }
  }

  var isEmpty: Bool {
    guard let lower, let upper else { return false }
    let order = Self.order(lower.value, upper.value)
    return order > 0 || order == 0 && !(lower.isInclusive && upper.isInclusive)
  }

  /// The only value in the range, which must not be empty; nil if there may be others.
  var onlyValue: FieldValue? {
    guard let lower, let upper, Self.order(lower.value, upper.value) == 0 else { return nil }
    return lower.value
  }

  private static func isLower(_ lhs: Bound, below rhs: Bound) -> Bool {
    let order = order(lhs.value, rhs.value)
    return order < 0 || order == 0 && lhs.isInclusive && !rhs.isInclusive
  }

  private static func isUpper(_ lhs: Bound, below rhs: Bound) -> Bool {
    let order = order(lhs.value, rhs.value)
    return order < 0 || order == 0 && !lhs.isInclusive && rhs.isInclusive
  }

  private static func order(_ lhs: FieldValue, _ rhs: FieldValue) -> Int {
    lhs.withRowValue { lhs in rhs.withRowValue { rhs in RowValue.order(lhs, rhs) } }
  }
}

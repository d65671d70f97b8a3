// The operators of queries. Each has three overloads: an expression with a constant, a constant with an expression, and
// two expressions. They are members of the type, and few, to keep the type checking of long predicates fast.

extension QueryExpression where Value: QueryConstant {
  /// Returns the condition that the values are equal. Neither true nor false if one is NULL.
  public static func == (lhs: Self, rhs: Value) -> QueryExpression<Bool, Element> { lhs.compare(.equal, rhs) }
  /// Returns the condition that the values are equal. Neither true nor false if one is NULL.
  public static func == (lhs: Value, rhs: Self) -> QueryExpression<Bool, Element> { rhs.compare(lhs, .equal) }
  /// Returns the condition that the values are equal. Neither true nor false if one is NULL.
  public static func == (lhs: Self, rhs: Self) -> QueryExpression<Bool, Element> { lhs.compare(.equal, rhs) }

  /// Returns the condition that the values differ. Neither true nor false if one is NULL.
  public static func != (lhs: Self, rhs: Value) -> QueryExpression<Bool, Element> { lhs.compare(.notEqual, rhs) }
  /// Returns the condition that the values differ. Neither true nor false if one is NULL.
  public static func != (lhs: Value, rhs: Self) -> QueryExpression<Bool, Element> { rhs.compare(lhs, .notEqual) }
  /// Returns the condition that the values differ. Neither true nor false if one is NULL.
  public static func != (lhs: Self, rhs: Self) -> QueryExpression<Bool, Element> { lhs.compare(.notEqual, rhs) }
}

extension QueryExpression where Value: OrderedQueryConstant {
  /// Returns the condition that the left value is smaller. Neither true nor false if one is NULL.
  public static func < (lhs: Self, rhs: Value) -> QueryExpression<Bool, Element> { lhs.compare(.less, rhs) }
  /// Returns the condition that the left value is smaller. Neither true nor false if one is NULL.
  public static func < (lhs: Value, rhs: Self) -> QueryExpression<Bool, Element> { rhs.compare(lhs, .less) }
  /// Returns the condition that the left value is smaller. Neither true nor false if one is NULL.
  public static func < (lhs: Self, rhs: Self) -> QueryExpression<Bool, Element> { lhs.compare(.less, rhs) }

  /// Returns the condition that the left value is smaller or equal. Neither true nor false if one is NULL.
  public static func <= (lhs: Self, rhs: Value) -> QueryExpression<Bool, Element> { lhs.compare(.lessOrEqual, rhs) }
  /// Returns the condition that the left value is smaller or equal. Neither true nor false if one is NULL.
  public static func <= (lhs: Value, rhs: Self) -> QueryExpression<Bool, Element> { rhs.compare(lhs, .lessOrEqual) }
  /// Returns the condition that the left value is smaller or equal. Neither true nor false if one is NULL.
  public static func <= (lhs: Self, rhs: Self) -> QueryExpression<Bool, Element> { lhs.compare(.lessOrEqual, rhs) }

  /// Returns the condition that the left value is larger. Neither true nor false if one is NULL.
  public static func > (lhs: Self, rhs: Value) -> QueryExpression<Bool, Element> { lhs.compare(.greater, rhs) }
  /// Returns the condition that the left value is larger. Neither true nor false if one is NULL.
  public static func > (lhs: Value, rhs: Self) -> QueryExpression<Bool, Element> { rhs.compare(lhs, .greater) }
  /// Returns the condition that the left value is larger. Neither true nor false if one is NULL.
  public static func > (lhs: Self, rhs: Self) -> QueryExpression<Bool, Element> { lhs.compare(.greater, rhs) }

  /// Returns the condition that the left value is larger or equal. Neither true nor false if one is NULL.
  public static func >= (lhs: Self, rhs: Value) -> QueryExpression<Bool, Element> { lhs.compare(.greaterOrEqual, rhs) }
  /// Returns the condition that the left value is larger or equal. Neither true nor false if one is NULL.
  public static func >= (lhs: Value, rhs: Self) -> QueryExpression<Bool, Element> { rhs.compare(lhs, .greaterOrEqual) }
  /// Returns the condition that the left value is larger or equal. Neither true nor false if one is NULL.
  public static func >= (lhs: Self, rhs: Self) -> QueryExpression<Bool, Element> { lhs.compare(.greaterOrEqual, rhs) }
}

extension QueryExpression where Value: QueryConstant {
  fileprivate func compare(_ comparison: QueryNode.Comparison, _ value: Value) -> QueryExpression<Bool, Element> {
    if let node = unstorableComparison(comparison, value) { return .init(node: node) }
    return .init(node: .comparison(comparison, _node, .constant(constant(value, comparison))))
  }

  fileprivate func compare(_ value: Value, _ comparison: QueryNode.Comparison) -> QueryExpression<Bool, Element> {
    if let node = unstorableComparison(comparison, value) { return .init(node: node) }
    return .init(node: .comparison(comparison, .constant(constant(value, comparison.mirrored)), _node))
  }

  /// Returns whether the expression's value equals or differs from a value that no field has; nil for other values, and
  /// for comparisons of the order, which are NULL for such a value.
  private func unstorableComparison(_ comparison: QueryNode.Comparison, _ value: Value) -> QueryNode? {
    switch comparison {
    case .equal, .notEqual: value._isUnstorable ? unstorableComparison(comparison) : nil
    case .less, .lessOrEqual, .greater, .greaterOrEqual: nil
    }
  }

  /// Returns the constant that the expression's value, on the left, is compared with. If no constant can hold the
  /// value, which then lies between two numbers of the field, returns the one of the two that gives the same answer.
  private func constant(_ value: Value, _ comparison: QueryNode.Comparison) -> FieldValue {
    guard let (below, above) = value._neighbors(perOne: perOne) else { return constant(value) }
    switch comparison {
    case .less, .greaterOrEqual: return above
    case .lessOrEqual, .greater: return below
    case .equal, .notEqual: return constant(value)
    }
  }

  fileprivate func compare(_ comparison: QueryNode.Comparison, _ other: Self) -> QueryExpression<Bool, Element> {
    let finest = max(perOne, other.perOne)
    let (lhs, rhs) = QueryNode.withOneForm(node(perOne: finest), other.node(perOne: finest))
    return .init(node: .comparison(comparison, lhs, rhs))
  }

  /// Returns the expression's value in a finer unit: `finest` of that unit make one second, or one whole.
  private func node(perOne finest: Int64) -> QueryNode {
    let factor = finest / max(1, perOne)
    return factor <= 1 ? _node : .arithmetic(.multiply, _node, .constant(.integer(factor)))
  }
}

extension QueryExpression where Value: QueryValue & Numeric {
  /// Returns the sum. Of integers, it is exact, and may be out of the range of their type.
  public static func + (lhs: Self, rhs: Value) -> Self { Self(node: .arithmetic(.add, lhs._node, rhs.node)) }
  /// Returns the sum. Of integers, it is exact, and may be out of the range of their type.
  public static func + (lhs: Value, rhs: Self) -> Self { Self(node: .arithmetic(.add, lhs.node, rhs._node)) }
  /// Returns the sum. Of integers, it is exact, and may be out of the range of their type.
  public static func + (lhs: Self, rhs: Self) -> Self { Self(node: .arithmetic(.add, lhs._node, rhs._node)) }

  /// Returns the difference. Of integers, it is exact, and may be out of the range of their type.
  public static func - (lhs: Self, rhs: Value) -> Self { Self(node: .arithmetic(.subtract, lhs._node, rhs.node)) }
  /// Returns the difference. Of integers, it is exact, and may be out of the range of their type.
  public static func - (lhs: Value, rhs: Self) -> Self { Self(node: .arithmetic(.subtract, lhs.node, rhs._node)) }
  /// Returns the difference. Of integers, it is exact, and may be out of the range of their type.
  public static func - (lhs: Self, rhs: Self) -> Self { Self(node: .arithmetic(.subtract, lhs._node, rhs._node)) }

  /// Returns the remainder of the values as integers, with the sign of the left one; NULL if the right one is 0.
  public static func % (lhs: Self, rhs: Value) -> Self { Self(node: .arithmetic(.remainder, lhs._node, rhs.node)) }
  /// Returns the remainder of the values as integers, with the sign of the left one; NULL if the right one is 0.
  public static func % (lhs: Value, rhs: Self) -> Self { Self(node: .arithmetic(.remainder, lhs.node, rhs._node)) }
  /// Returns the remainder of the values as integers, with the sign of the left one; NULL if the right one is 0.
  public static func % (lhs: Self, rhs: Self) -> Self { Self(node: .arithmetic(.remainder, lhs._node, rhs._node)) }
}

// The operators that take a plain `Bool` are disfavored. So Swift takes `x == nil` for an expression wherever it can, and
// finds that with fewer attempts: eight such terms take 25 ms instead of 340 ms to type-check.
extension QueryExpression where Value == Bool {
  /// Returns the condition that both predicates are true, in the three-valued logic of SQL.
  public static func && (lhs: Self, rhs: Self) -> Self { Self(node: .and(lhs._node, rhs._node)) }

  /// Returns the condition that the predicate and the value are true, for predicates that code assembles.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: Bool) -> Self { Self(node: .and(lhs._node, rhs.node)) }
  /// Returns the condition that the predicate and the value are true, for predicates that code assembles.
  @_disfavoredOverload
  public static func && (lhs: Bool, rhs: Self) -> Self { Self(node: .and(lhs.node, rhs._node)) }

  /// Returns the condition that at least one of the predicates is true, in the three-valued logic of SQL.
  public static func || (lhs: Self, rhs: Self) -> Self { Self(node: .or(lhs._node, rhs._node)) }
  /// Returns the condition that the predicate or the value is true, for predicates that code assembles.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: Bool) -> Self { Self(node: .or(lhs._node, rhs.node)) }
  /// Returns the condition that the predicate or the value is true, for predicates that code assembles.
  @_disfavoredOverload
  public static func || (lhs: Bool, rhs: Self) -> Self { Self(node: .or(lhs.node, rhs._node)) }

  /// Returns the condition that the predicate is false. Neither true nor false if the predicate is neither.
  public static prefix func ! (operand: Self) -> Self { Self(node: .not(operand._node)) }
}

extension QueryValue {
  fileprivate var node: QueryNode { .constant(_fieldValue) }
}

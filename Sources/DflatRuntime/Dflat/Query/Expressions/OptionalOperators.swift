// Comparisons with `nil` and with optional values. Without them Swift would wrap the expression in an `Optional`, compare
// that with `nil` and get a plain `Bool`.

/// An optional value with which an expression can be compared: `Optional`, and nothing else.
///
/// A parameter of type `Value?` would do the same, but Swift would then also look for the members of `Optional` in
/// `Post.color == .none`, where an enum's case is meant.
public protocol _OptionalQueryValue<Wrapped> {
  /// The type of the value.
  associatedtype Wrapped: QueryConstant

  /// The value as an optional.
  var _optional: Wrapped? { get }
}

extension Optional: _OptionalQueryValue where Wrapped: QueryConstant {
  /// The value as an optional.
  public var _optional: Wrapped? { self }
}

extension QueryExpression {
  /// Returns the condition that the value is absent; see ``isNull``.
  public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> QueryExpression<Bool, Element> { lhs.isNull }
  /// Returns the condition that the value is absent; see ``isNull``.
  public static func == (lhs: _OptionalNilComparisonType, rhs: Self) -> QueryExpression<Bool, Element> { rhs.isNull }

  /// Returns the condition that the value is present; see ``isNotNull``.
  public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> QueryExpression<Bool, Element> {
    lhs.isNotNull
  }
  /// Returns the condition that the value is present; see ``isNotNull``.
  public static func != (lhs: _OptionalNilComparisonType, rhs: Self) -> QueryExpression<Bool, Element> {
    rhs.isNotNull
  }
}

extension QueryExpression where Value: QueryConstant {
  /// Returns the condition that the values are equal, or if `rhs` is nil, that the expression's value is absent.
  public static func == (lhs: Self, rhs: some _OptionalQueryValue<Value>) -> QueryExpression<Bool, Element> {
    rhs._optional.map { lhs == $0 } ?? lhs.isNull
  }
  /// Returns the condition that the values are equal, or if `lhs` is nil, that the expression's value is absent.
  public static func == (lhs: some _OptionalQueryValue<Value>, rhs: Self) -> QueryExpression<Bool, Element> {
    rhs == lhs
  }

  /// Returns the condition that the values differ, or if `rhs` is nil, that the expression's value is present. If `rhs` is a value,
  /// neither true nor false for NULL, as with a value that is not optional.
  public static func != (lhs: Self, rhs: some _OptionalQueryValue<Value>) -> QueryExpression<Bool, Element> {
    rhs._optional.map { lhs != $0 } ?? lhs.isNotNull
  }
  /// Returns the condition that the values differ, or if `lhs` is nil, that the expression's value is present. If `lhs` is a value,
  /// neither true nor false for NULL, as with a value that is not optional.
  public static func != (lhs: some _OptionalQueryValue<Value>, rhs: Self) -> QueryExpression<Bool, Element> {
    rhs != lhs
  }
}

extension UnionField {
  /// Returns the condition that the union is absent; see ``isNull``.
  public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> QueryExpression<Bool, Element> { lhs.isNull }
  /// Returns the condition that the union is absent; see ``isNull``.
  public static func == (lhs: _OptionalNilComparisonType, rhs: Self) -> QueryExpression<Bool, Element> { rhs.isNull }

  /// Returns the condition that the union is present; see ``isNotNull``.
  public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> QueryExpression<Bool, Element> {
    lhs.isNotNull
  }
  /// Returns the condition that the union is present; see ``isNotNull``.
  public static func != (lhs: _OptionalNilComparisonType, rhs: Self) -> QueryExpression<Bool, Element> {
    rhs.isNotNull
  }
}

/// An expression over the fields of an `Element` whose value is a `ResultType`.
///
/// All expressions of queries have one type, `QueryExpression`. This protocol is for code that names its queries by a
/// protocol, as code written for Dflat 0.6 does.
public protocol Expr<ResultType, Element>: _QueryPart {
  /// The type of the expression's value.
  associatedtype ResultType
  /// The class of the objects whose fields the expression uses.
  associatedtype Element: Atom

  /// The expression itself.
  var _expression: QueryExpression<ResultType, Element> { get }
}

extension QueryExpression: Expr {
  /// The type of the value.
  public typealias ResultType = Value

  /// The expression itself.
  public var _expression: Self { self }

  /// Creates a `QueryExpression` from an expression of any type that conforms to `Expr`.
  public init(_ expression: some Expr<Value, Element>) {
    self = expression._expression
  }
}

// The conditions that generic code can make of an expression without naming its type.
extension Expr {
  /// Whether the value is absent; see `QueryExpression`.
  public var isNull: QueryExpression<Bool, Element> { _expression.isNull }

  /// Whether the value is present; see `QueryExpression`.
  public var isNotNull: QueryExpression<Bool, Element> { _expression.isNotNull }
}

extension Expr where ResultType: QueryConstant {
  /// Returns the condition that the value is one of `values`; see `QueryExpression`.
  public func `in`(_ values: some Sequence<ResultType>) -> QueryExpression<Bool, Element> { _expression.in(values) }

  /// Returns the condition that the value is none of `values`; see `QueryExpression`.
  public func notIn(_ values: some Sequence<ResultType>) -> QueryExpression<Bool, Element> { _expression.notIn(values) }
}

// Generic code can combine conditions. Comparisons have no such overloads: they would make the type checking of every `==`
// and `<` slower, whereas those of `&&`, `||` and `!` cost nothing that can be measured.
extension Expr where ResultType == Bool {
  /// Returns the condition that both predicates are true; see `QueryExpression`.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: some Expr<Bool, Element>) -> QueryExpression<Bool, Element> {
    lhs._expression && rhs._expression
  }
  /// Returns the condition that the predicate and the value are true; see `QueryExpression`.
  @_disfavoredOverload
  public static func && (lhs: Self, rhs: Bool) -> QueryExpression<Bool, Element> { lhs._expression && rhs }
  /// Returns the condition that the value and the predicate are true; see `QueryExpression`.
  @_disfavoredOverload
  public static func && (lhs: Bool, rhs: Self) -> QueryExpression<Bool, Element> { lhs && rhs._expression }

  /// Returns the condition that one of the predicates is true; see `QueryExpression`.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: some Expr<Bool, Element>) -> QueryExpression<Bool, Element> {
    lhs._expression || rhs._expression
  }
  /// Returns the condition that the predicate or the value is true; see `QueryExpression`.
  @_disfavoredOverload
  public static func || (lhs: Self, rhs: Bool) -> QueryExpression<Bool, Element> { lhs._expression || rhs }
  /// Returns the condition that the value or the predicate is true; see `QueryExpression`.
  @_disfavoredOverload
  public static func || (lhs: Bool, rhs: Self) -> QueryExpression<Bool, Element> { lhs || rhs._expression }

  /// Returns the condition that the predicate is false; see `QueryExpression`.
  @_disfavoredOverload
  public static prefix func ! (operand: Self) -> QueryExpression<Bool, Element> { !operand._expression }
}

extension QueryBuilder {
  /// Returns the objects for which `query` is true; see ``where(_:limit:orderBy:)``.
  @_disfavoredOverload
  public func `where`<Query: Expr>(
    _ query: Query, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> where Query.ResultType == Bool, Query.Element == Element {
    self.where(query._expression, limit: limit, orderBy: orderBy)
  }
}

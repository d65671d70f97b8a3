/// An expression whose value is a `ResultType`, over the fields of an `Element`.
///
/// The expressions of queries are all of one type, `QueryExpression`. This protocol is for code that names its queries by a
/// protocol, as code written for Dflat 0.6 does.
public protocol Expr<ResultType, Element> {
  associatedtype ResultType
  associatedtype Element: Atom

  /// The expression itself.
  var _expression: QueryExpression<ResultType, Element> { get }
}

extension QueryExpression: Expr {
  /// The type of the value.
  public typealias ResultType = Value

  /// The expression itself.
  public var _expression: Self { self }

  /// The same expression, as the type that queries take.
  public init(_ expression: some Expr<Value, Element>) {
    self = expression._expression
  }
}

extension QueryBuilder {
  /// The objects for which `query` is true; see ``where(_:limit:orderBy:)``.
  @_disfavoredOverload
  public func `where`<Query: Expr>(
    _ query: Query, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
  ) -> FetchedResult<Element> where Query.ResultType == Bool, Query.Element == Element {
    self.where(query._expression, limit: limit, orderBy: orderBy)
  }
}

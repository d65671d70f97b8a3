import Dflat

/// A query expression, under the name of Dflat 0.6: a `QueryExpression`.
public typealias AnySQLiteExpr<ResultType, Element: Atom> = QueryExpression<ResultType, Element>

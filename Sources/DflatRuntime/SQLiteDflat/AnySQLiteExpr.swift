import Dflat

/// A query that is assembled, as code written for Dflat 0.6 names it: a `QueryExpression`.
public typealias AnySQLiteExpr<ResultType, Element: Atom> = QueryExpression<ResultType, Element>

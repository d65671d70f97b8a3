import Dflat

// Names that code written for Dflat 0.6 spells.

/// A query that is assembled; see `QueryExpression`.
public typealias AnySQLiteExpr<ResultType, Element: Atom> = QueryExpression<ResultType, Element>

/// A field in a query; see `QueryExpression`.
public typealias FieldExpr<ResultType, Element: Atom> = QueryExpression<ResultType, Element>

/// An expression that a store on SQLite can evaluate, as all can; see `Expr`.
public typealias SQLiteExpr = Expr

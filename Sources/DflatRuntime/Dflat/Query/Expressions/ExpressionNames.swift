// The names of expression types in code written for Dflat 0.6, where each operator has its own type. Here all of them
// stand for `QueryExpression`, whatever their operands.

/// A field in a query.
public typealias FieldExpr<T, Element: Atom> = QueryExpression<T, Element>

/// A constant in a query.
public typealias ValueExpr<T, Element: Atom> = QueryExpression<T, Element>

/// The type of `left && right`.
public typealias AndExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `left || right`.
public typealias OrExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `!unary`.
public typealias NotExpr<T: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `left == right`.
public typealias EqualToExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `left != right`.
public typealias NotEqualToExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `left < right`, or `right > left`.
public typealias LessThanExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `left <= right`, or `right >= left`.
public typealias LessThanOrEqualToExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `unary.in(values)`.
public typealias InExpr<T: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `unary.notIn(values)`.
public typealias NotInExpr<T: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `unary.isNull`.
public typealias IsNullExpr<T: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `unary.isNotNull`.
public typealias IsNotNullExpr<T: Expr, Element: Atom> = QueryExpression<Bool, Element>

/// The type of `left + right`.
public typealias AdditionExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<L.ResultType, Element>

/// The type of `left - right`.
public typealias SubtractionExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<L.ResultType, Element>

/// The type of `left % right`.
public typealias ModExpr<L: Expr, R: Expr, Element: Atom> = QueryExpression<L.ResultType, Element>

/// An expression that a store on SQLite can evaluate: every expression is one.
public protocol SQLiteExpr {}

extension QueryExpression: SQLiteExpr {}

/// A type of field values that a store on SQLite can hold: every type of field values is one.
public typealias SQLiteValue = QueryValue

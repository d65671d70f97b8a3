/// A part of a query: an expression, a union field, the fields of a nested table or struct, or an order.
///
/// Swift can wrap a part in an `Optional` and compare that with `nil`. The result would be a plain `Bool`, the same for
/// every object, and a valid operand of `&&` and `||`. This protocol's operators take precedence over those of `Optional`
/// and do not compile where they are used. The operators of ``QueryExpression`` and ``UnionField`` take precedence where
/// an expression is expected or possible.
///
/// In synchronous code, `_PlainSwift` makes these operators errors; in asynchronous code of Swift 6 mode, `noasync` does. Asynchronous code of Swift 5 mode compiles with two warnings if it has `try await`, and throws. The attribute
/// `unavailable` would not do: Swift then takes the operator of `Optional`.
public protocol _QueryPart {}

/// The actor of the operators that do not compile. Nothing runs on it.
@globalActor
public actor _PlainSwift {
  /// The actor.
  public static let shared = _PlainSwift()
}

/// The error of an operator whose result would be no part of a query.
public struct _NoQuery: Error {}

extension _QueryPart {
  /// Refuses to compile the comparison of a query's part with nil: its result would be a plain `Bool`, no query.
  @available(*, deprecated, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @available(*, noasync, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @_PlainSwift public static func == (lhs: Self, rhs: _OptionalNilComparisonType) throws -> Bool { throw _NoQuery() }

  /// Refuses to compile the comparison of a query's part with nil: its result would be a plain `Bool`, no query.
  @available(*, deprecated, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @available(*, noasync, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @_PlainSwift public static func == (lhs: _OptionalNilComparisonType, rhs: Self) throws -> Bool { throw _NoQuery() }

  /// Refuses to compile the comparison of a query's part with nil: its result would be a plain `Bool`, no query.
  @available(*, deprecated, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @available(*, noasync, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @_PlainSwift public static func != (lhs: Self, rhs: _OptionalNilComparisonType) throws -> Bool { throw _NoQuery() }

  /// Refuses to compile the comparison of a query's part with nil: its result would be a plain `Bool`, no query.
  @available(*, deprecated, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @available(*, noasync, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @_PlainSwift public static func != (lhs: _OptionalNilComparisonType, rhs: Self) throws -> Bool { throw _NoQuery() }

  /// Refuses to compile the comparison of a query's part with nil: its result would be a plain `Bool`, no query.
  @available(*, deprecated, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @available(*, noasync, message: "a plain Bool, not a query; isNull and isNotNull of a field are queries")
  @_PlainSwift public static func ~= (lhs: _OptionalNilComparisonType, rhs: Self) throws -> Bool { throw _NoQuery() }

  /// Refuses to compile the operator `??` after a query's part: the part is never nil, whatever its value.
  @available(*, deprecated, message: "an expression is never nil; isNull and isNotNull of a field are queries")
  @available(*, noasync, message: "an expression is never nil; isNull and isNotNull of a field are queries")
  @_PlainSwift public static func ?? (lhs: Self, rhs: @autoclosure () throws -> Self?) throws -> Self? {
    throw _NoQuery()
  }

  /// Refuses to compile the operator `??` after a query's part: the part is never nil, whatever its value.
  @available(*, deprecated, message: "an expression is never nil; isNull and isNotNull of a field are queries")
  @available(*, noasync, message: "an expression is never nil; isNull and isNotNull of a field are queries")
  @_PlainSwift public static func ?? (lhs: Self, rhs: @autoclosure () throws -> Self) throws -> Self {
    throw _NoQuery()
  }
}

extension UnionField: _QueryPart {}
extension OrderBy: _QueryPart {}

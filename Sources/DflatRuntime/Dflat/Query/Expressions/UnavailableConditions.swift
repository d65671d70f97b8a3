import FlatBuffersCore

// Conditions that users of other stores, or of Swift, expect here. The compiler's message says what to write instead.

extension Sequence where Element: QueryValue {
  /// Refuses to compile the condition that a list contains a field: a query has `in` after the field instead.
  @available(*, unavailable, message: "Write the field first: `Post.color.in([.red, .green])`.")
  public func contains<Object: Atom>(_ field: QueryExpression<Element, Object>) -> QueryExpression<Bool, Object> {
    stopProgram(unavailable)
  }
}

private let unavailable = "This condition cannot be called: the compiler refuses it."

import FlatBuffersCore

// Conditions that users of other stores, or of Swift, expect here. The compiler's message says what to write instead.

extension Sequence where Element: QueryValue {
  /// Does not compile: there is no such condition.
  @available(*, unavailable, message: "Write the field first: `Post.color.in([.red, .green])`.")
  public func contains<Object: Atom>(_ field: QueryExpression<Element, Object>) -> QueryExpression<Bool, Object> {
    stopProgram(unavailable)
  }
}

private let unavailable = "This condition cannot be called: the compiler refuses it."

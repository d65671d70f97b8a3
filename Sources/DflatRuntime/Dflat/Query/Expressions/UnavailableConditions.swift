import FlatBuffersCore

// What people write who know conditions of other stores, or of Swift. The compiler's message says what to write instead.

extension QueryExpression where Value == String {
  /// There is no such condition.
  @available(
    *, unavailable,
    message: """
      There is no condition on a part of a text. Fetch by other conditions, and filter the result: \
      `result.filter { $0.title.contains("b") }`.
      """
  )
  public func contains(_ other: String) -> QueryExpression<Bool, Element> { stopProgram(unavailable) }

  /// There is no such condition.
  @available(
    *, unavailable,
    message: """
      Write a range, which an index answers, too: `Post.title >= "ab" && Post.title < "ac"` for the prefix "ab".
      """
  )
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool, Element> { stopProgram(unavailable) }

  /// There is no such condition.
  @available(
    *, unavailable,
    message: """
      There is no condition on a part of a text. Fetch by other conditions, and filter the result: \
      `result.filter { $0.title.hasSuffix("b") }`.
      """
  )
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool, Element> { stopProgram(unavailable) }

  /// There is no such condition.
  @available(*, unavailable, message: "Write `Post.title == \"\"`, or `Post.title.isNull` for a text that is absent.")
  public var isEmpty: QueryExpression<Bool, Element> { stopProgram(unavailable) }
}

extension Sequence where Element: QueryValue {
  /// There is no such condition.
  @available(*, unavailable, message: "Write the field first: `Post.color.in([.red, .green])`.")
  public func contains<Object: Atom>(_ field: QueryExpression<Element, Object>) -> QueryExpression<Bool, Object> {
    stopProgram(unavailable)
  }
}

private let unavailable = "This condition cannot be called: the compiler refuses it."

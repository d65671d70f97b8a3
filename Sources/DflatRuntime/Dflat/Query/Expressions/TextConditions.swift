// Conditions on texts. They compare bytes of UTF-8, as all comparisons of texts do: `é` as one Unicode scalar and `é` as a letter with
// a combining accent are different texts.

extension QueryExpression where Value == String {
  /// Returns the condition that the text begins with `prefix`, byte by byte. Neither true nor false if the text is absent.
  ///
  /// ```swift
  /// let posts = workspace.fetch(for: Post.self).where(Post.title.hasPrefix("Al"))
  /// ```
  ///
  /// Every text begins with an empty prefix. An index of the field answers the condition, as a range.
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool, Element> {
    .init(node: .text(.prefix, _node, _node.comparable(prefix)))
  }

  /// Returns the condition that the text ends with `suffix`, byte by byte. Neither true nor false if the text is absent.
  ///
  /// Every text ends with an empty suffix. No index answers the condition: it looks at the text of each row that the
  /// rest of the query leaves.
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool, Element> {
    .init(node: .text(.suffix, _node, _node.comparable(suffix)))
  }

  /// Returns the condition that `part` is somewhere in the text, byte by byte. Neither true nor false if the text is absent.
  ///
  /// ```swift
  /// let posts = workspace.fetch(for: Post.self).where(Post.title.folded.contains("cafe"))
  /// ```
  ///
  /// An empty part is in every text. No index answers the condition: it looks at the text of each row that the rest
  /// of the query leaves, in a time that grows with the sum of the lengths.
  public func contains(_ part: String) -> QueryExpression<Bool, Element> {
    .init(node: .text(.part, _node, _node.comparable(part)))
  }

  /// Whether the text is empty: `== ""`. Neither true nor false if it is absent.
  public var isEmpty: QueryExpression<Bool, Element> { self == "" }

  /// The number of the text's Unicode scalars; NULL if it is absent.
  ///
  /// It is `unicodeScalars.count` of the string, and not its `count`: the characters that people see differ between versions of
  /// Unicode.
  public var length: QueryExpression<Int, Element> { .init(node: .length(_node)) }
}

// For code that names its queries by the protocol.
extension Expr where ResultType == String {
  /// Returns the condition that the text begins with `prefix`; see `QueryExpression`.
  public func hasPrefix(_ prefix: String) -> QueryExpression<Bool, Element> { _expression.hasPrefix(prefix) }

  /// Returns the condition that the text ends with `suffix`; see `QueryExpression`.
  public func hasSuffix(_ suffix: String) -> QueryExpression<Bool, Element> { _expression.hasSuffix(suffix) }

  /// Returns the condition that `part` is somewhere in the text; see `QueryExpression`.
  public func contains(_ part: String) -> QueryExpression<Bool, Element> { _expression.contains(part) }

  /// Whether the text is empty; see `QueryExpression`.
  public var isEmpty: QueryExpression<Bool, Element> { _expression.isEmpty }

  /// The number of the text's Unicode scalars; see `QueryExpression`.
  public var length: QueryExpression<Int, Element> { _expression.length }
}

import TextFolding

// Texts without differences of case and diacritics. When a query is made, the constants that such a text is compared
// with are folded in the same way, so that `Post.title.folded == "Café"` finds `cafe`.

extension QueryExpression where Value == String {
  /// The text without differences of case and diacritics: for `Café`, `CAFE` and `cafe`, it is `cafe`.
  ///
  /// ```swift
  /// let posts = workspace.fetch(for: Post.self).where(
  ///   Post.title.folded == "Café", orderBy: Post.title.folded.ascending)
  /// ```
  ///
  /// It can be compared, searched and ordered by like any other expression. The other side of `==`, `in` or
  /// `contains` is folded as well. Letters that Unicode does not compose of a letter and a mark stay: `ø` is not `o`.
  /// The table is that of Unicode 15, whatever the system has, and no language has rules of its own.
  ///
  /// An index with `"folded"` in the schema answers conditions on it. Without an index, the fetch folds the text of each
  /// row that satisfies the other conditions.
  ///
  /// See also: Documentation/text-folding.md.
  public var folded: Self { .init(node: _node.folded(.caseAndDiacritics)) }

  /// The text without differences of case: for `Straße` and `STRASSE`, it is `strasse`.
  ///
  /// The other side of a comparison is folded as well; see ``folded``. An `é` of one Unicode scalar still differs
  /// from an `é` of two.
  public var foldedCase: Self { .init(node: _node.folded(.case)) }
}

extension Expr where ResultType == String {
  /// The text without differences of case and diacritics; see `QueryExpression`.
  public var folded: QueryExpression<String, Element> { _expression.folded }

  /// The text without differences of case; see `QueryExpression`.
  public var foldedCase: QueryExpression<String, Element> { _expression.foldedCase }
}

extension QueryNode {
  /// The folding that the node applies; nil if it applies none.
  var folding: Folding? {
    if case .folded(let folding, _) = kind { folding } else { nil }
  }

  /// Returns the node's text with a folding. It replaces the node's own folding if that keeps more differences.
  func folded(_ folding: Folding) -> QueryNode {
    switch kind {
    case .constant(let value): .constant(value.folded(folding))
    case .folded(.caseAndDiacritics, _): self
    case .folded(.case, let operand): folding == .case ? self : .folded(folding, operand)
    default: .folded(folding, self)
    }
  }

  /// Returns the operands of a comparison with one folding. If either is folded, both get the folding that keeps
  /// fewer differences.
  static func withOneFolding(_ lhs: QueryNode, _ rhs: QueryNode) -> (QueryNode, QueryNode) {
    switch (lhs.folding, rhs.folding) {
    case (nil, nil): (lhs, rhs)
    case (.caseAndDiacritics?, _), (_, .caseAndDiacritics?):
      (lhs.folded(.caseAndDiacritics), rhs.folded(.caseAndDiacritics))
    default: (lhs.folded(.case), rhs.folded(.case))
    }
  }

  /// Returns the operands of a comparison with one folding. If one operand is the bytes of a UUID and the other a text,
  /// both become texts.
  static func withOneForm(_ lhs: QueryNode, _ rhs: QueryNode) -> (QueryNode, QueryNode) {
    switch (lhs.field?.storage.isBytes, rhs.field?.storage.isBytes) {
    case (true?, false?): (.uuidText(lhs), rhs)
    case (false?, true?): (lhs, .uuidText(rhs))
    default: withOneFolding(lhs, rhs)
    }
  }

  /// Returns a constant to compare the node with. The constant is folded if the node is.
  func comparable(_ value: FieldValue) -> FieldValue { folding.map { value.folded($0) } ?? value }

  /// Returns a text to search for in the node's text. The text is folded if the node is.
  package func comparable(_ text: String) -> String { folding.map { TextFolder.fold(text, $0.differences) } ?? text }
}

extension FieldValue {
  fileprivate func folded(_ folding: QueryNode.Folding) -> FieldValue {
    if case .text(let text) = self { .text(TextFolder.fold(text, folding.differences)) } else { self }
  }
}

// Texts without differences of case and diacritics. What they are compared with is folded in the same way when the query is made, so
// that `Post.title.folded == "Café"` finds `cafe`.

extension QueryExpression where Value == String {
  /// The text without differences of case and diacritics: of `Café`, `CAFE` and `cafe`, all three are `cafe`.
  ///
  /// It is an expression like any other: it can be compared, searched and ordered by. What it is compared with, such as the text in
  /// `==`, `in` or `contains`, is folded as well. Letters that Unicode does not compose of a letter and a mark stay: `ø` is not `o`.
  /// The table is that of Unicode 15, whatever the system has, and no language has rules of its own.
  public var folded: Self { .init(node: _node.folded(.caseAndDiacritics)) }

  /// The text without differences of case: of `Straße` and `STRASSE`, both are `strasse`.
  ///
  /// The other side of a comparison is folded as well; see ``folded``. An `é` of one Unicode scalar still differs from an `é` of two.
  public var foldedCase: Self { .init(node: _node.folded(.case)) }
}

extension Expr where ResultType == String {
  /// The text without differences of case and diacritics; see `QueryExpression`.
  public var folded: QueryExpression<String, Element> { _expression.folded }

  /// The text without differences of case; see `QueryExpression`.
  public var foldedCase: QueryExpression<String, Element> { _expression.foldedCase }
}

extension QueryNode {
  /// The folding that the node applies; nil if the node is no folding.
  var folding: Folding? {
    if case .folded(let folding, _) = kind { folding } else { nil }
  }

  /// The node's text with a folding, instead of one that takes less from it.
  func folded(_ folding: Folding) -> QueryNode {
    switch kind {
    case .constant(let value): .constant(value.folded(folding))
    case .folded(.caseAndDiacritics, _): self
    case .folded(.case, let operand): folding == .case ? self : .folded(folding, operand)
    default: .folded(folding, self)
    }
  }

  /// The operands of a comparison: if one is folded, both are, with the folding that takes more from them.
  static func withOneFolding(_ lhs: QueryNode, _ rhs: QueryNode) -> (QueryNode, QueryNode) {
    switch (lhs.folding, rhs.folding) {
    case (nil, nil): (lhs, rhs)
    case (.caseAndDiacritics?, _), (_, .caseAndDiacritics?):
      (lhs.folded(.caseAndDiacritics), rhs.folded(.caseAndDiacritics))
    default: (lhs.folded(.case), rhs.folded(.case))
    }
  }

  /// A constant that the node is compared with: folded, if the node is.
  func comparable(_ value: FieldValue) -> FieldValue { folding.map { value.folded($0) } ?? value }

  /// A text that is searched in the node's: folded, if the node is.
  package func comparable(_ text: String) -> String { folding.map { TextFolder.fold(text, $0) } ?? text }
}

extension FieldValue {
  fileprivate func folded(_ folding: QueryNode.Folding) -> FieldValue {
    if case .text(let text) = self { .text(TextFolder.fold(text, folding)) } else { self }
  }
}

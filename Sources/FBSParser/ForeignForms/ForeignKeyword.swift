import FBSDiagnostics

// Words that stand where a declaration begins, and are none of its keywords.

extension Parser {
  /// Says that no declaration begins with the word at `position`, and skips it unless it is a slip of a keyword or another
  /// language's word for one.
  ///
  /// - Returns: the keyword that was meant, if the text after the word fits it; otherwise nil. If it is a keyword,
  ///   `position` is that of the word.
  mutating func slip() -> Keyword? {
    let first = position
    let isReported = isAfterReport
    while isDefinitionModifier(position) { advance() }
    let span = TokenSpan(first, position)
    let word = tree.text(of: position)
    if skipSQL(from: first) { return nil }
    if position > first, let keyword = keyword(at: position) {
      let words = TokenSpan(first, position - 1)
      let place = range(Int(tokens[first].start), Int(tokens[position].start))
      reportForeign(
        "`\(tree.text(of: words))` does not stand before a definition", at: tree.range(of: words), advice: "remove it",
        fixes: isWithoutComments(place) ? [.remove(tree.text(of: words), at: place)] : [])
      return keyword
    }
    let foreign = foreignDefinition(at: position)
    if foreign == nil, skipForeignStatement(ForeignWords.statements) { return nil }
    guard let near = foreign ?? nearestName(to: word, in: Keyword.allCases.map(\.rawValue)) else {
      reportUnexpected("a declaration is due", notes: [Self.declarationNote])
      skipDeclaration()
      return nil
    }
    let keyword = Keyword(rawValue: near)
    let fits = keyword.map { $0.isFollowedBy.contains(kind(after: 1)) } ?? false
    if !isReported {
      report(
        .unexpectedToken, "`\(tree.text(of: span))` is not expected here: a declaration is due",
        at: tree.range(of: span),
        advice: foreign == nil ? "did you mean `\(near)`?" : "write `\(near)`",
        fixes: fits ? [.replace(tree.range(of: span), with: near)] : [])
    }
    guard fits else {
      skipDeclaration()
      return nil
    }
    return keyword
  }

  /// Returns the keyword that a schema has for the word at a token, whatever its letter case; nil if it is no other language's.
  func foreignDefinition(at token: TokenIndex) -> String? {
    let word = lowercased(token)
    if word == "type", tokens[token + 1].kind == .identifier, self.tokens[token + 2].kind == .equals,
      tokens[token + 3].kind != .leftBrace
    {
      // An alias, or a union.
      let end = endOfStatement(from: token) ?? token
      return (token..<end).contains { isForeign($0, UInt8(ascii: "|")) } ? "union" : nil
    }
    return ForeignWords.definitions[word] ?? (Keyword(rawValue: word) == nil ? nil : word)
  }

  /// Returns whether a word is a modifier before the keyword of a definition, as `public` is in `public class`.
  private func isDefinitionModifier(_ token: TokenIndex) -> Bool {
    guard ForeignWords.definitionModifiers.contains(lowercased(token)), tokens[token + 1].kind == .identifier else {
      return false
    }
    return keyword(at: token + 1) != nil || foreignDefinition(at: token + 1) != nil
      || ForeignWords.definitionModifiers.contains(lowercased(token + 1))
  }
}

import FBSDiagnostics

/// Reads the methods of services as other languages write them.
extension Parser {
  /// Returns whether a method surely starts at a token: `name(Request)`.
  func startsMethod(_ token: TokenIndex) -> Bool {
    guard tokens[token].kind == .identifier, tokens[token + 1].kind == .leftParenthesis else { return false }
    var end = token + 2
    while end + 1 < tokens.count, tokens[end].kind == .identifier, tokens[end + 1].kind == .dot { end += 2 }
    return end + 2 < tokens.count && tokens[end].kind == .identifier && tokens[end + 1].kind == .rightParenthesis
      && tokens[end + 2].kind == .colon
  }

  /// Reads `rpc Get(stream A) returns (B) {}`, `func get(a: A) -> B` and the like.
  ///
  /// - Returns: false if nothing of the kind stands here: then nothing was read.
  mutating func parseForeignMethod() -> Bool {
    guard kind == .identifier else { return false }
    var token = position
    while ForeignWords.methodModifiers.contains(lowercased(token)), tokens[token + 1].kind == .identifier { token += 1 }
    var response: TokenSpan?
    if tokens[token + 1].kind == .identifier, tokens[token + 2].kind == .leftParenthesis {
      // `Response get(...)`
      response = TokenSpan(token, token)
      token += 1
    }
    let name = token
    guard tokens[name].kind == .identifier, tokens[name + 1].kind == .leftParenthesis,
      let closing = closingBracket(of: name + 1)
    else { return false }
    let argument = lastPath(in: name + 2..<closing)
    var streams = [(name + 2..<closing).contains { lowercased($0) == "stream" }, false]
    token = closing + 1
    if response == nil {
      let hasSign =
        tokens[token].kind == .colon || isForeign(token, UInt8(ascii: "-"))
        || ["returns", "return", "yields"].contains(lowercased(token))
      guard hasSign else { return false }
      token += 1
      let first = token
      if tokens[token].kind == .leftParenthesis {
        guard let end = closingBracket(of: token) else { return false }
        token = end + 1
      } else {
        while tokens[token].kind == .identifier || tokens[token].kind == .dot, !startsLine(token) { token += 1 }
      }
      response = lastPath(in: first..<token)
      streams[1] = (first..<token).contains { lowercased($0) == "stream" }
    }
    guard let response else { return false }
    return endForeignMethod(name, argument, response, streams, at: token)
  }

  private mutating func endForeignMethod(
    _ name: TokenIndex, _ request: TokenSpan?, _ response: TokenSpan, _ streams: [Bool], at token: TokenIndex
  ) -> Bool {
    let first = position
    var end = token - 1
    position = token
    let wasReported = tokens[first...end].contains { $0.isMalformed }
    if kind == .leftBrace, kind(after: 1) == .rightBrace {
      end += 2
      advance(by: 2)
    }
    let attributes = parseAttributes()
    let hasAttributes = !attributes.isEmpty
    if kind == .semicolon {
      end = position
      advance()
    }
    let isEnded = tokens[end].kind == .semicolon || kind == .rightBrace || isAtEnd || startsLine(position)
    let streaming = streams[0] ? (streams[1] ? "bidi" : "client") : streams[1] ? "server" : nil
    let text =
      tree.text(of: name) + "(" + (request.map { tree.text(of: $0) } ?? "Request") + "): " + tree.text(of: response)
      + (streaming.map { " (streaming: \"\($0)\")" } ?? "") + ";"
    let place = tree.range(of: TokenSpan(first, end))
    let isPlain = request != nil && !hasAttributes && isEnded && isWithoutComments(place)
    if !wasReported {
      reportForeign(
        "a method is its name, the table that it takes, and the table that it gives", at: place,
        advice: "write `\(text)`",
        notes: request == nil ? ["a method takes one table, which may be empty: `table Request {}`"] : [],
        fixes: isPlain ? [.replace(place, with: text)] : [])
    }
    if let request {
      tree.methods.append(MethodSyntax(name: name, request: request, response: response, attributes: attributes))
    }
    if !isEnded { skipStatement() }
    return true
  }

  /// Returns the path that stands last among tokens; nil if there is none. The name of a parameter after it, as in
  /// `1: shop.Request r`, does not belong to it.
  private func lastPath(in range: Range<TokenIndex>) -> TokenSpan? {
    // Nor do parentheses around the path.
    guard var end = range.last(where: { tokens[$0].kind == .identifier }) else { return nil }
    if end > range.lowerBound, tokens[end - 1].kind == .identifier, lowercased(end - 1) != "stream" { end -= 1 }
    var first = end
    while first - 2 >= range.lowerBound, tokens[first - 1].kind == .dot, tokens[first - 2].kind == .identifier {
      first -= 2
    }
    return TokenSpan(first, end)
  }
}

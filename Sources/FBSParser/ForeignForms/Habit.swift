import FBSDiagnostics

/// A slip that whoever makes it makes in each entry of a definition: it is reported where it is first, with a fix for all.
enum Habit: Hashable {
  /// Something else than a comma between the entries of an enum or union.
  case separator
  /// `,` after a field.
  case comma
  /// `case` before an enum's value.
  case caseWord
  /// `:` before an enum's number.
  case colon
}

extension Parser {
  /// Reports a habit where it is first in a definition. Otherwise adds the edit to the fix of the diagnostic that there is.
  mutating func report(_ habit: Habit, _ message: String, at range: SourceRange, advice: String, edit: Diagnostic.Edit)
  {
    guard let first = habits[habit] else {
      habits[habit] = diagnostics.count
      let title = edit.replacement.isEmpty ? "Remove it" : "Replace with `\(edit.replacement)`"
      return report(
        .unexpectedToken, message, at: range, advice: advice, fixes: [Diagnostic.Fix(title, [edit])])
    }
    let diagnostic = diagnostics[first]
    let fixes = diagnostic.fixes.map { Diagnostic.Fix($0.title, $0.edits + [edit]) }
    diagnostics[first] = diagnostic.with(fixes: fixes)
  }

  /// Reads a definition's entries, whose habits are their own.
  mutating func withOwnHabits(_ body: (inout Parser) -> Void) {
    let outer = habits
    habits = [:]
    body(&self)
    habits = outer
  }
}

// MARK: - Looking ahead

extension Parser {
  func lowercased(_ token: TokenIndex) -> String { tree.text(of: token).lowercased() }

  func isForeign(_ token: TokenIndex, _ sign: UInt8) -> Bool {
    tokens[token].kind == .foreign && tree.source.bytes[Int(tokens[token].start)] == sign
  }

  /// The bracket that closes the one at `opening`, if it stands in the next few tokens and in the same statement.
  func closingBracket(of opening: TokenIndex, limit: Int = 64) -> TokenIndex? {
    var depth = 0
    for token in opening..<min(opening + limit, tokens.count - 1) {
      switch tokens[token].kind {
      case .leftParenthesis, .leftBracket: depth += 1
      case .rightParenthesis, .rightBracket:
        depth -= 1
        if depth == 0 { return token }
      case .leftBrace, .rightBrace, .semicolon, .endOfFile: return nil
      default: break
      }
    }
    return nil
  }

  /// Whether a run of text holds no comment, so that a fix may write it anew.
  func isWithoutComments(_ range: SourceRange) -> Bool {
    let bytes = tree.source.bytes[range.start..<range.end]
    return !zip(bytes, bytes.dropFirst()).contains {
      $0 == UInt8(ascii: "/") && ($1 == UInt8(ascii: "/") || $1 == UInt8(ascii: "*"))
    }
  }

  /// The token at which the statement at `start` ends: a `;`, a `}` that closes what is around, or the first of a line that
  /// begins a field. Looks at a few tokens.
  func endOfStatement(from start: TokenIndex, limit: Int = 64) -> TokenIndex? {
    var depth = 0
    for token in start..<min(start + limit, tokens.count) {
      switch tokens[token].kind {
      case .semicolon where depth == 0, .endOfFile: return token
      case .leftBrace: depth += 1
      case .rightBrace:
        if depth == 0 { return token }
        depth -= 1
      case .identifier where token > start && depth == 0 && startsLine(token): return token
      default: break
      }
    }
    return nil
  }

  /// Says that something is written as in another language, and what to write.
  mutating func reportForeign(
    _ message: String, at range: SourceRange, advice: String, notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    report(.foreignForm, message, at: range, advice: advice, notes: notes, fixes: fixes)
  }

  func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: tree.source.id, start: start, end: end) }
}

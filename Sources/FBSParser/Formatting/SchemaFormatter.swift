import FBSDiagnostics

/// Lays a schema out in the one way that all schemas are laid out in.
///
/// Tokens and comments stay what they are and in the order in which they are; only the blanks between them change. So the
/// meaning cannot change, and no comment is lost.
///
/// - A declaration, a field, an enum's value, a union's member and a method stand on lines of their own, indented by two
///   blanks per level. A declaration whose braces stand on one line keeps to it as long as that has at most 100 columns.
/// - One blank stands around `=`, after `:` and `,`, before `{` and before attributes; none inside parentheses.
/// - Empty lines between entries are kept, one at most; those after `{` and before `}` go.
/// - Comments stay on the line of what they follow, or on their own. Lines end as the first one does, and carry no blanks at
///   their end, except in comments that are part of the schema (`///`) or have several lines.
public struct SchemaFormatter {
  /// The longest line on which a declaration may stand with all that it holds.
  public static let maximumWidth = 100

  private let tree: SyntaxTree
  private var plan: FormatPlan
  private var output: [UInt8] = []

  /// The last thing that was written.
  private enum Previous {
    case nothing
    case token
    /// A comment that takes the rest of its line.
    case lineComment
    case block
  }

  private var previous = Previous.nothing

  /// Returns the text of a file in the canonical layout. It takes time in proportion to the file's size.
  /// - Parameter tree: A file that was parsed without errors. For any other file, the result is useless.
  public static func format(_ tree: SyntaxTree) -> [UInt8] {
    var formatter = SchemaFormatter(tree: tree, plan: FormatPlan(tree))
    formatter.run()
    // If the first line ends with CR LF, all lines of the result do: such a file comes from a system that writes them
    // so.
    let lineEnd = LineTable(tree.source.bytes).firstLineEnd(in: tree.source.bytes)
    return lineEnd == .lf ? formatter.output : formatter.output(with: lineEnd)
  }

  /// Returns the output, with lines that end otherwise than with LF.
  private func output(with lineEnd: LineEnd) -> [UInt8] {
    let ending = Array(lineEnd.rawValue.utf8)
    return Array(
      output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).joined(separator: ending))
  }

  private init(tree: SyntaxTree, plan: FormatPlan) {
    self.tree = tree
    self.plan = plan
    output.reserveCapacity(tree.source.bytes.count)
  }

  private mutating func run() {
    var group = 1
    var token = 0
    while token < tree.tokens.count {
      // Groups are numbered in the order of their opening brackets.
      if group < plan.groups.count, plan.groups[group].opener == token {
        token = writeGroup(group)
        while group < plan.groups.count, plan.groups[group].opener < token { group += 1 }
      } else {
        write(token)
        token += 1
      }
    }
  }

  /// Writes a group's opening bracket and, if it is to stand on one line, all of it.
  /// - Returns: The first token that is not written.
  private mutating func writeGroup(_ index: Int) -> TokenIndex {
    let group = plan.groups[index]
    write(group.opener)
    guard group.isBody, !group.isBroken, group.closer > group.opener + 1 else { return group.opener + 1 }
    let end = output.count
    let before = previous
    for token in (group.opener + 1)...group.closer { write(token) }
    if columnCount() <= Self.maximumWidth { return group.closer + 1 }
    output.removeLast(output.count - end)
    previous = before
    plan.groups[index].isBroken = true
    return group.opener + 1
  }

  /// Returns how many characters the last line has.
  private func columnCount() -> Int {
    var count = 0
    for byte in output.reversed() {
      if byte == UInt8(ascii: "\n") { break }
      if byte & 0xC0 != 0x80 { count += 1 }
    }
    return count
  }
}

// MARK: - Tokens and comments

extension SchemaFormatter {
  private mutating func write(_ token: TokenIndex) {
    let trivia = plan.trivia(before: token)
    for (index, comment) in trivia.comments.enumerated() {
      separate(comment, at: index, of: trivia, before: token)
      write(comment)
    }
    let isEnd = token == tree.tokens.count - 1
    guard !isEnd else {
      if previous != .nothing { output.append(UInt8(ascii: "\n")) }
      return
    }
    separate(token, trivia)
    output.append(contentsOf: tree.bytes(of: token))
    previous = .token
  }

  private mutating func write(_ comment: Comment) {
    var bytes = tree.source.bytes[comment.range]
    switch comment.kind {
    case .line:
      while let last = bytes.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { bytes.removeLast() }
      output.append(contentsOf: bytes)
    case .documentation:
      output.append(contentsOf: bytes)
    case .block:
      for index in bytes.indices {
        if bytes[index] != UInt8(ascii: "\r") {
          output.append(bytes[index])
        } else if bytes[index + 1] != UInt8(ascii: "\n") {
          // The comment ends with a slash, so that a byte follows.
          output.append(UInt8(ascii: "\n"))
        }
      }
    }
    previous = comment.kind == .block ? .block : .lineComment
  }
}

// MARK: - Blanks and line breaks

extension SchemaFormatter {
  /// Writes the blank or line breaks before a comment.
  private mutating func separate(_ comment: Comment, at index: Int, of trivia: Trivia, before token: TokenIndex) {
    guard previous != .nothing else { return }
    let group = plan.groups[Int(plan.groupOfToken[token])]
    let isOnSameLine = comment.lineBreaks == 0 && comment.kind != .documentation && previous != .lineComment
    if case .inner = plan.roles[token] {
      if !isOnSameLine { return breakLine(group.depth + 2) }
      let isAfterBracket = previous == .token && [.leftParenthesis, .leftBracket].contains(tree.tokens[token - 1].kind)
      if !isAfterBracket { output.append(UInt8(ascii: " ")) }
      return
    }
    guard group.isBroken else { return output.append(UInt8(ascii: " ")) }
    if isOnSameLine, previous == .block || !leads(index, trivia, token) {
      return output.append(UInt8(ascii: " "))
    }
    let isFirst = previous == .token && group.opener == token - 1
    breakLine(group.depth, isAfterEmptyLine: comment.lineBreaks > 1 && !isFirst)
  }

  /// Writes the blank or line breaks before a token.
  private mutating func separate(_ token: TokenIndex, _ trivia: Trivia) {
    guard previous != .nothing else { return }
    let group = plan.groups[Int(plan.groupOfToken[token])]
    switch plan.roles[token] {
    case .inner(let isSpaced):
      switch previous {
      case .lineComment: breakLine(group.depth + 2)
      case .block where !isSeparator(token): output.append(UInt8(ascii: " "))
      case .token where isSpaced: output.append(UInt8(ascii: " "))
      case .block, .token, .nothing: break
      }
    case .start:
      let isFirst = previous == .token && group.opener == token - 1
      if group.isBroken {
        if previous == .block, trivia.lineBreaks == 0 { return output.append(UInt8(ascii: " ")) }
        breakLine(group.depth, isAfterEmptyLine: trivia.lineBreaks > 1 && !isFirst)
      } else if group.isSpaced || !isFirst {
        output.append(UInt8(ascii: " "))
      }
    case .closer:
      if group.isBroken {
        breakLine(group.depth - 1)
      } else if group.isSpaced, previous == .block || group.opener != token - 1 {
        output.append(UInt8(ascii: " "))
      }
    }
  }

  /// Returns whether a block comment is about the entry after it rather than the one before, whose line it shares, too.
  private func leads(_ index: Int, _ trivia: Trivia, _ token: TokenIndex) -> Bool {
    guard case .start = plan.roles[token], trivia.lineBreaks == 0 else { return false }
    guard trivia.comments[index...].allSatisfy({ $0.kind == .block }) else { return false }
    return trivia.comments[(index + 1)...].allSatisfy { $0.lineBreaks == 0 }
  }

  private func isSeparator(_ token: TokenIndex) -> Bool {
    switch tree.tokens[token].kind {
    case .semicolon, .comma, .colon, .dot, .rightParenthesis, .rightBracket: true
    default: false
    }
  }

  private mutating func breakLine(_ depth: Int, isAfterEmptyLine: Bool = false) {
    output.append(UInt8(ascii: "\n"))
    if isAfterEmptyLine { output.append(UInt8(ascii: "\n")) }
    for _ in 0..<depth * 2 { output.append(UInt8(ascii: " ")) }
  }
}

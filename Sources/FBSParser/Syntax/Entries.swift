import FBSDiagnostics

/// The entry of a file that each token belongs to: a declaration, or a field, value, member or method in one.
///
/// An entry is identified by its first token. It is found from the tokens alone, so that a change of the layout does
/// not change it.
struct Entries {
  private let tree: SyntaxTree
  private let plan: FormatPlan
  /// The innermost entry that holds each token. Negative for the end of the file.
  private var innermost: ContiguousArray<Int32> = []

  /// Finds the entries of a file that was parsed without errors. For any other file, they are useless.
  init(_ tree: SyntaxTree) {
    self.tree = tree
    plan = FormatPlan(tree)
    var current = ContiguousArray<Int32>(repeating: -1, count: plan.groups.count)
    innermost.reserveCapacity(tree.tokens.count)
    for token in tree.tokens.indices {
      let group = Int(plan.groupOfToken[token])
      switch plan.roles[token] {
      case .start:
        current[group] = Int32(token)
        innermost.append(Int32(token))
      case .inner:
        innermost.append(current[group])
      case .closer:
        let opener = plan.groups[group].opener
        innermost.append(opener < 0 ? -1 : innermost[opener])
      }
    }
  }

  /// Returns the comments before a token, in order.
  func comments(before token: TokenIndex) -> [Comment] { plan.trivia(before: token).comments }

  /// Returns the entry that a comment on the line of a token, behind it, applies to: the one that the token belongs to.
  func target(ofCommentAfter token: TokenIndex) -> TokenIndex { entry(of: token) ?? token }

  /// Returns the entry that a comment on a line above a token applies to: the one that the token starts or continues.
  /// Above a closing brace, or at the end of the file, it is that token alone.
  func target(ofCommentBefore token: TokenIndex) -> TokenIndex {
    if case .closer = plan.roles[token] { return token }
    return entry(of: token) ?? token
  }

  /// Returns all entries that comments may apply to and that hold an offset, the innermost first.
  func targets(at offset: Int) -> [TokenIndex] {
    var token = self.token(at: offset)
    var targets: [TokenIndex] = []
    if case .closer = plan.roles[token] { targets.append(token) }
    while let entry = entry(of: token) {
      targets.append(entry)
      let opener = plan.groups[Int(plan.groupOfToken[entry])].opener
      guard opener >= 0 else { break }
      token = opener
    }
    return targets
  }

  private func entry(of token: TokenIndex) -> TokenIndex? { innermost[token] < 0 ? nil : Int(innermost[token]) }

  /// Returns the token that holds an offset, or, of the tokens around it, the one that a comment there would apply to.
  private func token(at offset: Int) -> TokenIndex {
    var (low, high) = (0, tree.tokens.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if Int(tree.tokens[middle].end) <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0, offset < Int(tree.tokens[low].start) || low == tree.tokens.count - 1 else { return low }
    let between = tree.source.bytes[Int(tree.tokens[low - 1].end)..<min(offset, tree.source.bytes.count)]
    return between.contains(where: \.isLineBreak) ? low : low - 1
  }
}

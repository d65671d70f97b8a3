import FBSDiagnostics

/// The comments of schemas that silence findings: `// dflatc:allow RULE reason`.
///
/// A comment applies to what follows it: a declaration with all that it holds, or a field, value, member or method,
/// whatever comments and empty lines stand between them. At the end of a line, it applies to the entry that it follows
/// there.
///
/// `dflatc check` and `dflatc lint` share the comments. Each judges those that name its own rules, and leaves the other's alone.
package struct AllowComments {
  /// The rules that comments may name.
  package struct Rules {
    /// The ids of the rules of the command that reads the comments.
    package let own: Set<String>
    /// The ids of the rules of other commands, whose comments are valid and are not judged.
    package let others: Set<String>

    /// Creates the rules from their ids.
    package init(own: Set<String>, others: Set<String> = []) {
      self.own = own
      self.others = others
    }
  }

  /// The declaration or entry, by its token, to which comments apply that name one rule.
  private struct Target: Hashable {
    let file: FileID
    let token: TokenIndex
    let rule: String
  }

  /// Diagnostics about comments that cannot be read.
  package private(set) var diagnostics: [Diagnostic] = []
  private let rules: Rules
  private var comments: [(target: Target, range: SourceRange)] = []
  private var entries: [FileID: Entries] = [:]
  /// Whether each target had a finding.
  private var isUsed: [Target: Bool] = [:]

  /// The code of a comment that cannot be read.
  package static let malformed = DiagnosticCode(
    "allow-malformed", "a comment that should silence a finding, and cannot be read")
  /// The code of a comment that silences nothing.
  package static let unused = DiagnosticCode("allow-unused", "a comment that silences nothing")

  /// Reads the comments of files.
  package init(_ files: some Sequence<SourceFile>, rules: Rules) {
    self.rules = rules
    for file in files where Self.mayHoldComments(file.bytes) {
      let (tree, faults) = Parser.parse(file)
      // In a broken text it is not known what belongs together, and no findings are reported.
      if !faults.contains(where: { $0.severity == .error }) { read(tree) }
    }
  }

  /// Reads the comments of files that were parsed without errors.
  package init(trees: some Sequence<SyntaxTree>, rules: Rules) {
    self.rules = rules
    for tree in trees where Self.mayHoldComments(tree.source.bytes) { read(tree) }
  }

  private mutating func read(_ tree: SyntaxTree) {
    let file = tree.source
    let entries = Entries(tree)
    self.entries[file.id] = entries
    for token in tree.tokens.indices {
      let before = entries.comments(before: token)
      // The comments on the line of the token before.
      let trailing = token == 0 ? 0 : before.prefix { $0.lineBreaks == 0 }.count
      for (index, comment) in before.enumerated() {
        guard let mark = AllowMark(file.bytes[comment.range], kind: comment.kind) else { continue }
        let range = SourceRange(file: file.id, start: comment.range.lowerBound, end: comment.range.upperBound)
        guard mark.isRead else {
          warn(of: mark, comment.kind, at: range)
          continue
        }
        guard let rule = rule(mark.words, range) else { continue }
        let entry =
          index < trailing ? entries.target(ofCommentAfter: token - 1) : entries.target(ofCommentBefore: token)
        let target = Target(file: file.id, token: entry, rule: rule)
        isUsed[target] = false
        comments.append((target, range))
      }
    }
  }

  /// Warns of a comment that names a rule and is not read.
  private mutating func warn(of mark: AllowMark, _ kind: Comment.Kind, at range: SourceRange) {
    guard let id = mark.words.first.map(String.init), rules.own.contains(id) || rules.others.contains(id) else {
      return
    }
    let message =
      switch kind {
      case .line: "this allows nothing: the mark is written otherwise"
      case .documentation: "this allows nothing: a doc comment is part of the schema"
      case .block: "this allows nothing: only comments that start with `//` are read"
      }
    diagnostics.append(
      Diagnostic(Self.malformed, .warning, message, at: range, advice: "write `// dflatc:allow \(id) reason`"))
  }

  /// Returns the rule of this command that a comment names, or nil. Reports what is wrong with the comment.
  private mutating func rule(_ words: [Substring], _ range: SourceRange) -> String? {
    let example = "write `// dflatc:allow RULE reason`"
    guard let id = words.first.map(String.init) else {
      diagnostics.append(Diagnostic(Self.malformed, .error, "a rule is missing", at: range, advice: example))
      return nil
    }
    guard rules.own.contains(id) || rules.others.contains(id) else {
      // Sorted, since the first of equally near names is suggested.
      let nearest = nearestName(to: id, in: rules.own.sorted() + rules.others.sorted())
      diagnostics.append(
        Diagnostic(
          Self.malformed, .error, "there is no rule `\(id)`", at: range,
          advice: nearest.map { "did you mean `\($0)`?" } ?? "`dflatc explain` lists the rules"))
      return nil
    }
    guard words.count > 1, words[1].contains(where: { !$0.isWhitespace }) else {
      diagnostics.append(
        Diagnostic(
          Self.malformed, .error, "a reason is missing", at: range, advice: "say why `\(id)` is well here",
          notes: ["whoever reads it in a year wants to know"]))
      return nil
    }
    return rules.own.contains(id) ? id : nil
  }

  /// Returns whether a comment silences the finding of a rule. If so, marks the comment as used.
  package mutating func silences(_ rule: String, at range: SourceRange) -> Bool {
    guard let entries = entries[range.file] else { return false }
    let targets = entries.targets(at: range.start).map { Target(file: range.file, token: $0, rule: rule) }
      .filter { isUsed[$0] != nil }
    for target in targets { isUsed[target] = true }
    return !targets.isEmpty
  }

  /// Returns a warning for each comment that silenced nothing.
  /// - Parameters:
  ///   - note: A possible reason, as a note of the warning.
  ///   - isJudged: Whether a rule was run. If it was not, its comments may be of use in another run.
  package func unusedWarnings(
    note: String, isJudged: (_ rule: String, FileID) -> Bool = { _, _ in true }
  ) -> [Diagnostic] {
    comments.filter { isUsed[$0.target] != true && isJudged($0.target.rule, $0.range.file) }.map {
      Diagnostic(
        Self.unused, .warning, "nothing to allow: there is no `\($0.target.rule)` here", at: $0.range,
        advice: "remove it", notes: [note])
    }
  }

  /// Returns whether a text has the word that all these comments contain. Few texts have it, and the others need not be parsed.
  private static func mayHoldComments(_ bytes: [UInt8]) -> Bool {
    let word = Array("allow".utf8)
    guard bytes.count >= word.count else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      // The rarest letter comes last, and is looked for first. The bit makes small letters of capitals.
      (word.count - 1..<bytes.count).contains { end in
        bytes[end] | 0x20 == word[word.count - 1]
          && word.indices.allSatisfy { bytes[end + 1 - word.count + $0] | 0x20 == word[$0] }
      }
    }
  }
}

extension Explanation {
  /// The explanations of what may be wrong with comments that silence findings.
  package static let allowComments: [Explanation] = [
    Explanation(
      withoutExamples: AllowComments.malformed,
      """
      A comment that silences a finding of `dflatc check` or `dflatc lint` names a rule and a reason: `// dflatc:allow \
      field-type nothing was released with it`. It stands above the field, value, member, method or declaration that the \
      finding is in, whatever other comments stand between them, or at the end of its line. Before a type it speaks for all \
      that the type holds. For `check` it stands in the new version.

      It is a comment with two slashes: what stands in a doc comment or between `/*` and `*/` is not read, nor are other \
      spellings. Of those that name a rule, a warning tells.
      """),
    Explanation(
      withoutExamples: AllowComments.unused,
      """
      Nothing is found in what the comment speaks for that it could silence, so that it can go. For `dflatc check`, as a rule \
      the change that it allowed has been released since.
      """),
  ]
}

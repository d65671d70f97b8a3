/// The comments of schemas that silence findings: `// dflatc:allow RULE reason`, on a line of its own above the finding's line.
///
/// `dflatc check` and `dflatc lint` share them. Each judges the comments that name its own rules, and leaves the other's alone.
package struct AllowComments {
  /// The rules that comments may name.
  package struct Rules {
    /// The ids of the rules of the command that reads the comments.
    package let own: Set<String>
    /// The ids of the rules of other commands, whose comments are valid and are not judged.
    package let others: Set<String>

    /// Rules by their ids.
    package init(own: Set<String>, others: Set<String> = []) {
      self.own = own
      self.others = others
    }
  }

  /// One of them.
  private struct Comment {
    let rule: String
    /// The comment, from its slashes on.
    let range: SourceRange
    var isUsed = false
  }

  /// What is wrong with comments that cannot be read.
  package private(set) var diagnostics: [Diagnostic] = []
  private let rules: Rules
  private var comments: [Comment] = []
  private var tables: [FileID: LineTable] = [:]
  private var byPlace: [Place: [Int]] = [:]

  private struct Place: Hashable {
    let file: FileID
    let line: Int
  }

  /// A comment that cannot be read.
  package static let malformed = DiagnosticCode(
    "allow-malformed", "a comment that should silence a finding, and cannot be read")
  /// A comment that silences nothing.
  package static let unused = DiagnosticCode("allow-unused", "a comment that silences nothing")

  /// Reads the comments of files.
  package init(_ files: some Sequence<SourceFile>, rules: Rules) {
    self.rules = rules
    for file in files { read(file) }
  }

  private mutating func read(_ file: SourceFile) {
    let offsets = Self.occurrences(in: file.bytes)
    guard !offsets.isEmpty else { return }
    let table = LineTable(file.bytes)
    tables[file.id] = table
    let lines = Set(offsets.map { table.line(of: $0) }).sorted()
    // The line that the comments just above it speak for: those of one block share it, so that it is looked for once.
    var target = 0
    for line in lines {
      guard let comment = Self.comment(on: line, table, file.bytes) else { continue }
      let text = String(decoding: file.bytes[comment], as: UTF8.self).drop { $0 == "/" || $0.isWhitespace }
      guard text.hasPrefix(Self.mark) else { continue }
      let range = SourceRange(file: file.id, start: comment.lowerBound, end: comment.upperBound)
      let words = text.dropFirst(Self.mark.count).split(maxSplits: 1) { $0 == " " || $0 == "\t" }
      guard let rule = rule(words, range) else { continue }
      // Comments may stand above one another: all speak for what comes after the last.
      if target <= line {
        target = line + 1
        while target < table.starts.count, Self.comment(on: target, table, file.bytes) != nil { target += 1 }
      }
      byPlace[Place(file: file.id, line: target), default: []].append(comments.count)
      comments.append(Comment(rule: rule, range: range))
    }
  }

  /// The rule of this command that a comment names. What is wrong with the comment is reported.
  private mutating func rule(_ words: [Substring], _ range: SourceRange) -> String? {
    let example = "write `// dflatc:allow RULE reason`"
    guard let id = words.first.map(String.init) else {
      diagnostics.append(Diagnostic(Self.malformed, .error, "a rule is missing", at: range, advice: example))
      return nil
    }
    guard rules.own.contains(id) || rules.others.contains(id) else {
      // Sorted, since of equally near names the first is told.
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

  /// Whether a comment silences the finding of a rule; it is then used.
  package mutating func silences(_ rule: String, at range: SourceRange) -> Bool {
    guard let table = tables[range.file] else { return false }
    let place = Place(file: range.file, line: table.line(of: range.start))
    var isSilent = false
    for index in byPlace[place] ?? [] where comments[index].rule == rule {
      comments[index].isUsed = true
      isSilent = true
    }
    return isSilent
  }

  /// A warning for each comment that was of no use.
  /// - Parameters:
  ///   - note: Why that may be.
  ///   - isJudged: Whether a rule was run. If it was not, its comments may be of use in another run.
  package func unusedWarnings(note: String, isJudged: (String) -> Bool = { _ in true }) -> [Diagnostic] {
    comments.filter { !$0.isUsed && isJudged($0.rule) }.map {
      Diagnostic(
        Self.unused, .warning, "nothing to allow: there is no `\($0.rule)` on the next line", at: $0.range,
        advice: "remove it", notes: [note])
    }
  }

  // MARK: Text

  private static let mark = "dflatc:allow"

  /// The comment that a line consists of: not a doc comment, which is part of the schema.
  private static func comment(on line: Int, _ table: LineTable, _ bytes: [UInt8]) -> Range<Int>? {
    let range = table.range(ofLine: line, in: bytes)
    var start = range.lowerBound
    while start < range.upperBound, bytes[start] == UInt8(ascii: " ") || bytes[start] == UInt8(ascii: "\t") {
      start += 1
    }
    guard start + 1 < range.upperBound, bytes[start] == UInt8(ascii: "/"), bytes[start + 1] == UInt8(ascii: "/"),
      start + 2 == range.upperBound || bytes[start + 2] != UInt8(ascii: "/")
    else { return nil }
    return start..<range.upperBound
  }

  /// Where the mark stands.
  private static func occurrences(in bytes: [UInt8]) -> [Int] {
    let mark = Array(mark.utf8)
    guard bytes.count >= mark.count else { return [] }
    return bytes.withUnsafeBufferPointer { bytes in
      var found: [Int] = []
      var index = 6
      // The colon in the middle is rarer than any letter, and not rare: what is around it is looked at from the end.
      while index + 5 < bytes.count {
        if bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: "a"),
          (0..<mark.count).allSatisfy({ bytes[index - 6 + $0] == mark[$0] })
        {
          found.append(index - 6)
        }
        index += 1
      }
      return found
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
      field-type nothing was released with it`. It stands on a line of its own, above the line of the finding; for `check`, \
      in the new version.
      """),
    Explanation(
      withoutExamples: AllowComments.unused,
      """
      Nothing is found on the line below the comment that it could silence, so that it can go. For `dflatc check`, as a rule \
      the change that it allowed has been released since.
      """),
  ]
}

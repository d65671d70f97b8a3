import FBSDiagnostics
import FBSParser

/// The comments of NEW that silence findings: `// dflatc:allow RULE reason`, on a line of its own above the place.
struct AllowComments {
  /// One of them.
  struct Comment {
    let rule: EvolutionRule
    /// The comment, from its slashes on.
    let range: SourceRange
    /// The line, from 0, that it speaks for.
    let line: Int
    var isUsed = false
  }

  /// Those that could be read.
  private(set) var comments: [Comment] = []
  /// What is wrong with the others.
  private(set) var diagnostics: [Diagnostic] = []
  private var tables: [FileID: LineTable] = [:]
  private var byPlace: [Place: [Int]] = [:]

  private struct Place: Hashable {
    let file: FileID
    let line: Int
  }

  /// A comment that cannot be read.
  static let malformed = DiagnosticCode(
    "allow-malformed", "a comment that should silence a finding, and cannot be read")
  /// A comment that silences nothing.
  static let unused = DiagnosticCode("allow-unused", "a comment that silences nothing")

  init(_ sources: SourceMap) {
    for file in sources.files { read(file) }
  }

  private mutating func read(_ file: SourceFile) {
    let offsets = Self.occurrences(in: file.bytes)
    guard !offsets.isEmpty else { return }
    let table = LineTable(file.bytes)
    tables[file.id] = table
    let lines = Set(offsets.map { table.line(of: $0) })
    for line in lines.sorted() {
      guard let comment = Self.comment(on: line, table, file.bytes) else { continue }
      let text = String(decoding: file.bytes[comment], as: UTF8.self).drop { $0 == "/" || $0.isWhitespace }
      guard text.hasPrefix(Self.mark) else { continue }
      let range = SourceRange(file: file.id, start: comment.lowerBound, end: comment.upperBound)
      let words = text.dropFirst(Self.mark.count).split(maxSplits: 1) { $0 == " " || $0 == "\t" }
      guard let rule = rule(words, range) else { continue }
      // Comments may stand above one another: all speak for what comes after the last.
      var target = line + 1
      while target < table.starts.count, Self.comment(on: target, table, file.bytes) != nil { target += 1 }
      byPlace[Place(file: file.id, line: target), default: []].append(comments.count)
      comments.append(Comment(rule: rule, range: range, line: target))
    }
  }

  private mutating func rule(_ words: [Substring], _ range: SourceRange) -> EvolutionRule? {
    let example = "write `// dflatc:allow RULE reason`"
    guard let id = words.first.map(String.init) else {
      diagnostics.append(Diagnostic(Self.malformed, .error, "a rule is missing", at: range, advice: example))
      return nil
    }
    guard let rule = EvolutionRule.named(id) else {
      let nearest = nearestName(to: id, in: EvolutionRule.all.map(\.id))
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
    return rule
  }

  /// Whether a comment silences a finding; it is then used.
  mutating func silences(_ finding: Finding) -> Bool {
    guard let table = tables[finding.range.file] else { return false }
    let place = Place(file: finding.range.file, line: table.line(of: finding.range.start))
    var isSilent = false
    for index in byPlace[place] ?? [] where comments[index].rule == finding.rule {
      comments[index].isUsed = true
      isSilent = true
    }
    return isSilent
  }

  /// A warning for each comment that was of no use.
  func unusedWarnings() -> [Diagnostic] {
    comments.filter { !$0.isUsed }.map {
      Diagnostic(
        Self.unused, .warning, "nothing to allow: there is no `\($0.rule.id)` on the next line", at: $0.range,
        advice: "remove it", notes: ["what it allowed is in the old version, too, or stands elsewhere"])
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

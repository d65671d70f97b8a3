import Dflat
import Foundation

/// What every engine has to find by conditions on texts that are easily confused.
package enum TextConditionChecks {
  /// NUL, lone combining marks, code points without characters, the last one, and texts that are equal in Unicode alone.
  package static let texts = [
    "", "\0", "a\0b", "a\0c", "ab", "Ab", "é", "e\u{301}", "\u{301}", "\u{378}", "\u{378}x", "\u{7F}", "\u{80}", "ÿ",
    "Ā",
    "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "a\u{10FFFF}", "a\u{10FFFF}b", "b",
    "'%_\\[*?",
    "%", "_", "日本", "日本語",
  ]

  /// Things whose names and notes are the texts, with one more that has no note.
  package static var things: [Thing] {
    texts.enumerated().map { Thing(id: Int64($0), name: $1, note: $1) } + [Thing(id: -1, name: "none")]
  }

  /// A part of more than 1 MB.
  private static let longPart = (0..<170_000).map { "\($0)," }.joined()

  /// A text of more than 100 MB: the part, dashes, the part again and `end`.
  private static var longText: String { longPart + String(repeating: "-", count: 100_000_000) + longPart + "end" }

  /// Things of which the first has a text of more than 100 MB as its note.
  package static var longThings: [Thing] {
    [Thing(id: 1, note: longText), Thing(id: 2, note: "0,"), Thing(id: 3)]
  }

  /// What a workspace that stores the long things does not find as it should.
  package static func problemsOfLongTexts(in workspace: any Workspace) throws -> [String] {
    let things = workspace.fetch(for: Thing.self)
    let (note, part, text) = (Thing.note, longPart, longText)
    var problems: [String] = []
    func check(_ name: String, _ condition: QueryExpression<Bool, Thing>, _ ids: [Int64]) throws {
      let found = try things.throwing.where(condition).map(\.id)
      if found != ids { problems.append("\(name) finds \(found), not \(ids)") }
    }
    try check("a long prefix", note.hasPrefix(part), [1])
    try check("a short prefix", note.hasPrefix("0,"), [1, 2])
    try check("a long suffix", note.hasSuffix(part + "end"), [1])
    try check("a short suffix", note.hasSuffix(","), [2])
    try check("a long part", note.contains(part + "end"), [1])
    try check("an absent part", note.contains(part + "x"), [])
    try check("a short part", note.contains(",end"), [1])
    try check("a length", note.length > 2, [1])
    try check("a folded suffix", note.folded.hasSuffix(part + "END"), [1])
    try check("the whole text", note == text, [1])
    let notes = things.where(Thing.id == 1).map(\.note)
    // Compared as data: a debug build calls a function for each byte of 100 MB to compare two views of strings.
    let isWhole = notes.count == 1 && Data((notes[0] ?? "").utf8) == Data(text.utf8)
    if !isWhole { problems.append("the long text is not the one that was stored") }
    return problems
  }

  /// What a workspace that stores the things does not find as it should.
  package static func problems(in workspace: any Workspace) -> [String] {
    let things = workspace.fetch(for: Thing.self)
    var problems: [String] = []
    func check(_ condition: QueryExpression<Bool, Thing>, _ holds: (String) -> Bool) {
      let expected = texts.indices.filter { holds(texts[$0]) }.map(Int64.init)
      let found = things.where(condition && Thing.id >= 0).map(\.id)
      if found != expected { problems.append("\(condition._node) finds \(found), not \(expected)") }
      if things.count(where: condition && Thing.id >= 0) != expected.count {
        problems.append("\(condition._node) does not count \(expected.count)")
      }
    }
    for text in texts {
      let bytes = Array(text.utf8)
      let length = text.unicodeScalars.count
      let folded = Array(TextModel.folded(text, foldsDiacritics: true).utf8)
      func fold(_ text: String) -> [UInt8] { Array(TextModel.folded(text, foldsDiacritics: true).utf8) }
      for field in [Thing.note, Thing.name] {
        check(field.hasPrefix(text)) { $0.utf8.starts(with: bytes) }
        check(!field.hasPrefix(text)) { !$0.utf8.starts(with: bytes) }
        check(field.hasSuffix(text)) { $0.utf8.reversed().starts(with: bytes.reversed()) }
        check(field.contains(text)) { TextModel.contains($0, text) }
        check(field.length == length) { $0.unicodeScalars.count == length }
        check(field.folded == text) { fold($0) == folded }
        check(field.folded.hasPrefix(text)) { fold($0).starts(with: folded) }
        check(field.folded.in([text, "AB"])) { fold($0) == folded || fold($0) == Array("ab".utf8) }
      }
    }
    let inEachText = [
      Thing.note.hasPrefix(""), Thing.note.contains(""), Thing.note.folded == "", Thing.note.length >= 0,
    ]
    for condition in inEachText + [Thing.note.isEmpty] {
      if things.where(condition || !condition).map(\.id).contains(-1) { problems.append("\(condition._node) of NULL") }
      let nulls = things.where(condition.isNull).map(\.id)
      if nulls != [-1] { problems.append("\(condition._node) is NULL for \(nulls)") }
    }
    if things.where(Thing.note.isEmpty).map(\.id) != [0] { problems.append("isEmpty") }
    return problems
  }
}

import Dflat

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

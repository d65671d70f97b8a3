import FBSDiagnostics

extension LintRule {
  /// The rules for white space and line breaks. Each reports one finding per file at most: a file that breaks one tends
  /// to do so everywhere.
  static let layoutRules: [LintRule] = [finalLineBreak, trailingSpace, mixedIndentation, mixedLineEnds]

  static let finalLineBreak = LintRule(
    id: "final-line-break", group: .layout, isOn: true,
    summary: "a file whose last line is not ended, or is followed by empty ones",
    explanation: """
      A text file ends with one line break. Without it, the next line that is appended shows the last one as changed, too, \
      and tools that join files join two lines.

      `dflatc lint --fix` mends it, and `dflatc format` as well.
      """,
    reported: Example("table Post { title: string; }"),
    allowed: Example("table Post { title: string; }\n")
  ) { subject, findings in
    for file in subject.files {
      let lines = FileLines(file.source.bytes)
      guard let last = lines.lastFilled else { continue }
      let lineBreaks = lines.table.starts.count - 1 - last
      guard lineBreaks != 1 || lines.table.starts[last + 1] != file.source.bytes.count else { continue }
      // Trailing blanks are left to the next rule.
      let text = lines.blankStart(ofLine: last)
      let end = lines.table.range(ofLine: last, in: file.source.bytes).upperBound
      findings.report(
        lineBreaks == 0 ? "the last line has no line break" : "there are empty lines at the end of the file",
        at: file.range(text, text), advice: lineBreaks == 0 ? "end the line" : "end the file here",
        fixes: [
          .init(
            "End the file with one line break",
            [.init(file.range(end, file.source.bytes.count), lines.firstLineEnd.rawValue)])
        ])
    }
  }

  static let trailingSpace = LintRule(
    id: "trailing-space", group: .layout, isOn: true,
    summary: "blanks at the end of a line",
    explanation: """
      Nobody sees them, and they come and go with editors: so they show up as changes that change nothing. There is one \
      finding for a file, at the first such line.

      `dflatc lint --fix` takes them all away, and `dflatc format` as well.
      """,
    reported: Example("table Post {  \n  title: string;\n}\n"),
    allowed: Example("table Post {\n  title: string;\n}\n")
  ) { subject, findings in
    for file in subject.files {
      let lines = FileLines(file.source.bytes)
      var places: [SourceRange] = []
      // Empty lines at the end of the file are left to the rule above.
      for line in 0...(lines.lastFilled ?? 0) {
        let range = lines.table.range(ofLine: line, in: file.source.bytes)
        let start = lines.blankStart(ofLine: line)
        guard start < range.upperBound, !file.tree.isInsideToken(start) else { continue }
        places.append(file.range(start, range.upperBound))
      }
      guard let first = places.first else { continue }
      findings.report(
        "blanks stand at the end of \(places.count == 1 ? "a line" : "\(places.count) lines")", at: first,
        advice: "remove them", fixes: [.init("Remove blanks at line ends", places.map { .init($0, "") })])
    }
  }

  static let mixedIndentation = LintRule(
    id: "mixed-indentation", group: .layout, isOn: true,
    summary: "a file that is indented with tabs and with spaces",
    explanation: """
      Editors show a tab as wide as they like, so that what is aligned in one is not in another. Use one of the two in a \
      file. `dflatc format` lays schemas out with spaces. There is one finding for a file.
      """,
    reported: Example("table Post {\n  title: string;\n\tlikes: int;\n}\n"),
    allowed: Example("table Post {\n  title: string;\n  likes: int;\n}\n")
  ) { subject, findings in
    for file in subject.files {
      let bytes = file.source.bytes
      var tab: Int?
      var space: Int?
      // Only lines that begin with a token: comments may align text as they like.
      for token in file.tree.tokens where token.kind != .endOfFile {
        var start = Int(token.start)
        while start > 0, bytes[start - 1] == FileLines.blank || bytes[start - 1] == FileLines.tab { start -= 1 }
        guard start < Int(token.start), start == 0 || bytes[start - 1].endsLine else { continue }
        for offset in start..<Int(token.start) {
          if bytes[offset] == FileLines.tab { tab = tab ?? offset } else { space = space ?? offset }
        }
        if tab != nil && space != nil { break }
      }
      guard let tab, let space else { continue }
      let (first, second) = (min(tab, space), max(tab, space))
      findings.report(
        "the file is indented with tabs and with spaces", at: file.range(second, second + 1),
        advice: "use \(second == tab ? "spaces" : "tabs") here, too",
        labels: [.init(file.range(first, first + 1), "\(first == tab ? "tabs" : "spaces") here")])
    }
  }

  static let mixedLineEnds = LintRule(
    id: "mixed-line-ends", group: .layout, isOn: true,
    summary: "a file some of whose lines end with CR LF, and some with LF",
    explanation: """
      Lines that end in two ways come of editing on several systems, and make every line look changed once an editor settles \
      on one. Use one in a file. There is one finding for a file.

      `dflatc lint --fix` ends all lines as the first one ends, and `dflatc format` as well.
      """,
    reported: Example("table Post {\r\n  title: string;\n}\r\n"),
    allowed: Example("table Post {\n  title: string;\n}\n")
  ) { subject, findings in
    for file in subject.files {
      let lines = FileLines(file.source.bytes)
      let others = (0..<(lines.table.starts.count - 1)).filter { lines.lineEnd(of: $0) != lines.firstLineEnd }
      guard let first = others.first else { continue }
      let edits = others.map { line in
        let end = lines.table.range(ofLine: line, in: file.source.bytes).upperBound
        return Diagnostic.Edit(file.range(end, lines.table.starts[line + 1]), lines.firstLineEnd.rawValue)
      }
      findings.report(
        "the line ends with \(lines.lineEnd(of: first)), and those before it with \(lines.firstLineEnd)",
        at: file.range(edits[0].range.start, edits[0].range.start), advice: "end all lines alike",
        fixes: [.init("End all lines with \(lines.firstLineEnd)", edits)])
    }
  }
}

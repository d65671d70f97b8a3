/// The source text of a manual page, in the macros of man(7).
struct Roff {
  private(set) var text = ""
  private var isSectionEmpty = false

  /// Writes a macro with its arguments, which are escaped.
  mutating func request(_ macro: String, _ arguments: String...) {
    text += macro + arguments.map { " \"\(Self.escaped($0))\"" }.joined() + "\n"
  }

  mutating func section(_ title: String) {
    request(".SH", title)
    isSectionEmpty = true
  }

  /// Writes running text, in lines of less than 80 bytes, as mandoc's lint asks for.
  mutating func running(_ words: String) {
    var line = ""
    for word in words.split(separator: " ") {
      if !line.isEmpty, Self.escaped(line + word).utf8.count > 77 {
        self.line(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    self.line(line)
  }

  private mutating func line(_ line: String) {
    // A dot would begin a macro; an apostrophe, which would too, is escaped.
    text += (line.hasPrefix(".") ? "\\&" : "") + Self.escaped(line) + "\n"
  }

  mutating func paragraph(_ words: String) {
    beginParagraph()
    running(words)
  }

  /// Writes lines that are not filled.
  mutating func literal(_ lines: [String]) {
    text += ".nf\n"
    for code in lines { line(code) }
    text += ".fi\n"
  }

  /// Begins a paragraph. Writes no macro for the first paragraph of a section.
  private mutating func beginParagraph() {
    if !isSectionEmpty { text += ".PP\n" }
    isSectionEmpty = false
  }

  /// Writes an entry of a list of terms.
  mutating func entry(bold term: String, _ meaning: String) {
    text += ".TP\n"
    text += "\\fB\(Self.escaped(term))\\fR\n"
    running(meaning)
  }

  /// Writes all blocks of a command's discussion. The list is empty afterwards.
  mutating func blocks(_ blocks: inout ArraySlice<DiscussionBlock>) {
    while let block = blocks.popFirst() {
      switch block {
      case .heading(let title): section(title)
      case .paragraph(let words): paragraph(words)
      case .term(let term, let meaning): entry(bold: term, meaning)
      case .bullet(let words):
        text += ".IP \\(bu 2\n"
        running(words)
      case .literal(let lines):
        beginParagraph()
        text += ".RS 4\n"
        literal(lines)
        text += ".RE\n"
      }
    }
  }

  /// Writes an argument or option: its names and value, what it does, its values and its default.
  mutating func argument(_ argument: CommandDescription.Argument) {
    let value = argument.kind == "flag" ? nil : argument.valueName.map { "\\fI\(Self.escaped($0))\\fR" }
    let names = (argument.names ?? []).sorted { $0.typed.count < $1.typed.count }
      .map { "\\fB\(Self.escaped($0.typed))\\fR" }
    text += ".TP\n"
    text += ([names.joined(separator: ", ")] + [value].compactMap(\.self)).filter { !$0.isEmpty }.joined(separator: " ")
    text += argument.kind == "positional" && argument.isRepeating ? " ...\n" : "\n"
    running(argument.abstract ?? "")
    var facts: [String] = []
    if let values = argument.allValues, !values.isEmpty {
      facts.append("Values: " + values.joined(separator: ", ") + ".")
    }
    if let value = argument.defaultValue { facts.append("Default: \(value).") }
    if !facts.isEmpty { running(facts.joined(separator: " ")) }
  }

  /// Returns text in which no character has a meaning for roff. Hyphens stay ASCII, so that options can be copied.
  private static func escaped(_ text: String) -> String {
    let escapes: [Character: String] = [
      "\\": "\\(rs", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
    ]
    return String(text.flatMap { escapes[$0] ?? String($0) })
  }
}

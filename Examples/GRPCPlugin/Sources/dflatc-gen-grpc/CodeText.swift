/// Swift text that is written line by line.
struct CodeText {
  private(set) var text = ""
  private var depth = 0

  /// Writes lines at the present indentation.
  mutating func lines(_ lines: String) {
    for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
      text += line.isEmpty ? "\n" : String(repeating: "  ", count: depth) + line + "\n"
    }
  }

  /// Writes `head {`, then what `body` writes one step further in, then `}`.
  mutating func block(_ head: String, _ body: (inout CodeText) -> Void) {
    lines(head + " {")
    depth += 1
    body(&self)
    depth -= 1
    lines("}")
  }

  /// Writes a doc comment: the schema's own, or else `otherwise`.
  mutating func documentation(_ documentation: [String], otherwise: String) {
    let own = documentation.flatMap { $0.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) }
    for line in own.isEmpty ? [otherwise[...]] : own {
      let separator = line.isEmpty || line.first == " " ? "" : " "
      lines("///" + separator + line)
    }
  }

  /// Writes what stands in a namespace, as an extension of it.
  mutating func scope(_ scope: String?, _ body: (inout CodeText) -> Void) {
    if let scope { block("extension \(scope)", body) } else { body(&self) }
  }
}

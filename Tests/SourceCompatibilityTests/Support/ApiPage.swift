import Foundation

/// The page that lists the API of Dflat 0.6, with a row for each declaration, or for a few that belong together.
struct ApiPage {
  enum Status: String, CaseIterable {
    case same
    case anotherSpelling = "another spelling"
    case notThereYet = "not there yet"
    case gone
  }

  struct Row {
    var line: Int
    var declarations: [String]
    var status: Status
    /// The code in the third cell.
    var snippets: [String]
    /// The third cell.
    var text: String
  }

  struct Mistake: Error, CustomStringConvertible {
    var line: Int
    var description: String
  }

  let text: String
  var rows: [Row] = []

  /// - Throws: `Mistake` for a line that begins like a row and is none: no row is passed over.
  init(_ text: String) throws {
    self.text = text
    var isInTable = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.contains("|") else {
        isInTable = false
        continue
      }
      if !isInTable, line == "| Dflat 0.6 | here | as an app writes it |" {
        isInTable = true
      } else if line != "|---|---|---|" {
        guard isInTable else { throw Mistake(line: index + 1, description: "a row outside of a table: \(line)") }
        rows.append(try ApiPage.row(line, at: index + 1))
      }
    }
  }

  /// The cells of a line of a table, and what stands before and behind it.
  static func cells(of line: some StringProtocol) -> [String] {
    line.replacingOccurrences(of: "\\|", with: "\u{0}").components(separatedBy: "|").map {
      $0.replacingOccurrences(of: "\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
    }
  }

  private static func row(_ line: Substring, at number: Int) throws -> Row {
    let cells = cells(of: line)
    guard cells.count == 5, cells[0].isEmpty, cells[4].isEmpty else {
      throw Mistake(line: number, description: "a row needs three cells: \(line)")
    }
    guard let status = Status(rawValue: cells[2]) else {
      throw Mistake(line: number, description: "no status: \(cells[2])")
    }
    let declarations = try code(in: cells[1], at: number)
    guard !declarations.isEmpty else { throw Mistake(line: number, description: "no declaration: \(line)") }
    return Row(
      line: number, declarations: declarations, status: status, snippets: try code(in: cells[3], at: number),
      text: cells[3])
  }

  static func code(in cell: String, at line: Int) throws -> [String] {
    let parts = cell.components(separatedBy: "`")
    guard parts.count % 2 == 1 else { throw Mistake(line: line, description: "an open code span: \(cell)") }
    return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
  }

  /// The sentence at the top of the page.
  var summary: String {
    let count = Dictionary(grouping: rows, by: \.status).mapValues { $0.reduce(0) { $0 + $1.declarations.count } }
    let counts = Status.allCases.map { count[$0] ?? 0 }
    return
      "Of \(counts.reduce(0, +)) declarations, \(counts[0]) are the same here, \(counts[1]) have another spelling, "
      + "\(counts[2]) are not there yet, and \(counts[3]) are gone."
  }
}

/// A declaration as the page names it: `Type.member(label:)`, `L == R`, `!L` or `import Module`.
struct ApiDeclaration {
  /// The type with the types around it; empty for what stands by itself.
  var container = ""
  /// The last name, such as `member`, or the characters of an operator.
  var name: String
  var labels: [String] = []
  var isAsync = false

  init?(_ text: String) {
    var text = text[...]
    if text.hasSuffix(" async") {
      isAsync = true
      text = text.dropLast(" async".count)
    }
    for prefix in ["import ", "static "] where text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
    let words = text.split(separator: " ")
    if words.count == 3, words[1].allSatisfy({ !$0.isLetter && !$0.isNumber }) {
      name = String(words[1])
      return
    }
    if text.hasPrefix("!") {
      name = "!"
      return
    }
    let parts = text.split(separator: "(", omittingEmptySubsequences: false)
    let path = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let last = path.last,
      path.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } })
    else { return nil }
    if parts.count == 2 {
      guard parts[1].hasSuffix(")"), parts[1] == ")" || parts[1].hasSuffix(":)") else { return nil }
      labels = parts[1].dropLast().split(separator: ":").map(String.init)
    }
    container = path.dropLast().joined(separator: ".")
    name = String(last)
    hasParentheses = parts.count == 2
  }

  private var hasParentheses = false

  /// The member's name with its labels, as in `PublicNames`.
  var member: String { name + (hasParentheses ? "(" + labels.map { $0 + ":" }.joined() + ")" : "") }

  /// Whether `snippet` can be a use: it has the name and every label.
  func isUsed(in snippet: SwiftTokens) -> Bool {
    let used =
      switch name {
      case "init": String(container.split(separator: ".").last ?? "")
      case "subscript": "["
      default: name
      }
    return snippet.contains(SwiftTokens(used)) && (!isAsync || snippet.contains(SwiftTokens("await")))
      && labels.allSatisfy { $0 == "_" || snippet.contains(SwiftTokens($0 + ":")) }
  }
}

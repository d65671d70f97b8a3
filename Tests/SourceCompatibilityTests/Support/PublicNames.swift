import Foundation

/// The public declarations of Swift files that are laid out by swift-format: two spaces for each level.
struct PublicNames {
  /// Types by their names, such as `SQLiteWorkspace.Synchronous`, with their members, such as `init(rawValue:)` and `name`.
  private(set) var members: [String: Set<String>] = [:]
  private var aliases: [String: String] = [:]

  /// Whether the type `container`, or the program if it is empty, has a public `member`.
  func contains(_ member: String, in container: String) -> Bool {
    let type = aliases[container] ?? container
    return members[type]?.contains(member) == true
  }

  mutating func add(_ code: String) {
    var types: [(name: String, indentation: Int, isProtocol: Bool, isVisible: Bool)] = []
    let lines = code.components(separatedBy: "\n")
    /// How many `#if` a line stands in, each of which takes a level.
    var conditions = 0
    for (index, line) in lines.enumerated() {
      let spaces = line.prefix { $0 == " " }
      switch line.dropFirst(spaces.count).prefix(while: { $0 != " " }) {
      case "#if": conditions += 1
      case "#endif": conditions -= 1
      default: break
      }
      let indentation = spaces.count - 2 * conditions
      let words = line.split { $0 == " " || $0 == "{" || $0 == ":" || $0 == "<" || $0 == "=" }.map(String.init)
      if words.isEmpty || words[0].hasPrefix("//") || words[0].hasPrefix("@") && words.count == 1 { continue }
      while let last = types.last, indentation <= last.indentation { types.removeLast() }
      guard let keyword = words.firstIndex(where: { PublicNames.keywords.contains($0.prefix { $0.isLetter } + "") }),
        indentation == (types.last?.indentation ?? -2) + 2
      else { continue }
      let isVisible =
        words.contains("public") || words.contains("open") || words[keyword] == "extension"
        || types.last.map { $0.isVisible && ($0.isProtocol || words[keyword] == "case") } == true
      let around = types.last?.name ?? ""
      let kind = words[keyword].prefix { $0.isLetter }
      if PublicNames.typeKeywords.contains(String(kind)), keyword + 1 < words.count {
        let name = words[keyword + 1]
        if isVisible, kind != "extension" { members[around, default: []].insert(name) }
        if kind != "typealias" {
          let path = around.isEmpty ? name : around + "." + name
          types.append((path, indentation, kind == "protocol", isVisible))
        } else if let equal = line.range(of: " = ") {
          aliases[name] = String(line[equal.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        }
      } else if isVisible {
        let text = lines[index...].prefix(20).joined(separator: " ")
        for member in PublicNames.members(in: text, after: String(kind)) {
          members[around, default: []].insert(member)
        }
      }
    }
  }

  private static let typeKeywords: Set<String> = [
    "class", "struct", "enum", "protocol", "extension", "actor", "typealias", "associatedtype",
  ]
  private static let keywords = typeKeywords.union(["func", "var", "let", "case", "init", "subscript"])

  /// The names that the declaration with `keyword` at the start of `text` declares: several only for `case`.
  private static func members(in text: String, after keyword: String) -> [String] {
    guard let start = text.range(of: keyword) else { return [] }
    let rest = text[start.upperBound...].drop { $0 == " " || $0 == "`" }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let tail = rest[name.endIndex...]
    switch keyword {
    case "init", "subscript": return [keyword + labels(in: rest, of: keyword)]
    case "func": return [name + labels(in: tail, of: keyword)]
    case "case" where tail.first == "(": return [name + labels(in: tail, of: keyword)]
    case "case":
      // `case a, b`
      let line = rest.components(separatedBy: "  ")[0]
      return line.components(separatedBy: ", ").map { String($0.prefix { $0.isLetter || $0.isNumber }) }
    default: return [String(name)]
    }
  }

  /// The labels of the parameters in the first parentheses, such as `(_:limit:)`.
  private static func labels(in text: Substring, of keyword: String) -> String {
    let labels = parameters(in: text).map { parameter in
      let parts = parameter.split(separator: ":", maxSplits: 1)
      let words = parts[0].split { $0.isWhitespace || $0 == "`" }
      let isUnnamed = keyword == "subscript" && words.count == 1 || keyword == "case" && parts.count == 1
      return (isUnnamed ? "_" : String(words.first ?? "_")) + ":"
    }
    return "(" + labels.joined() + ")"
  }

  private static func parameters(in text: Substring) -> [Substring] {
    guard let open = text.firstIndex(of: "(") else { return [] }
    var parameters: [Substring] = []
    var depth = 0
    var start = text.index(after: open)
    for index in text[start...].indices {
      switch text[index] {
      case "(", "[", "<", "{": depth += 1
      case ")" where depth == 0:
        return start == index ? parameters : parameters + [text[start..<index]]
      case ")", "]", "}": depth -= 1
      case ">" where text[text.index(before: index)] != "-": depth -= 1
      case "," where depth == 0:
        parameters.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    return parameters
  }
}

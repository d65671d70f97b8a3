import FBSDiagnostics
import SchemaEvolution
import SchemaLinting

/// Reads the entries of `programs`.
extension ConfigurationReader {
  mutating func programs(_ value: PlacedJSON, _ folder: String) -> [RuleProgram] {
    elements("programs", value, Self.programExample).compactMap { program($0, folder) }
  }

  private mutating func program(_ element: PlacedJSON, _ folder: String) -> RuleProgram? {
    guard let members = object("an entry of `programs`", element, Self.programExample) else { return nil }
    var (name, parameter) = (String?.none, "")
    var path: (text: String, place: PlacedJSON)?
    var timeout = 60
    var rules: [String: RuleProgram.Setting] = [:]
    let before = diagnostics.count
    for (key, value) in members {
      switch key.string ?? "" {
      case "name": name = string("name", value, "write what findings call the program")
      case "path": path = string("path", value, "write the path of an executable file").map { ($0, value) }
      case "parameter": parameter = string("parameter", value, "write what the program is handed on") ?? ""
      case "timeout":
        guard let seconds = value.number, (1...86_400).contains(seconds) else {
          wrong("\"timeout\" should be 1 to 86400 seconds", value, "write a number")
          continue
        }
        timeout = seconds
      case "rules": rules = programRules(value)
      default: unknown(key, among: ["name", "path", "parameter", "timeout", "rules"], nil)
      }
    }
    guard diagnostics.count == before else { return nil }
    guard let name, let path, !rules.isEmpty else {
      let missing = name == nil ? "name" : path == nil ? "path" : "rules"
      wrong("an entry of `programs` has no \"\(missing)\"", element, "add it", [Self.programExample])
      return nil
    }
    var own = SourceMap()
    let file = sources[path.place.range.file]
    let id = own.add(path: file.path, bytes: file.bytes)
    return RuleProgram(
      name: name, path: Self.path(path.text, in: folder), parameter: parameter, timeout: timeout, rules: rules,
      sources: own, place: SourceRange(file: id, start: path.place.range.start, end: path.place.range.end))
  }

  private mutating func programRules(_ value: PlacedJSON) -> [String: RuleProgram.Setting] {
    var rules: [String: RuleProgram.Setting] = [:]
    for (key, value) in object("\"rules\"", value, Self.programExample) ?? [] {
      let id = key.string ?? ""
      guard !id.isEmpty, id.utf8.allSatisfy(Self.isPartOfID) else {
        wrong("a rule's id has small letters, digits and -, as `\(id)` has not", key, "call it otherwise")
        continue
      }
      guard EvolutionRule.named(id) == nil, LintRule.named(id) == nil, LintRule.Group(rawValue: id) == nil else {
        wrong("`\(id)` is a rule of dflatc itself", key, "call it otherwise")
        continue
      }
      self.programRules.insert(id)
      if value.string == "off" {
        rules[id] = .some(nil)
      } else if let severity = value.string.flatMap(Severity.init) {
        rules[id] = severity
      } else {
        wrong("\"\(id)\" should be \"error\", \"warning\", \"note\" or \"off\"", value, "write one of them")
      }
    }
    return rules
  }

  private static func isPartOfID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private static let programExample =
    #"such as { "name": "acme", "path": "tools/acme-rules", "rules": { "acme-owner": "error" } }"#
}

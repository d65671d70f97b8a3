import Foundation

/// What the published schema of SARIF 2.1.0 says about the objects that we write: which members they may have, which they
/// must have, and of what type. No member that is not listed may stand in them.
package indirect enum SARIFRule: Sendable {
  case string
  /// A string that is not empty.
  case text
  case uri
  /// A whole number, not below a limit.
  case integer(Int)
  case oneOf([String])
  case list(SARIFRule, minimum: Int = 0, isUnique: Bool = false)
  case object([String: SARIFRule], required: [String] = [])
  /// An object of one of two forms: with either of these members at least.
  case any(of: [String], SARIFRule)

  static let message = SARIFRule.any(
    of: ["text", "id"],
    .object([
      "text": .string, "markdown": .string, "id": .string, "arguments": .list(.string),
    ]))
  static let multiformatMessage = SARIFRule.object(["text": .string, "markdown": .string], required: ["text"])
  static let artifactLocation = SARIFRule.object(["uri": .uri, "uriBaseId": .string, "index": .integer(-1)])
  static let region = SARIFRule.object([
    "startLine": .integer(1), "startColumn": .integer(1), "endLine": .integer(1), "endColumn": .integer(1),
    "charOffset": .integer(-1), "charLength": .integer(0), "byteOffset": .integer(-1), "byteLength": .integer(0),
  ])
  static let location = SARIFRule.object([
    "id": .integer(-1), "message": message,
    "physicalLocation": .any(
      of: ["artifactLocation", "address"], .object(["artifactLocation": artifactLocation, "region": region])),
  ])
  static let replacement = SARIFRule.object(
    ["deletedRegion": region, "insertedContent": .object(["text": .string, "binary": .string])],
    required: ["deletedRegion"])
  static let artifactChange = SARIFRule.object(
    ["artifactLocation": artifactLocation, "replacements": .list(replacement, minimum: 1)],
    required: ["artifactLocation", "replacements"])
  static let fix = SARIFRule.object(
    ["description": message, "artifactChanges": .list(artifactChange, minimum: 1, isUnique: true)],
    required: ["artifactChanges"])
  static let result = SARIFRule.object(
    [
      "ruleId": .string, "ruleIndex": .integer(-1), "level": .oneOf(["none", "note", "warning", "error"]),
      "message": message, "locations": .list(location), "relatedLocations": .list(location, isUnique: true),
      "fixes": .list(fix, isUnique: true),
    ], required: ["message"])
  static let rule = SARIFRule.object(
    [
      "id": .string, "name": .string, "shortDescription": multiformatMessage, "fullDescription": multiformatMessage,
      "help": multiformatMessage, "helpUri": .uri,
    ], required: ["id"])
  static let tool = SARIFRule.object(
    [
      "driver": .object(
        [
          "name": .string, "version": .string, "informationUri": .uri, "rules": .list(rule, isUnique: true),
        ], required: ["name"])
    ], required: ["driver"])
  static let run = SARIFRule.object(
    [
      "tool": tool, "results": .list(result), "columnKind": .oneOf(["utf16CodeUnits", "unicodeCodePoints"]),
      "newlineSequences": .list(.text, minimum: 1, isUnique: true),
    ], required: ["tool"])
  package static let log = SARIFRule.object(
    ["$schema": .uri, "version": .oneOf(["2.1.0"]), "runs": .list(run)], required: ["version", "runs"])

  /// What breaks the rule, each with where it stands.
  package func violations(in value: Any, at path: String = "$") -> [String] {
    switch self {
    case .string:
      return value is String ? [] : ["\(path) is no string"]
    case .text:
      return (value as? String)?.isEmpty == false ? [] : ["\(path) is no text"]
    case .uri:
      let isWell = (value as? String).map {
        !$0.isEmpty && $0.utf8.allSatisfy(Self.isURIByte) && URL(string: $0) != nil
      }
      return isWell == true ? [] : ["\(path) is no URI"]
    case .integer(let least):
      guard let number = value as? NSNumber, let integer = value as? Int, number.doubleValue == Double(integer) else {
        return ["\(path) is no whole number"]
      }
      return integer >= least ? [] : ["\(path) is less than \(least)"]
    case .oneOf(let choices):
      return (value as? String).map { choices.contains($0) } == true ? [] : ["\(path) is none of \(choices)"]
    case .list(let element, let minimum, let isUnique):
      guard let values = value as? [Any] else { return ["\(path) is no array"] }
      var found = values.count < minimum ? ["\(path) has too few entries"] : []
      if isUnique, Set(values.map { "\($0)" }).count < values.count { found.append("\(path) has an entry twice") }
      for (index, value) in values.enumerated() { found += element.violations(in: value, at: "\(path)[\(index)]") }
      return found
    case .any(let choices, let rule):
      let members = (value as? [String: Any])?.keys.map { $0 } ?? []
      return (choices.contains { members.contains($0) } ? [] : ["\(path) has none of \(choices)"])
        + rule.violations(in: value, at: path)
    case .object(let rules, let required):
      guard let members = value as? [String: Any] else { return ["\(path) is no object"] }
      var found = required.filter { members[$0] == nil }.map { "\(path) has no \($0)" }
      for (name, value) in members {
        guard let rule = rules[name] else {
          found.append("\(path) has \(name), which the schema does not know")
          continue
        }
        found += rule.violations(in: value, at: "\(path).\(name)")
      }
      return found
    }
  }

  private static func isURIByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
  }
}

import FBSDiagnostics
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting

/// Reads each kind of value, and reports a value of another kind.
extension ConfigurationReader {
  static func path(_ text: String, in folder: String) -> String {
    guard !text.hasPrefix("/") else { return text }
    return IncludedPath(folder.isEmpty ? text : folder + "/" + text).text
  }

  mutating func wrong(_ message: String, _ value: PlacedJSON, _ advice: String, _ notes: [String] = []) {
    diagnostics.append(
      Diagnostic(OptionsCode.wrongValue, .error, message, at: value.range, advice: advice, notes: notes))
  }

  mutating func unknown(_ key: PlacedJSON, among names: [String], _ hint: String?) {
    let name = key.string ?? ""
    let advice = hint ?? nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" } ?? "remove it"
    diagnostics.append(
      Diagnostic(
        OptionsCode.unknownOption, .error, "there is no setting \"\(name)\"", at: key.range, advice: advice,
        notes: ["there are: \(names.joined(separator: ", "))"]))
  }

  /// Returns the members of an object, each key once. Reports any other value, and returns nil.
  /// - Parameters:
  ///   - subject: The value, as the message names it.
  ///   - example: A configuration with a right value, for a note.
  mutating func object(
    _ subject: String, _ value: PlacedJSON, _ example: String
  ) -> [(key: PlacedJSON, value: PlacedJSON)]? {
    guard case .object(let members) = value.value else {
      wrong("\(subject) should be an object", value, "write an object", [example])
      return nil
    }
    var known: [String: PlacedJSON] = [:]
    return members.filter { key, _ in
      guard let first = known.updateValue(key, forKey: key.string ?? "") else { return true }
      diagnostics.append(
        Diagnostic(
          OptionsCode.unknownOption, .error, "\"\(key.string ?? "")\" is given twice", at: key.range,
          advice: "keep one of them", labels: [.init(first.range, "first given here")]))
      return false
    }
  }

  /// Returns the elements of an array. Reports any other value, and returns none.
  /// - Parameters:
  ///   - name: The name of the setting.
  ///   - example: A configuration with a right value, for a note.
  mutating func elements(_ name: String, _ value: PlacedJSON, _ example: String) -> [PlacedJSON] {
    if case .array(let elements) = value.value { return elements }
    wrong("\"\(name)\" should be an array", value, "write entries in [ ]", [example])
    return []
  }

  /// Returns the strings of an array, each with its element. Reports any other value, and returns nil.
  /// - Parameter name: The name of the setting.
  mutating func strings(_ name: String, _ value: PlacedJSON) -> [(text: String, element: PlacedJSON)]? {
    var other: PlacedJSON? = value
    if case .array(let elements) = value.value {
      other = elements.first { $0.string?.isEmpty != false }
      if other == nil { return elements.map { ($0.string ?? "", $0) } }
    }
    wrong("\"\(name)\" should be an array of strings", other ?? value, "write strings in [ ]", [Self.example])
    return nil
  }

  /// Returns a string that is not empty. Reports anything else, and returns nil.
  /// - Parameters:
  ///   - name: The name of the setting.
  ///   - advice: What to write, for the diagnostic.
  mutating func string(_ name: String, _ value: PlacedJSON, _ advice: String) -> String? {
    if let text = value.string, !text.isEmpty { return text }
    wrong("\"\(name)\" should be a string", value, advice)
    return nil
  }

  mutating func scope(_ name: String, _ value: PlacedJSON, _ folder: String) -> PathScope? {
    guard let entries = strings(name, value) else { return nil }
    return PathScope(
      folder: AbsolutePath(folder), patterns: entries.compactMap { pattern($0.text, $0.element, folder) })
  }

  /// Returns a pattern of a configuration in a folder. Reports an absolute path outside of the folder, and returns nil.
  /// - Parameters:
  ///   - text: The pattern as it is written.
  ///   - element: The value in the configuration that holds it, for the diagnostic.
  ///   - folder: The folder of the configuration.
  mutating func pattern(_ text: String, _ element: PlacedJSON, _ folder: String) -> PathPattern? {
    if let pattern = PathPattern(text, in: folder) { return pattern }
    wrong(
      "\(text) is an absolute path, and not below the folder of this file", element,
      "write \".\(text)\" for a path that starts at this folder")
    return nil
  }

  // MARK: Rules

  static let checkExample = #"{ "rules": { "field-renamed": "off" } }"#
  static let lintExample = #"{ "lint": { "rules": { "docs": "on", "type-case": "off" } } }"#

  /// An id that is none of the rules of a command.
  struct UnknownRule {
    let id: String
    let place: PlacedJSON
    /// Whether the place takes rules of programs: where those of `dflatc check` stand, and not where those of `dflatc lint` do.
    let mayBeOfProgram: Bool
  }

  /// Keeps an id for `report`, until all programs are known.
  mutating func noteUnknownRule(_ id: String, _ place: PlacedJSON, mayBeOfProgram: Bool) {
    unknownRules.append(UnknownRule(id: id, place: place, mayBeOfProgram: mayBeOfProgram))
  }

  mutating func report(_ rule: UnknownRule) {
    let id = rule.id
    let ids =
      rule.mayBeOfProgram
      ? EvolutionRule.all.map(\.id) + programRules.sorted()
      : LintRule.all.map(\.id) + LintRule.Group.allCases.map(\.rawValue)
    var advice = nearestName(to: id, in: ids).map { "did you mean \"\($0)\"?" } ?? "remove it"
    if rule.mayBeOfProgram, LintRule.named(id) != nil {
      advice = "rules of `dflatc lint` stand in \"rules\" of \"lint\", as in \(Self.lintExample)"
    } else if EvolutionRule.named(id) != nil {
      advice = "rules of `dflatc check` stand in \"rules\", as in \(Self.checkExample)"
    } else if programRules.contains(id) {
      advice = "rules of programs stand in \"rules\", as in \(Self.checkExample)"
    }
    diagnostics.append(
      Diagnostic(OptionsCode.wrongValue, .error, "there is no rule \"\(id)\"", at: rule.place.range, advice: advice))
  }

  mutating func checkRules(_ value: PlacedJSON) -> [String: EvolutionReport.Setting] {
    var settings: [String: EvolutionReport.Setting] = [:]
    for (key, value) in object("\"rules\"", value, "such as in \(Self.checkExample)") ?? [] {
      let id = key.string ?? ""
      if EvolutionRule.named(id) == nil { noteUnknownRule(id, key, mayBeOfProgram: true) }
      if value.string == "off" {
        settings[id] = .off
      } else if let severity = value.string.flatMap(Severity.init) {
        settings[id] = .severity(severity)
      } else {
        wrong(
          "\"\(id)\" should be \"error\", \"warning\", \"note\" or \"off\"", value, "write one of them")
      }
    }
    return settings
  }

  mutating func lintSettings(_ value: PlacedJSON) -> [TeamConfiguration.RuleSettings.LintSetting] {
    var settings: [TeamConfiguration.RuleSettings.LintSetting] = []
    for (key, value) in object("\"lint\"", value, "such as in \(Self.lintExample)") ?? [] {
      switch key.string ?? "" {
      case "fieldCase":
        if let fieldCase = value.string.flatMap(LintConfiguration.FieldCase.init) {
          settings.append(.fieldCase(fieldCase))
        } else {
          let cases = LintConfiguration.FieldCase.allCases.map { "\"\($0.rawValue)\"" }
          wrong("\"fieldCase\" should be \(cases.joined(separator: " or "))", value, "write one of them")
        }
      case "rules":
        for (key, value) in object("\"rules\"", value, "such as in \(Self.lintExample)") ?? [] {
          if let setting = lintRule(key, value) { settings.append(setting) }
        }
      case let name:
        unknown(
          key, among: ["fieldCase", "rules"],
          LintRule.named(name) != nil || LintRule.Group(rawValue: name) != nil
            ? "rules of `dflatc lint` stand in \"rules\" of \"lint\", as in \(Self.lintExample)" : nil)
      }
    }
    return settings
  }

  private mutating func lintRule(
    _ key: PlacedJSON, _ value: PlacedJSON
  ) -> TeamConfiguration.RuleSettings.LintSetting? {
    let id = key.string ?? ""
    let (rule, group) = (LintRule.named(id), LintRule.Group(rawValue: id))
    guard rule != nil || group != nil else {
      noteUnknownRule(id, key, mayBeOfProgram: false)
      return nil
    }
    let setting: LintConfiguration.Setting
    switch value.string {
    case "on": setting = .on
    case "off": setting = .off
    case let text:
      guard let severity = text.flatMap(Severity.init) else {
        wrong("\"\(id)\" should be \"on\", \"error\", \"warning\", \"note\" or \"off\"", value, "write one of them")
        return nil
      }
      setting = .severity(severity)
    }
    return rule.map { .rule($0, setting) } ?? group.map { .group($0, setting) }
  }
}

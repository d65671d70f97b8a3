import FBSDiagnostics
import FBSParser
import Foundation
import SchemaEvolution
import SchemaLinting

/// A team's configuration of the rules of `dflatc check` and `dflatc lint`: `.dflatc.json`.
struct RuleConfiguration {
  /// The reason why a configuration cannot be used.
  struct Failure: Error {
    let message: String
    let status: ExitStatus
  }

  static let fileName = ".dflatc.json"

  /// The settings of the rules of `dflatc check`, by id.
  var check: [String: EvolutionReport.Setting] = [:]
  /// The settings of the rules of `dflatc lint`.
  var lint = LintConfiguration()

  /// Returns the configuration at `path`; without a path, the nearest one from the current folder upwards, or an empty
  /// one.
  /// - Throws: the exit code, after saying what is wrong.
  static func find(_ path: String?) throws -> RuleConfiguration {
    do throws(Failure) {
      if let path { return try read(path) }
      return try nearest()
    } catch {
      Terminal.printError("error: \(error.message)")
      throw error.status.exitCode
    }
  }

  /// Returns the nearest configuration from a folder upwards, or an empty one.
  static func nearest(
    from folder: String = FileManager.default.currentDirectoryPath
  ) throws(Failure) -> RuleConfiguration {
    var folder = URL(fileURLWithPath: folder)
    while true {
      let path = folder.appendingPathComponent(fileName).path
      if FileManager.default.fileExists(atPath: path) { return try read(path) }
      guard folder.path != "/" else { return RuleConfiguration() }
      folder.deleteLastPathComponent()
    }
  }

  private static func read(_ path: String) throws(Failure) -> RuleConfiguration {
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      throw Failure(message: "cannot read \(path): \(error.description)", status: .inputOutput)
    }
    let value: Any
    do {
      value = try JSONSerialization.jsonObject(with: Data(bytes))
    } catch {
      throw Failure(message: "\(path) is not JSON", status: .usage)
    }
    guard let object = value as? [String: Any] else {
      throw mistake(path, "should be an object such as \(checkExample)")
    }
    var configuration = RuleConfiguration()
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      switch name {
      case "rules":
        for (id, value) in try rules(value, path, checkExample) {
          configuration.check[id] = try checkSetting(id, value, path)
        }
      case "lint":
        configuration.lint = try lint(value, path)
      default:
        throw mistake(path, "there is no setting \"\(name)\"\(placeHint(name))")
      }
    }
    return configuration
  }

  private static func mistake(_ path: String, _ text: String) -> Failure {
    Failure(message: "\(path): \(text)", status: .usage)
  }

  /// Returns a hint for a rule that stands outside of "rules": where it belongs. Empty for other names.
  private static func placeHint(_ name: String) -> String {
    if EvolutionRule.named(name) != nil { return ": rules stand in \"rules\", as in \(checkExample)" }
    guard LintRule.named(name) != nil || LintRule.Group(rawValue: name) != nil else { return "" }
    return ": rules of `dflatc lint` stand in \"rules\" of \"lint\", as in \(lintExample)"
  }

  private static func rules(
    _ value: Any, _ path: String, _ example: String
  ) throws(Failure) -> [(key: String, value: Any)] {
    guard let rules = value as? [String: Any] else {
      throw mistake(path, "\"rules\" should be an object such as in \(example)")
    }
    return rules.sorted { $0.key < $1.key }
  }

  // MARK: Check

  private static let checkExample = #"{ "rules": { "field-renamed": "off" } }"#

  private static func checkSetting(_ id: String, _ value: Any, _ path: String) throws(Failure)
    -> EvolutionReport.Setting
  {
    guard EvolutionRule.named(id) != nil else {
      if LintRule.named(id) != nil {
        throw mistake(path, "there is no rule \"\(id)\" of `dflatc check`\(placeHint(id))")
      }
      throw missingRule(id, among: EvolutionRule.all.map(\.id), path)
    }
    if value as? String == "off" { return .off }
    guard let severity = severity(value) else {
      throw mistake(path, "\"\(id)\" should be \"error\", \"warning\", \"note\" or \"off\"")
    }
    return .severity(severity)
  }

  private static func severity(_ value: Any) -> Severity? { (value as? String).flatMap(Severity.init) }

  private static func missingRule(_ id: String, among ids: [String], _ path: String) -> Failure {
    let nearest = nearestName(to: id, in: ids).map { ": did you mean \"\($0)\"?" } ?? ""
    return mistake(path, "there is no rule \"\(id)\"\(nearest)")
  }

  // MARK: Lint

  private static let lintExample = #"{ "lint": { "rules": { "docs": "on", "type-case": "off" } } }"#

  private static func lint(_ value: Any, _ path: String) throws(Failure) -> LintConfiguration {
    guard let object = value as? [String: Any] else {
      throw mistake(path, "\"lint\" should be an object such as in \(lintExample)")
    }
    var configuration = LintConfiguration()
    for (name, value) in object.sorted(by: { $0.key < $1.key }) {
      switch name {
      case "fieldCase":
        guard let fieldCase = (value as? String).flatMap(LintConfiguration.FieldCase.init) else {
          let cases = LintConfiguration.FieldCase.allCases.map { "\"\($0.rawValue)\"" }
          throw mistake(path, "\"fieldCase\" should be \(cases.joined(separator: " or "))")
        }
        configuration.fieldCase = fieldCase
      case "rules":
        for (id, value) in try rules(value, path, lintExample) { try set(id, value, &configuration, path) }
      default:
        throw mistake(path, "there is no setting \"\(name)\" of \"lint\"\(placeHint(name))")
      }
    }
    return configuration
  }

  private static func set(
    _ id: String, _ value: Any, _ configuration: inout LintConfiguration, _ path: String
  ) throws(Failure) {
    let setting: LintConfiguration.Setting
    switch value as? String {
    case "on": setting = .on
    case "off": setting = .off
    default:
      guard let severity = severity(value) else {
        throw mistake(path, "\"\(id)\" should be \"on\", \"error\", \"warning\", \"note\" or \"off\"")
      }
      setting = .severity(severity)
    }
    if let rule = LintRule.named(id) {
      configuration.set(rule, to: setting)
    } else if let group = LintRule.Group(rawValue: id) {
      configuration.set(group, to: setting)
    } else {
      throw missingRule(id, among: LintRule.all.map(\.id) + LintRule.Group.allCases.map(\.rawValue), path)
    }
  }
}

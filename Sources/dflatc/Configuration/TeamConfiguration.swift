import FBSDiagnostics
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting

/// The settings of a team for its schemas: a `.dflatc.json` together with the configurations that it extends.
struct TeamConfiguration: Sendable {
  static let fileName = ".dflatc.json"

  /// The settings of rules in one configuration, or in one entry of its `overrides`.
  struct RuleSettings: Sendable {
    /// The files that the settings hold for; nil for all.
    var paths: PathScope?

    /// The settings of `dflatc lint`.
    enum LintSetting: Sendable {
      case rule(LintRule, LintConfiguration.Setting)
      case group(LintRule.Group, LintConfiguration.Setting)
      case fieldCase(LintConfiguration.FieldCase)
    }

    /// The settings of rules of `dflatc check`, and of programs, by their ids.
    var check: [String: EvolutionReport.Setting] = [:]
    var lint: [LintSetting] = []
  }

  /// Findings of `dflatc check` and of programs that are let through: a type or file that was removed has no place for a comment.
  struct Allowance: Sendable {
    let rule: String
    /// The files of either version whose findings are let through; nil for all.
    let paths: PathScope?
    /// The type whose findings are let through, or the member `Type.field`, with or without its namespace; nil for all.
    let name: String?
    let reason: String
    /// The configuration that has the entry, and the entry's range in it.
    let file: SourceFile
    let range: SourceRange

    /// Returns whether a finding about these types and members is let through, by their names with namespaces.
    func isAbout(_ names: [String]) -> Bool {
      guard let name else { return true }
      return names.contains { $0 == name || $0.hasSuffix("." + name) }
    }
  }

  /// The paths of the files that it was read from: its own, then those that it extends. Empty for the defaults.
  var files: [String] = []
  /// The folders in which includes are looked for, as paths from the current folder.
  var includePaths: [String] = []
  /// The files and folders that are somebody else's: they are read where they are included, and findings in them are
  /// not reported.
  var vendored: [PathScope] = []
  /// The files and folders that are left out when a folder that holds them is named.
  var excluded: [PathScope] = []
  /// The settings of rules. Of two settings of one rule for one file, the later counts: `overrides` come after the
  /// rules of their own configuration, and the rules of a configuration after all that it extends.
  var rules: [RuleSettings] = []
  /// The version that `dflatc check` compares with.
  var against: String?
  var allowances: [Allowance] = []
  /// Programs with rules of the team's own.
  var programs: [RuleProgram] = []
  /// The options of generated Swift.
  var swift: CompileOptionsFile?

  /// Returns whether a file is somebody else's: it is read where it is included, and findings in it are not reported.
  func isVendored(_ path: String) -> Bool { vendored.contains { $0.contains(path) } }

  /// Returns whether a file is left out when a folder that holds it is named.
  func isExcluded(_ path: String) -> Bool { excluded.contains { $0.contains(path) } || isVendored(path) }

  /// Returns the settings of the rules of `dflatc check` and of programs for a file, by their ids.
  func checkSettings(for path: String) -> [String: EvolutionReport.Setting] {
    var result: [String: EvolutionReport.Setting] = [:]
    for settings in rules where settings.paths?.contains(path) ?? true {
      result.merge(settings.check) { $1 }
    }
    return result
  }

  /// Returns the settings of the rules of `dflatc lint` for a file.
  func lint(for path: String) -> LintConfiguration {
    var result = LintConfiguration()
    for settings in rules where settings.paths?.contains(path) ?? true { settings.apply(to: &result) }
    return result
  }

  /// Combines the configurations of single files, of which a later one counts more. The last one is the own one.
  init(combining configurations: [TeamConfiguration]) {
    // Includes are looked for in the own folders first.
    for configuration in configurations.reversed() {
      files += configuration.files
      includePaths += configuration.includePaths.filter { !includePaths.contains($0) }
      vendored += configuration.vendored
      excluded += configuration.excluded
      against = against ?? configuration.against
      allowances += configuration.allowances
      programs += configuration.programs.filter { program in !programs.contains { $0.name == program.name } }
      swift = swift ?? configuration.swift
    }
    rules = configurations.flatMap(\.rules)
  }

  init(files: [String] = []) { self.files = files }
}

extension TeamConfiguration.RuleSettings {
  /// Applies the settings of `dflatc lint`, which replace earlier ones. If both a rule and its group have a setting
  /// here, the rule's counts.
  fileprivate func apply(to configuration: inout LintConfiguration) {
    for case .group(let group, let setting) in lint {
      configuration.unsetRules(of: group)
      configuration.set(group, to: setting)
    }
    for setting in lint {
      switch setting {
      case .group: break
      case .rule(let rule, let setting): configuration.set(rule, to: setting)
      case .fieldCase(let fieldCase): configuration.fieldCase = fieldCase
      }
    }
  }
}

import FBSDiagnostics
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting

/// The settings of a team for its schemas: a `.dflatc.json` together with the configurations that it extends.
struct TeamConfiguration: Sendable {
  static let fileName = ".dflatc.json"

  /// The settings of rules, everywhere or below some paths.
  struct RuleSettings: Sendable {
    /// The settings of `dflatc lint`.
    enum LintSetting: Sendable {
      case rule(LintRule, LintConfiguration.Setting)
      case group(LintRule.Group, LintConfiguration.Setting)
      case fieldCase(LintConfiguration.FieldCase)
    }

    /// The settings of rules of `dflatc check`, by their ids.
    var check: [String: EvolutionReport.Setting] = [:]
    var lint: [LintSetting] = []
  }

  /// Settings of rules that hold only for some paths.
  struct Override: Sendable {
    let paths: PathScope
    let settings: RuleSettings
  }

  /// An entry of `allow`, which lets findings of `dflatc check` through. A comment cannot do that for a type or file
  /// that was removed.
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
  }

  /// The paths of the files that the configuration was read from. Empty for the defaults.
  var files: [String] = []
  /// The folders in which includes are looked for, as paths from the current folder.
  var includePaths: [String] = []
  /// The files and folders that are somebody else's: they are read where they are included, and findings in them are
  /// not reported.
  var vendored: [PathScope] = []
  /// The files and folders that are left out when a folder that holds them is named.
  var excluded: [PathScope] = []
  var settings = RuleSettings()
  var overrides: [Override] = []
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

  /// The settings of the rules of `dflatc check` for a file, by their ids.
  func checkSettings(for path: String) -> [String: EvolutionReport.Setting] {
    var result = settings.check
    for override in overrides where override.paths.contains(path) {
      result.merge(override.settings.check) { $1 }
    }
    return result
  }

  /// The settings of the rules of `dflatc lint` for a file.
  func lint(for path: String) -> LintConfiguration {
    var result = LintConfiguration()
    for setting in settings.lint { Self.apply(setting, to: &result, replacesRules: false) }
    for override in overrides where override.paths.contains(path) {
      for setting in override.settings.lint { Self.apply(setting, to: &result, replacesRules: true) }
    }
    return result
  }

  private static func apply(
    _ setting: RuleSettings.LintSetting, to configuration: inout LintConfiguration, replacesRules: Bool
  ) {
    switch setting {
    case .rule(let rule, let setting): configuration.set(rule, to: setting)
    case .group(let group, let setting):
      configuration.set(group, to: setting)
      if replacesRules { configuration.unsetRules(of: group) }
    case .fieldCase(let fieldCase): configuration.fieldCase = fieldCase
    }
  }

  /// Adds the settings of an extended configuration that this configuration does not have.
  mutating func extend(_ base: TeamConfiguration) {
    files += base.files
    includePaths += base.includePaths.filter { !includePaths.contains($0) }
    vendored += base.vendored
    excluded += base.excluded
    settings.check.merge(base.settings.check) { own, _ in own }
    // Later settings count: those of the base come first.
    settings.lint = base.settings.lint + settings.lint
    overrides = base.overrides + overrides
    against = against ?? base.against
    allowances += base.allowances
    programs += base.programs
    swift = swift ?? base.swift
  }
}

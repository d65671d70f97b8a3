import FBSDiagnostics

/// A team's settings of the rules.
public struct LintConfiguration: Hashable, Sendable {
  /// The setting of a rule.
  public enum Setting: Hashable, Sendable {
    /// The rule is on, with its own severity.
    case on
    /// The rule is on, and its findings have this severity.
    case severity(Severity)
    /// The rule does not run.
    case off
  }

  /// The spellings of field names.
  public enum FieldCase: String, CaseIterable, Sendable {
    /// `user_name`, as FlatBuffers' style guide has it.
    case snake
    /// `userName`.
    case camel
  }

  /// The spelling of field names that `field-case` asks for.
  public var fieldCase = FieldCase.snake
  private var groups: [LintRule.Group: Setting] = [:]
  private var rules: [String: Setting] = [:]

  /// Creates the default configuration.
  public init() {}

  /// Sets a rule. Its own setting takes precedence over that of its group.
  public mutating func set(_ rule: LintRule, to setting: Setting) { rules[rule.id] = setting }

  /// Sets the rules of a group that have no settings of their own.
  public mutating func set(_ group: LintRule.Group, to setting: Setting) { groups[group] = setting }

  /// Removes the settings of a group's rules, so that the group's own setting holds for them.
  public mutating func unsetRules(of group: LintRule.Group) {
    for rule in LintRule.all where rule.group == group { rules[rule.id] = nil }
  }

  /// Returns the severity of a rule's findings; nil if the rule is off.
  public func severity(of rule: LintRule) -> Severity? {
    switch rules[rule.id] ?? groups[rule.group] {
    case .on: rule.severity
    case .severity(let severity): severity
    case .off: nil
    case nil: rule.isOn ? rule.severity : nil
    }
  }
}

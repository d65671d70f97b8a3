import FBSDiagnostics

/// What a team makes of the rules.
public struct LintConfiguration: Hashable, Sendable {
  /// What a rule is set to.
  public enum Setting: Hashable, Sendable {
    /// It is on, with the severity that it has.
    case on
    /// It is on, and its findings have this severity.
    case severity(Severity)
    /// It is not run.
    case off
  }

  /// How fields are written.
  public enum FieldCase: String, CaseIterable, Sendable {
    /// `user_name`, as FlatBuffers' style guide has it.
    case snake
    /// `userName`.
    case camel
  }

  /// How fields are written: what `field-case` asks for.
  public var fieldCase = FieldCase.snake
  private var groups: [LintRule.Group: Setting] = [:]
  private var rules: [String: Setting] = [:]

  /// The defaults.
  public init() {}

  /// Sets a rule, whatever its group is set to.
  public mutating func set(_ rule: LintRule, to setting: Setting) { rules[rule.id] = setting }

  /// Sets the rules of a group that are not set themselves.
  public mutating func set(_ group: LintRule.Group, to setting: Setting) { groups[group] = setting }

  /// Leaves the rules of a group to what the group is set to.
  public mutating func unsetRules(of group: LintRule.Group) {
    for rule in LintRule.all where rule.group == group { rules[rule.id] = nil }
  }

  /// The severity of a rule's findings. Nothing if the rule is off.
  public func severity(of rule: LintRule) -> Severity? {
    switch rules[rule.id] ?? groups[rule.group] {
    case .on: rule.severity
    case .severity(let severity): severity
    case .off: nil
    case nil: rule.isOn ? rule.severity : nil
    }
  }
}

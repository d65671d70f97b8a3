import SchemaLinting

/// What a team has set for a schema.
///
/// The host reads the configuration, and sessions know nothing of it but the members of this type.
public struct HostConfiguration: Sendable {
  /// The settings of the rules of `dflatc lint`.
  public var lint: LintConfiguration
  /// The ids of the rules of other commands, which comments may name.
  public var otherRules: Set<String>
  /// The reason why the configuration cannot be used, for people. The defaults apply then.
  public var mistake: String?

  /// The folders in which includes are looked for, after those that the editor has set.
  public var includePaths: [String]
  /// Whether the schema is somebody else's, so that nothing is said of its style.
  public var isVendored: Bool

  /// Creates a configuration: with the defaults of all commands, unless something else is given.
  public init(
    lint: LintConfiguration = LintConfiguration(), otherRules: Set<String> = [], mistake: String? = nil,
    includePaths: [String] = [], isVendored: Bool = false
  ) {
    self.lint = lint
    self.otherRules = otherRules
    self.mistake = mistake
    self.includePaths = includePaths
    self.isVendored = isVendored
  }
}

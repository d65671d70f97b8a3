import SchemaLinting

/// The settings of a team for a schema.
///
/// The host reads the team's configuration. Sessions know only the members of this type.
public struct HostConfiguration: Sendable {
  /// The settings of the rules of `dflatc lint`.
  public var lint: LintConfiguration
  /// The ids of the rules of other commands, which comments may name.
  public var otherRules: Set<String>
  /// The reason why the configuration cannot be used, for people. The defaults apply then.
  public var mistake: String?

  /// The folders in which includes are looked for, after the folders that the editor has set.
  public var includePaths: [String]
  /// Whether the schema is somebody else's, so that the server reports nothing about its style.
  public var isVendored: Bool

  /// Creates a configuration. Settings that are not given have the defaults of `dflatc`.
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

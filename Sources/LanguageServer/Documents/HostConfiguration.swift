import SchemaLinting

/// What a team has set for a schema.
///
/// Further settings of the configuration that the server is to follow, such as what to check against, are members of this type: the host reads them, and sessions ask it for nothing else.
package struct HostConfiguration: Sendable {
  /// The settings of the rules of `dflatc lint`.
  package var lint: LintConfiguration
  /// The ids of the rules of other commands, which comments may name.
  package var otherRules: Set<String>
  /// The reason why the configuration cannot be used, for people. The defaults apply then.
  package var mistake: String?

  /// The folders in which includes are looked for, after those that the editor has set.
  package var includePaths: [String]
  /// Whether the schema is somebody else's, so that nothing is said of its style.
  package var isVendored: Bool

  package init(
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

import SchemaLinting

/// A team's settings for the schemas of a folder.
///
/// Further settings that the server is to follow, such as include paths, become members of this type. The host reads
/// them, and sessions get them from nowhere else.
package struct HostConfiguration: Sendable {
  /// The settings of the rules of `dflatc lint`.
  package var lint: LintConfiguration
  /// The ids of the rules of other commands, which comments may name.
  package var otherRules: Set<String>
  /// The reason why the configuration cannot be used, for people. The defaults apply then.
  package var mistake: String?

  package init(lint: LintConfiguration = LintConfiguration(), otherRules: Set<String> = [], mistake: String? = nil) {
    self.lint = lint
    self.otherRules = otherRules
    self.mistake = mistake
  }
}

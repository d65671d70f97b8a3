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
  /// The names of the emitters that `dflatc compile` runs. Their rules hold unless the editor names emitters. Empty for
  /// the default emitters.
  public var emit: [String]
  /// Whether the file at a path is somebody else's: it is read where it is included, and only its errors are reported.
  public var isVendored: @Sendable (_ path: String) -> Bool
  /// Whether `dflatc lint` and `dflatc format` leave the file at a path alone. They leave vendored files alone, too.
  public var isExcluded: @Sendable (_ path: String) -> Bool

  /// Creates a configuration. Settings that are not given have the defaults of `dflatc`.
  public init(
    lint: LintConfiguration = LintConfiguration(), otherRules: Set<String> = [], mistake: String? = nil,
    includePaths: [String] = [], emit: [String] = [],
    isVendored: @escaping @Sendable (_ path: String) -> Bool = { _ in false },
    isExcluded: @escaping @Sendable (_ path: String) -> Bool = { _ in false }
  ) {
    self.lint = lint
    self.otherRules = otherRules
    self.mistake = mistake
    self.includePaths = includePaths
    self.emit = emit
    self.isVendored = isVendored
    self.isExcluded = isExcluded
  }
}

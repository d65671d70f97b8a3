import FBSDiagnostics

/// The result of a host's comparison of a schema with its earlier version.
public struct EvolutionAnswer: Sendable {
  /// The findings in the schema itself. Their ranges are in `FileID(0)`, the first file of its compilation.
  public var diagnostics: [Diagnostic]
  /// The reason why nothing could be compared, for people; nil if it could.
  public var mistake: String?

  /// Creates the answer about a schema that was compared, or the reason why it could not be.
  public init(diagnostics: [Diagnostic] = [], mistake: String? = nil) {
    self.diagnostics = diagnostics
    self.mistake = mistake
  }
}

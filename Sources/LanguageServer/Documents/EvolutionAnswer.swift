import FBSDiagnostics

/// The result of a host's comparison of a schema with its earlier version.
public struct EvolutionAnswer: Sendable {
  /// The findings in the schema itself. Their ranges are in `FileID(0)`, the first file of its compilation.
  public var diagnostics: [Diagnostic]
  /// The reason why nothing could be compared, for people; nil if the schema was compared.
  public var mistake: String?

  /// Creates the answer: the findings of a comparison, or the reason why nothing could be compared.
  public init(diagnostics: [Diagnostic] = [], mistake: String? = nil) {
    self.diagnostics = diagnostics
    self.mistake = mistake
  }
}

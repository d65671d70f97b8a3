import FBSDiagnostics

/// The result of a host's comparison of a schema with its earlier version.
package struct EvolutionAnswer: Sendable {
  /// The findings in the schema itself. Their ranges are in `FileID(0)`, the first file of its compilation.
  package var diagnostics: [Diagnostic]
  /// The reason why nothing could be compared, for people; nil if it could.
  package var mistake: String?

  package init(diagnostics: [Diagnostic] = [], mistake: String? = nil) {
    self.diagnostics = diagnostics
    self.mistake = mistake
  }
}

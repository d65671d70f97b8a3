import FBSDiagnostics
import FBSSchema

/// What comes of compiling schemas.
public struct CompilationOutcome: Sendable {
  /// The files that the diagnostics are about.
  public let sources: SourceMap
  /// What is wrong, and what is worth knowing.
  public let diagnostics: [Diagnostic]
  /// The files to write, or why there are none.
  public let files: Result<[GeneratedFile], CompilationFailure>
}

/// Why there is nothing to write.
public enum CompilationFailure: Error, Hashable, Sendable {
  /// These inputs cannot be read.
  case unreadableInputs([Compilation.UnreadableInput])
  /// There are errors among the diagnostics.
  case errors
  /// There are warnings among the diagnostics, which count as errors.
  case warnings
  /// An emitter's form cannot hold the schema.
  case emission(EmissionError)
  /// An emitter outside of the compiler did not do what it has to do, for this reason.
  case outsideEmitter(name: String, reason: String)
  /// Two outputs of these names cannot both be written to one folder.
  case collision(String, String)
}

import FBSDiagnostics
import FBSSchema

/// The result of compiling schemas.
public struct CompilationOutcome: Sendable {
  /// The files that the diagnostics are about.
  public let sources: SourceMap
  /// All diagnostics, errors and others.
  public let diagnostics: [Diagnostic]
  /// The files to write, or the reason why there are none.
  public let files: Result<[GeneratedFile], CompilationFailure>
}

/// The reason why there is nothing to write.
public enum CompilationFailure: Error, Hashable, Sendable {
  /// These inputs cannot be read.
  case unreadableInputs([Compilation.UnreadableInput])
  /// There are errors among the diagnostics.
  case errors
  /// There are warnings among the diagnostics, and warnings count as errors.
  case warnings
  /// An emitter's format cannot hold the schema.
  case emission(EmissionError)
  /// An emitter outside of the compiler has failed, for this reason.
  case outsideEmitter(name: String, reason: String)
  /// Two outputs of these names cannot both be written to one folder.
  case collision(String, String)
}

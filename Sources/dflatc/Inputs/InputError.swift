import FBSDiagnostics

/// An error that keeps a command from reading the schemas that it was given.
struct InputError: Error {
  /// The message, without the version.
  let message: String
  /// The version of a check that the error is about, if the code that catches it cannot know.
  var version: CheckedVersion?
  /// The diagnostics of the text, if it could be read.
  var diagnostics: [Diagnostic] = []
  var sources = SourceMap()
}

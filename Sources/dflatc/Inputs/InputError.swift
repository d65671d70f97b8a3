import FBSDiagnostics

/// Why the schemas that a command was given cannot be read.
struct InputError: Error {
  /// What to say, without the version.
  let message: String
  /// The version of a check that it is about, where the code that catches it cannot know.
  var version: CheckedVersion?
  /// The mistakes in the text, if it could be read.
  var diagnostics: [Diagnostic] = []
  var sources = SourceMap()
}

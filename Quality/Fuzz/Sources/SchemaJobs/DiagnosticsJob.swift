import FBSDiagnostics
import FBSSchema
import FuzzSupport

/// What is wrong with any bytes as a schema, shown to a person.
public enum DiagnosticsJob {
  /// Compiles `bytes`, and shows the first diagnostics.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let compilation = OneFile(bytes: bytes).compiled()
    // Each is shown in the same way: more of them take more time, and find no more.
    let diagnostics = compilation.diagnostics.prefix(2)
    let shown = DiagnosticRenderer().render(Array(diagnostics), in: compilation.sources)
    guard shown.isEmpty == diagnostics.isEmpty else { throw Mistake("a diagnostic is not shown") }
  }
}

/// Writes diagnostics for editors and other programs that read lines as compilers write them, each on one line. The
/// output depends only on the arguments.
///
///     post.fbs:19:17: error: `place` cannot be indexed: a struct has no single value [D0203]
public struct LineReporter: Sendable {
  /// Creates a reporter.
  public init() {}

  /// Returns a line for each diagnostic, and one for each of its labels with a text; nothing if there are none. Columns
  /// count characters, from 1.
  public func report(_ diagnostics: [Diagnostic], in sources: SourceMap) -> String {
    var finder = RegionFinder(sources)
    var output = ""
    func line(_ region: SourceRegion, _ severity: String, _ text: String) {
      let place = "\(region.path):\(region.start.line):\(region.start.column)"
      output += "\(place): \(severity): \(text)".withVisibleControls(keepsLines: false) + "\n"
    }
    for diagnostic in diagnostics {
      let advice = diagnostic.advice.isEmpty ? "" : ": \(diagnostic.advice)"
      line(
        finder.region(of: diagnostic.range), diagnostic.severity.rawValue,
        "\(diagnostic.message)\(advice) [\(diagnostic.code.id)]")
      for label in diagnostic.labels where !label.text.isEmpty {
        line(finder.region(of: label.range), Severity.note.rawValue, label.text)
      }
    }
    return output
  }
}

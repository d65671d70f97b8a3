/// Writes diagnostics for GitHub Actions, which show them beside the lines of a pull request. The output depends only
/// on the arguments.
public struct GitHubReporter: Sendable {
  /// Creates a reporter.
  public init() {}

  /// Returns a workflow command for each diagnostic, on a line of its own; an empty text if there are none.
  public func report(_ diagnostics: [Diagnostic], in sources: SourceMap) -> String {
    var finder = RegionFinder(sources)
    var output = ""
    for diagnostic in diagnostics {
      let region = finder.region(of: diagnostic.range)
      output += "::\(Self.command(diagnostic.severity)) file=\(Self.escape(property: region.path))"
      output += ",line=\(region.start.line),col=\(region.start.utf16Column)"
      output += ",endLine=\(region.end.line),endColumn=\(region.end.utf16Column)"
      output += ",title=\(Self.escape(property: "\(diagnostic.code.id): \(diagnostic.code.title)"))"
      var lines = [diagnostic.message]
      if !diagnostic.advice.isEmpty { lines.append(diagnostic.advice) }
      for label in diagnostic.labels where !label.text.isEmpty {
        let place = finder.region(of: label.range)
        lines.append("\(place.path):\(place.start.line):\(place.start.column): \(label.text)")
      }
      lines += diagnostic.notes.map { "note: \($0)" }
      output += "::\(Self.escape(data: lines.joined(separator: "\n")))\n"
    }
    return output
  }

  private static func command(_ severity: Severity) -> String {
    severity == .note ? "notice" : severity.rawValue
  }

  private static func escape(data text: String) -> String {
    replace(text) { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      default: nil
      }
    }
  }

  private static func escape(property text: String) -> String {
    replace(text) { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      case ":": "%3A"
      case ",": "%2C"
      default: nil
      }
    }
  }

  /// Returns a text with some scalars replaced: not characters, since CR LF is one character.
  private static func replace(_ text: String, _ replacement: (UnicodeScalar) -> String?) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      if let replaced = replacement(scalar) { output += replaced } else { output.unicodeScalars.append(scalar) }
    }
    // A terminal that shows the log would obey the remaining control characters.
    return output.withVisibleControls()
  }
}

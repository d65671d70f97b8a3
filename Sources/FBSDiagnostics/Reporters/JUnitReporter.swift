/// Writes diagnostics for programs that show results of tests, as JUnit's XML: a suite for each file, and a failed case
/// for each diagnostic. The output depends only on the arguments.
///
/// Errors and warnings are failures; a note is a case that passed, with its text. Without diagnostics there is one case
/// that passed, since many programs take a report without cases for a mistake.
public struct JUnitReporter: Sendable {
  /// Creates a reporter.
  public init() {}

  /// Returns an XML text that ends with a line break.
  public func report(_ diagnostics: [Diagnostic], in sources: SourceMap) -> String {
    var finder = RegionFinder(sources)
    var order: [String] = []
    var cases: [String: [(text: String, isFailure: Bool)]] = [:]
    for diagnostic in diagnostics {
      let region = finder.region(of: diagnostic.range)
      if cases[region.path] == nil { order.append(region.path) }
      cases[region.path, default: []].append((Self.testCase(diagnostic, region), diagnostic.severity != .note))
    }
    let failures = cases.values.joined().count { $0.isFailure }
    var output = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    output += "<testsuites name=\"dflatc\" tests=\"\(max(1, diagnostics.count))\" failures=\"\(failures)\">\n"
    for path in order {
      let own = cases[path] ?? []
      output += "  <testsuite name=\"\(Self.escape(path))\" tests=\"\(own.count)\" "
      output += "failures=\"\(own.count { $0.isFailure })\" errors=\"0\">\n"
      for entry in own { output += entry.text }
      output += "  </testsuite>\n"
    }
    if order.isEmpty {
      output += "  <testsuite name=\"dflatc\" tests=\"1\" failures=\"0\" errors=\"0\">\n"
      output += "    <testcase name=\"nothing is found\" classname=\"dflatc\"/>\n  </testsuite>\n"
    }
    return output + "</testsuites>\n"
  }

  private static func testCase(_ diagnostic: Diagnostic, _ region: SourceRegion) -> String {
    let place = "\(region.path):\(region.start.line):\(region.start.column)"
    let name = "\(diagnostic.code.id) at \(region.start.line):\(region.start.column)"
    var lines = ["\(place): \(diagnostic.severity.rawValue): \(diagnostic.message)"]
    if !diagnostic.advice.isEmpty { lines.append(diagnostic.advice) }
    lines += diagnostic.notes.map { "note: \($0)" }
    let text = escape(lines.joined(separator: "\n"))
    let start =
      "    <testcase name=\"\(escape(name))\" classname=\"\(escape(region.path))\" "
      + "file=\"\(escape(region.path))\" line=\"\(region.start.line)\">\n"
    let body =
      diagnostic.severity == .note
      ? "      <system-out>\(text)</system-out>\n"
      : "      <failure type=\"\(escape(diagnostic.code.id))\" message=\"\(escape(diagnostic.message))\">\(text)</failure>\n"
    return start + body + "    </testcase>\n"
  }

  /// Returns the text as XML 1.0 takes it, in which most control characters have no place at all.
  private static func escape(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "\n": output += "&#10;"
      case "\t": output += "&#9;"
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): output += "\u{FFFD}"
      case "\u{FFFE}", "\u{FFFF}": output += "\u{FFFD}"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}

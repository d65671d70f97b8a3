/// Writes diagnostics for GitLab, as a report of code quality, which GitLab shows in merge requests. The output depends
/// only on the arguments.
///
/// GitLab recognizes a finding in two commits by its fingerprint. The fingerprint is made of the finding and its file,
/// and not of its line, so that a line inserted above changes nothing.
public struct GitLabReporter: Sendable {
  /// Creates a reporter.
  public init() {}

  /// Returns a JSON text that ends with a line break: an empty array if there are no diagnostics.
  public func report(_ diagnostics: [Diagnostic], in sources: SourceMap) -> String {
    var finder = RegionFinder(sources)
    var counts: [String: Int] = [:]
    var writer = JSONWriter()
    let entries = diagnostics.map { diagnostic in
      let region = finder.region(of: diagnostic.range)
      let text = "\(diagnostic.code.id)\n\(region.path)\n\(diagnostic.message)"
      counts[text, default: 0] += 1
      // Two findings in one file may have the same words.
      return (diagnostic, region, Self.fingerprint("\(text)\n\(counts[text] ?? 0)"))
    }
    writer.array(entries) { writer, entry in
      let (diagnostic, region, fingerprint) = entry
      let advice = diagnostic.advice.isEmpty ? "" : ": \(diagnostic.advice)"
      writer.object {
        $0.member("description", diagnostic.message + advice)
        $0.member("check_name", diagnostic.code.id)
        $0.member("fingerprint", fingerprint)
        $0.member("severity", Self.severity(diagnostic.severity))
        $0.object("location") {
          $0.member("path", region.path)
          $0.object("lines") {
            $0.member("begin", region.start.line)
            $0.member("end", region.end.line)
          }
        }
      }
    }
    return writer.text + "\n"
  }

  private static func severity(_ severity: Severity) -> String {
    switch severity {
    case .error: "major"
    case .warning: "minor"
    case .note: "info"
    }
  }

  /// Returns the hash FNV-1a of 64 bits, twice with different starts: no hash of the standard library is the same in two runs.
  private static func fingerprint(_ text: String) -> String {
    let starts: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x9AE1_6A3B_2F90_404F]
    return starts.map { start in
      let hash = text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// Writes diagnostics for code scanners, as SARIF 2.1.0. The output depends only on the arguments.
public struct SARIFReporter: Sendable {
  private let toolVersion: String
  private let explanations: [String: Explanation]

  /// Creates a reporter.
  /// - Parameters:
  ///   - toolVersion: The version of the compiler, such as `1.2.3`.
  ///   - explanations: The explanations of the codes.
  public init(toolVersion: String, explanations: [Explanation]) {
    self.toolVersion = toolVersion
    self.explanations = Dictionary(explanations.map { ($0.code.id, $0) }) { first, _ in first }
  }

  /// Returns a SARIF log of one run, ending with a line break. Without diagnostics it says that there are none.
  public func report(_ diagnostics: [Diagnostic], in sources: SourceMap) -> String {
    let rules = Set(diagnostics.map(\.code)).sorted { $0.id < $1.id }
    let indices = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1, $0) })
    var finder = RegionFinder(sources)
    var writer = JSONWriter()
    writer.object {
      $0.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      $0.member("version", "2.1.0")
      $0.array("runs", [()]) { writer, _ in
        writer.object {
          $0.object("tool") {
            $0.object("driver") {
              $0.member("name", "dflatc")
              $0.member("version", toolVersion)
              $0.array("rules", rules) { write(rule: $1, &$0) }
            }
          }
          $0.member("columnKind", "utf16CodeUnits")
          $0.array("newlineSequences", ["\r\n", "\n", "\r"]) { $0.value($1) }
          $0.array("results", diagnostics) { write($1, rule: indices[$1.code] ?? -1, &$0, &finder) }
        }
      }
    }
    return writer.text + "\n"
  }

  private func write(rule code: DiagnosticCode, _ writer: inout JSONWriter) {
    writer.object {
      $0.member("id", code.id)
      $0.object("shortDescription") { $0.member("text", code.title) }
      guard let explanation = explanations[code.id] else { return }
      $0.object("fullDescription") { $0.member("text", explanation.text) }
      $0.object("help") {
        $0.member("text", ExplanationText.plain(explanation))
        $0.member("markdown", ExplanationText.markdown(explanation))
      }
    }
  }

  private func write(
    _ diagnostic: Diagnostic, rule: Int, _ writer: inout JSONWriter, _ finder: inout RegionFinder
  ) {
    let region = finder.region(of: diagnostic.range)
    let labels = diagnostic.labels.map { (region: finder.region(of: $0.range), text: $0.text) }
    let fixes = diagnostic.fixes.map { fix in
      (title: fix.title, edits: fix.edits.map { (region: finder.region(of: $0.range), text: $0.replacement) })
    }
    let advice = diagnostic.advice.isEmpty ? [] : [diagnostic.advice]
    let lines = [diagnostic.message] + advice + diagnostic.notes.map { "note: \($0)" }
    writer.object {
      $0.member("ruleId", diagnostic.code.id)
      $0.member("ruleIndex", rule)
      $0.member("level", diagnostic.severity.rawValue)
      $0.object("message") { $0.member("text", Self.escape(lines.joined(separator: "\n"))) }
      $0.array("locations", [region]) { writer, region in
        writer.object { Self.write(region, &$0) }
      }
      if !labels.isEmpty {
        $0.array("relatedLocations", labels) { writer, label in
          writer.object {
            Self.write(label.region, &$0)
            if !label.text.isEmpty { $0.object("message") { $0.member("text", Self.escape(label.text)) } }
          }
        }
      }
      if !fixes.isEmpty {
        $0.array("fixes", fixes) { writer, fix in Self.write(fix.title, fix.edits, &writer) }
      }
    }
  }

  /// Writes a fix: its description, and its edits of the file.
  private static func write(
    _ title: String, _ edits: [(region: SourceRegion, text: String)], _ writer: inout JSONWriter
  ) {
    writer.object {
      $0.object("description") { $0.member("text", escape(title)) }
      $0.array("artifactChanges", edits.prefix(1)) { writer, first in
        writer.object {
          $0.object("artifactLocation") { $0.member("uri", uri(first.region.path)) }
          $0.array("replacements", edits) { writer, edit in
            writer.object {
              write("deletedRegion", edit.region, &$0)
              $0.object("insertedContent") { $0.member("text", edit.text) }
            }
          }
        }
      }
    }
  }

  private static func write(_ region: SourceRegion, _ writer: inout JSONWriter) {
    writer.object("physicalLocation") {
      $0.object("artifactLocation") { $0.member("uri", uri(region.path)) }
      write("region", region, &$0)
    }
  }

  private static func write(_ name: String, _ region: SourceRegion, _ writer: inout JSONWriter) {
    writer.object(name) {
      $0.member("startLine", region.start.line)
      $0.member("startColumn", region.start.utf16Column)
      $0.member("endLine", region.end.line)
      $0.member("endColumn", region.end.utf16Column)
    }
  }

  /// Doubles literal braces: in a result's message, braces mark placeholders (section 3.11.5).
  private static func escape(_ message: String) -> String {
    var output = ""
    for scalar in message.unicodeScalars {
      output.unicodeScalars.append(scalar)
      if scalar == "{" || scalar == "}" { output.unicodeScalars.append(scalar) }
    }
    return output
  }

  /// Returns a path as a URI: relative ones stay relative, to wherever the compiler was run.
  private static func uri(_ path: String) -> String {
    var output = path.hasPrefix("/") ? "file://" : ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "~"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        output.unicodeScalars.append(UnicodeScalar(byte))
      default:
        output += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return output
  }
}

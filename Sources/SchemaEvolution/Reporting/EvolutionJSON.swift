import FBSDiagnostics
import FBSParser

/// Writes a report as JSON, for programs. The text depends only on the arguments.
///
/// Documentation/evolution.md and check-schema.json describe the format. Members may be added; `version` changes when
/// one is taken away or changes its meaning.
public struct EvolutionJSON {
  /// The version of the format.
  public static let version = 1

  private var tables: [FileID: LineTable] = [:]
  private let sources: SourceMap
  private let offset: Int
  private let configurationOffset: Int

  /// Returns a report as JSON text that ends with a line break.
  /// - Parameter oldPath: Returns the path to show for a file of OLD.
  public static func text(
    of report: EvolutionReport, old: SchemaVersion, new: SchemaVersion, oldPath: (String) -> String = { $0 }
  ) -> String {
    text(of: report, old: old.sources, new: new.sources, oldPath: oldPath)
  }

  /// Returns a report as JSON text that ends with a line break.
  /// - Parameter oldPath: Returns the path to show for a file of OLD.
  public static func text(
    of report: EvolutionReport, old: SourceMap, new: SourceMap, oldPath: (String) -> String = { $0 }
  ) -> String {
    var json = EvolutionJSON(
      sources: report.diagnostics(old: old, new: new, oldPath: oldPath).sources, offset: new.files.count,
      configurationOffset: new.files.count + old.files.count)
    return json.write(report)
  }

  private init(sources: SourceMap, offset: Int, configurationOffset: Int) {
    self.sources = sources
    self.offset = offset
    self.configurationOffset = configurationOffset
  }

  private mutating func write(_ report: EvolutionReport) -> String {
    // The positions come first: the writer's closures cannot capture `self` to cache tables of lines.
    let findings = report.findings.map { finding in
      (
        finding, finding.isAboutGoneFile ? nil : place(finding.range), place(finding.oldRange, shiftedBy: offset),
        finding.labels.map { ($0.text, place($0.range)) }, finding.fix.map { ($0, place($0.range)) }
      )
    }
    let comments = report.commentDiagnostics.map { ($0, place($0.range)) }
    let programs = report.outsideFindings.map { ($0, place($0.range)) }
    let configuration = report.configurationWarnings.map { warning in
      (warning, place(warning.range, shiftedBy: configurationOffset))
    }
    let faults =
      report.faults.new.map { ($0, "new", place($0.range)) }
      + report.faults.old.map { ($0, "old", place($0.range, shiftedBy: offset)) }
    var writer = JSONWriter()
    writer.object {
      $0.member("version", Self.version)
      $0.member("compatible") { $0.value(report.isCompatible) }
      $0.member("silenced", report.silencedCount)
      $0.array("findings", findings) { writer, entry in
        let (finding, place, oldPlace, labels, fix) = entry
        writer.object {
          $0.member("rule", finding.rule.id)
          $0.member("level", finding.rule.level.rawValue)
          $0.member("severity", finding.severity.rawValue)
          $0.member("evidence", finding.evidence.rawValue)
          $0.member("message", finding.message)
          $0.member("harm", finding.harm)
          $0.member("advice", finding.advice)
          // What has no place in NEW is shown where it was.
          if place == nil { $0.member("gone", true) }
          $0.object("new") { Self.write(place ?? oldPlace, &$0) }
          $0.object("old") { Self.write(oldPlace, &$0) }
          $0.array("labels", labels) { writer, label in
            writer.object {
              $0.member("text", label.0)
              Self.write(label.1, &$0)
            }
          }
          $0.array("notes", finding.notes) { $0.value($1) }
          guard let (fix, place) = fix else { return }
          $0.object("fix") {
            $0.member("title", fix.title)
            $0.member("replacement", fix.replacement)
            Self.write(place, &$0)
          }
        }
      }
      $0.array("comments", comments) { Self.write($1, &$0) }
      if !programs.isEmpty { $0.array("programs", programs) { Self.write($1, &$0) } }
      if !configuration.isEmpty { $0.array("configuration", configuration) { Self.write($1, &$0) } }
      guard !faults.isEmpty else { return }
      $0.array("faults", faults) { writer, entry in
        writer.object {
          $0.member("version", entry.1)
          $0.member("code", entry.0.code.id)
          $0.member("message", entry.0.message)
          $0.member("advice", entry.0.advice)
          Self.write(entry.2, &$0)
        }
      }
    }
    return writer.text + "\n"
  }

  private struct Place {
    let file: String
    let start: (offset: Int, line: Int, column: Int, utf16: Int)
    let end: (offset: Int, line: Int, column: Int, utf16: Int)
  }

  private mutating func place(_ range: SourceRange, shiftedBy offset: Int = 0) -> Place {
    let id = FileID(range.file.index + offset)
    let file = sources[id]
    let table = tables[id] ?? LineTable(file.bytes)
    tables[id] = table
    func end(_ offset: Int) -> (offset: Int, line: Int, column: Int, utf16: Int) {
      let position = table.position(of: offset, in: file.bytes)
      return (offset, position.line, position.column, table.utf16Column(of: offset, in: file.bytes) + 1)
    }
    return Place(file: file.path, start: end(range.start), end: end(range.end))
  }

  private static func write(_ entry: (diagnostic: Diagnostic, place: Place), _ writer: inout JSONWriter) {
    writer.object {
      $0.member("code", entry.diagnostic.code.id)
      $0.member("severity", entry.diagnostic.severity.rawValue)
      $0.member("message", entry.diagnostic.message)
      $0.member("advice", entry.diagnostic.advice)
      write(entry.place, &$0)
    }
  }

  private static func write(_ place: Place, _ writer: inout JSONWriter) {
    writer.member("file", place.file)
    for (name, end) in [("start", place.start), ("end", place.end)] {
      writer.object(name) {
        $0.member("offset", end.offset)
        $0.member("line", end.line)
        $0.member("column", end.column)
        $0.member("utf16Column", end.utf16)
      }
    }
  }
}

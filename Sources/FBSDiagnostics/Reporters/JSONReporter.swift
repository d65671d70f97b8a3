/// Writes diagnostics for programs, in a JSON format of our own, with everything that is known of each. The output
/// depends only on the arguments.
///
/// Documentation/diagnostics.md describes the format. Members may be added; `version` changes when one is taken away or
/// changes its meaning.
public struct JSONReporter: Sendable {
  /// The version of the format.
  public static let version = 1

  /// Creates a reporter.
  public init() {}

  /// Returns a JSON text, ending with a line break. It is valid without any diagnostic, too.
  public func report(_ diagnostics: [Diagnostic], in sources: SourceMap) -> String {
    var finder = RegionFinder(sources)
    var writer = JSONWriter()
    writer.object {
      $0.member("version", Self.version)
      $0.array("diagnostics", diagnostics) { Self.write($1, &$0, &finder) }
    }
    return writer.text + "\n"
  }

  private static func write(_ diagnostic: Diagnostic, _ writer: inout JSONWriter, _ finder: inout RegionFinder) {
    let region = finder.region(of: diagnostic.range)
    let labels = diagnostic.labels.map { (region: finder.region(of: $0.range), text: $0.text) }
    let fixes = diagnostic.fixes.map { fix in
      (title: fix.title, edits: fix.edits.map { (region: finder.region(of: $0.range), text: $0.replacement) })
    }
    writer.object {
      $0.member("code", diagnostic.code.id)
      $0.member("severity", diagnostic.severity.rawValue)
      $0.member("message", diagnostic.message)
      $0.member("advice", diagnostic.advice)
      write(region, &$0)
      $0.array("labels", labels) { writer, label in
        writer.object {
          $0.member("text", label.text)
          write(label.region, &$0)
        }
      }
      $0.array("notes", diagnostic.notes) { $0.value($1) }
      $0.array("fixes", fixes) { writer, fix in
        writer.object {
          $0.member("title", fix.title)
          $0.array("edits", fix.edits) { writer, edit in
            writer.object {
              write(edit.region, &$0)
              $0.member("replacement", edit.text)
            }
          }
        }
      }
    }
  }

  private static func write(_ region: SourceRegion, _ writer: inout JSONWriter) {
    writer.member("file", region.path)
    for (name, place) in [("start", region.start), ("end", region.end)] {
      writer.object(name) {
        $0.member("offset", place.offset)
        $0.member("line", place.line)
        $0.member("column", place.column)
        $0.member("utf16Column", place.utf16Column)
      }
    }
  }
}

import FBSDiagnostics

/// Files to which the fixes of findings are applied.
public struct FixedSources: Sendable {
  /// The texts of the files that changed.
  public private(set) var texts: [FileID: [UInt8]] = [:]
  /// The number of fixed findings.
  public private(set) var count = 0

  /// Applies the fixes of findings. Of two overlapping fixes, one is left for another run.
  public init(_ findings: [Diagnostic], in sources: SourceMap) {
    let fixes = findings.compactMap(\.fixes.first)
    let edits = fixes.enumerated()
      .flatMap { index, fix in fix.edits.map { (fix: index, edit: $0) } }
      .sorted { ($0.edit.range.file, $0.edit.range.start) < ($1.edit.range.file, $1.edit.range.start) }
    var left: Set<Int> = []
    var last: SourceRange?
    for (fix, edit) in edits where !left.contains(fix) {
      if let last, last.file == edit.range.file, edit.range.start < last.end {
        left.insert(fix)
      } else {
        last = edit.range
      }
    }
    count = fixes.count - left.count
    let made = edits.filter { !left.contains($0.fix) }.map(\.edit)
    for (file, edits) in Dictionary(grouping: made, by: \.range.file) {
      texts[file] = Self.text(sources[file].bytes, with: edits)
    }
  }

  /// Applies edits to a text.
  ///
  /// - Parameter edits: the edits in the order of the text, without overlaps.
  private static func text(_ bytes: [UInt8], with edits: [Diagnostic.Edit]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var copied = 0
    for edit in edits {
      text += bytes[copied..<edit.range.start]
      text += edit.replacement.utf8
      copied = edit.range.end
    }
    text += bytes[copied...]
    return text
  }
}

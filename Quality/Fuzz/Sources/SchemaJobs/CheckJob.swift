import BinarySchemas
import FBSDiagnostics
import FBSParser
import FBSSchema
import FuzzSupport
import SchemaEvolution

/// Any bytes as two versions of a schema, with a line `//--` between them: texts, or a binary schema as either.
public enum CheckJob {
  /// Compares the two, both ways, and each with itself, and shows what the first comparison finds.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let (first, second) = halves(of: bytes)
    guard let old = version(first), let new = version(second) else { return }
    for (old, new) in [(old, new), (new, old)] {
      for finding in SchemaEvolution.compare(old: old, new: new) { try check(finding, old, new) }
      guard SchemaEvolution.compare(old: new, new: new).allSatisfy({ $0.rule.id == "table-collision" }) else {
        throw Mistake("a schema may not replace itself")
      }
    }
    try show(SchemaEvolution.compare(old: old, new: new), old, new)
  }

  private static func show(_ findings: [Finding], _ old: SchemaVersion, _ new: SchemaVersion) throws(Mistake) {
    let report = EvolutionReport(findings, new: new)
    let (diagnostics, sources) = report.diagnostics(old: old, new: new)
    // Each is shown in the same way: more of them take more time, and find no more.
    let first = Array(diagnostics.prefix(4))
    guard DiagnosticRenderer().render(first, in: sources).isEmpty == first.isEmpty else {
      throw Mistake("a finding is not shown")
    }
    guard EvolutionJSON.text(of: report, old: old, new: new, oldPath: { $0 }).hasSuffix("}\n") else {
      throw Mistake("a report has no end")
    }
  }

  private static func check(_ finding: Finding, _ old: SchemaVersion, _ new: SchemaVersion) throws(Mistake) {
    for range in [finding.range] + finding.labels.map(\.range) + [finding.fix?.range].compactMap({ $0 })
    where range.end > new.sources[range.file].bytes.count || range.start > range.end {
      throw Mistake("`\(finding.message)` is outside of NEW")
    }
    guard finding.oldRange.end <= old.sources[finding.oldRange.file].bytes.count else {
      throw Mistake("`\(finding.message)` is outside of OLD")
    }
  }

  private static func version(_ bytes: ArraySlice<UInt8>) -> SchemaVersion? {
    var bytes = Array(bytes)
    let isBinary = BinarySchema.isOne(bytes)
    var unknownAttributes: Set<String> = []
    if isBinary {
      guard let content = try? BinarySchema.content(of: bytes) else { return nil }
      bytes = Array(content.text.utf8)
      unknownAttributes = content.builtinAttributes.unknownNames
    }
    let compilation = OneFile(bytes: bytes).compiled()
    guard compilation.isValid else { return nil }
    let names = Dictionary(compilation.schema.files.map { ($0.id, "") }) { first, _ in first }
    return SchemaVersion(
      schema: compilation.schema, sources: compilation.sources, names: names, isBinary: isBinary,
      unknownAttributes: unknownAttributes)
  }

  /// What stands before the line, and after it.
  private static func halves(of bytes: [UInt8]) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
    let mark = Array("\n//--\n".utf8)
    var place = 0
    while let start = bytes[place...].firstIndex(of: mark[0]) {
      if bytes[start...].starts(with: mark) { return (bytes[..<(start + 1)], bytes[(start + mark.count)...]) }
      place = start + 1
    }
    return (bytes[...], bytes[...])
  }
}

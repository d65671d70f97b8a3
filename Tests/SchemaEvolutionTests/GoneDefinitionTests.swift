import FBSDiagnostics
import SchemaEvolution
import Testing

/// What NEW lacks has no range of its own there.
@Suite("Findings about definitions that are gone")
struct GoneDefinitionTests {
  private let root = "table Root { id: string (primary); } root_type Root;"
  private let service = "table T { x: int; } rpc_service S { get(T): T; }"

  /// The findings about what is gone from a file that stays and has no root. The file of the root comes first.
  private func findings(
    _ old: String, _ new: String, rootFile: String? = nil
  ) throws -> (found: [Finding], new: SchemaVersion) {
    let before = try version(["old/a.fbs": root, "old/b.fbs": old])
    let after = try version(["new/a.fbs": rootFile ?? root, "new/b.fbs": new])
    return (SchemaEvolution.compare(old: before, new: after), after)
  }

  @Test("A type or service that is gone is shown at the start of the file that it was in")
  func places() throws {
    for (old, new, rule) in [
      ("table A { x: int; } enum E: byte { a }", "enum E: byte { a }", "type-removed"),
      (service, "table T { x: int; }", "service-removed"),
    ] {
      let (found, version) = try findings(old, new)
      #expect(found.map(\.rule.id) == [rule])
      let range = try #require(found.first).range
      #expect(version.sources[range.file].path == "new/b.fbs" && (range.start, range.end) == (0, 0))
    }
  }

  @Test("A comment about another declaration does not silence that a type or service is gone")
  func comments() throws {
    for (rule, old, new) in [
      ("type-removed", "table A { x: int; } enum E: byte { a }", "enum E: byte { a }"),
      ("service-removed", service, "table T { x: int; }"),
    ] {
      let comment = "// dflatc:allow \(rule) nothing was released\n"
      for isAboveRoot in [true, false] {
        let (found, version) = try findings(
          old, isAboveRoot ? new : comment + new, rootFile: isAboveRoot ? comment + root : nil)
        let report = EvolutionReport(found, new: version)
        #expect(report.findings.map(\.rule.id) == [rule] && report.silencedCount == 0, "\(rule) \(isAboveRoot)")
        #expect(report.commentDiagnostics.map(\.severity) == [.warning])
      }
    }
  }
}

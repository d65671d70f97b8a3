import ConformanceSupport
import FBSDiagnostics
import FBSSchema
import SchemaEvolution
import TestSupport
import Testing

@Suite("The time of telling differences in words")
struct DifferenceTimeTests {
  @Test("A schema that moves to another namespace takes time in proportion to its types")
  func movedNamespace() {
    func files(_ namespace: String, _ count: Int) -> VersionFiles {
      let tables = (0..<count).map { "table T\($0) { x: int; }\n" }.joined()
      let texts = SchemaTexts(["a.fbs": "namespace \(namespace);\n\(tables)"])
      func compile(_ inputs: [String]) -> Compilation { SchemaCompiler.compile(inputs: inputs, provider: texts) }
      return VersionFiles(compile(["a.fbs"]), keys: [FileID(0): "a.fbs"], compile: compile)
    }
    func time(_ count: Int) -> Duration {
      let (old, new) = (files("A", count), files("B", count))
      let transition = Transition(old: old, new: new)
      let report = EvolutionReport(transition)
      return processorTime {
        let changes = SchemaDifference(old: old, new: new, report: report, sources: transition.sources).changes
        #expect(changes.count == count && changes.allSatisfy { $0.text.contains("was called `A.T") })
      }
    }
    // The least of several: machines are noisy.
    let small = (0..<3).map { _ in time(200) }.min() ?? .zero
    let large = (0..<3).map { _ in time(800) }.min() ?? .zero
    // Four times as much: sixteen times the time would be a square.
    #expect(large < small * 9)
  }
}

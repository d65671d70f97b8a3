import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import TestSupport
import Testing

@Suite("Large schemas", .serialized)
struct ScaleTests {
  /// The time per table must not grow with their number. Figures are for optimised builds: the bound here is a wide one.
  @Test("Ten thousand tables of ten fields are compiled in no time")
  func manyTables() {
    let types = ["int", "string", "[int]", "double", "bool", "[string]", "ulong", "float"]
    var text = "namespace Big.Schema;\nenum Color: byte { Red, Green, Blue }\n"
    for table in 0..<10_000 {
      text += "table Table\(table) {\n"
      for field in 0..<8 { text += "  field_\(field): \(types[field]);\n" }
      text += "  color: Color = Green;\n  other: Table\((table &* 7919) % 10_000);\n}\n"
    }
    let provider = SchemaTexts(["a.fbs": text])
    var compilation: Compilation?
    let time = processorTime { compilation = SchemaCompiler.compile(inputs: ["a.fbs"], provider: provider) }
    #expect(compilation?.diagnostics.isEmpty == true)
    #expect(compilation?.schema.tables.count == 10_000)
    #expect(compilation?.schema.tables.last?.fields.count == 10)
    #expect(time < .seconds(20))
    print("10,000 tables of 10 fields (\(text.utf8.count) bytes): \(time)")
  }

  @Test("A table may have 32,765 fields, and one more is too many")
  func manyFields() {
    func table(_ count: Int) -> String {
      "table T {" + (0..<count).map { "f\($0): int;" }.joined() + "}"
    }
    #expect(compile(table(32_765)).diagnostics.isEmpty)
    #expect(compile(table(32_766)).diagnostics.map(\.code) == [.tooLarge])
  }

  @Test("A union may have 255 members, and one more is too many")
  func manyMembers() {
    func union(_ count: Int) -> String {
      (0..<count).map { "table T\($0) {}" }.joined() + "union U {" + (0..<count).map { "T\($0)" }.joined(separator: ",")
        + "}"
    }
    #expect(compile(union(255)).diagnostics.isEmpty)
    #expect(compile(union(300)).diagnostics.map(\.code) == [.tooLarge])
  }

  @Test("Structs may contain one another in a long chain")
  func structChain() {
    var text = "struct S0 { a: byte; }"
    for index in 1..<20_000 { text += "struct S\(index) { a: S\(index - 1); }" }
    let compilation = compile(text)
    #expect(compilation.diagnostics.isEmpty)
    #expect(compilation.schema.structs.last?.size == 1)
  }

  @Test("Many errors take no longer than many lines")
  func manyMistakes() {
    let text = "table T {" + (0..<20_000).map { "f\($0): Missing\($0);" }.joined() + "}"
    var count = 0
    let time = processorTime { count = compile(text).diagnostics.reduce(0) { $0 + 1 + $1.omittedCount } }
    #expect(count == 20_000)
    #expect(time < .seconds(30))
  }

  @Test("Many fields of a large enum find their defaults at once")
  func largeEnum() {
    let values = (0..<20_000).map { "V\($0)" }.joined(separator: ",")
    let fields = (0..<20_000).map { "f\($0): E = V\(19_999 - $0);" }.joined()
    var compilation: Compilation?
    let time = processorTime { compilation = compile("enum E: int {\(values)} table T {\(fields)}") }
    #expect(compilation?.diagnostics.isEmpty == true)
    #expect(compilation?.schema.tables[0].fields.last?.presence == .defaulted(.integer(0)))
    #expect(time < .seconds(30))
  }

  /// How many times as long the larger of two inputs takes, each at its best of several runs, taken in turn.
  private func ratio(_ small: [String: String], _ large: [String: String]) -> Double {
    func time(_ files: [String: String]) -> Double {
      let provider = SchemaTexts(files)
      let elapsed = processorTime {
        let compilation = SchemaCompiler.compile(inputs: ["0.fbs"], provider: provider)
        let rules = StoreValidator.validate(schema: compilation.schema, files: [FileID(0)])
        if !(compilation.diagnostics + rules).isEmpty {
          Issue.record("\((compilation.diagnostics + rules)[0].message)")
        }
      }
      return elapsed / .seconds(1)
    }
    var (least, most) = (Double.infinity, Double.infinity)
    for _ in 0..<5 {
      least = min(least, time(small))
      most = min(most, time(large))
    }
    return most / least
  }

  /// Four times as much takes four times as long, and sixteen times if it is quadratic.
  private static let bound = 9.0

  @Test(
    "A table's fields take time in proportion to their number",
    arguments: ["f#: int;", "f#: string (id: #);", "f#: E = B (indexed);", "/// d\n f#: [T];"])
  func manyFieldsInProportion(_ field: String) {
    func files(_ count: Int) -> [String: String] {
      let isNumbered = field.contains("id: #")
      let fields = (1...count).map { field.replacing("#", with: String($0)) }.joined(separator: "\n")
      let key = "key: int (primary\(isNumbered ? ", id: 0" : ""));"
      return ["0.fbs": "enum E: int { A, B } table T { \(key)\n\(fields) } root_type T;"]
    }
    let ratio = ratio(files(3_000), files(12_000))
    #expect(ratio < Self.bound)
  }

  @Test("A chain of includes takes time in proportion to its length")
  func includesInProportion() {
    func files(_ count: Int) -> [String: String] {
      var files: [String: String] = [:]
      for index in 0..<count {
        let include = index + 1 < count ? "include \"\(index + 1).fbs\";" : ""
        let next = index + 1 < count ? "next: T\(index + 1);" : ""
        files["\(index).fbs"] =
          "\(include) attribute \"a\(index)\"; table T\(index) { key: int (primary); \(next) } root_type T\(index);"
      }
      // Only the input is stored: elsewhere `primary` says nothing, and is not looked at.
      return files
    }
    let ratio = ratio(files(250), files(1_000))
    #expect(ratio < Self.bound)
  }

  @Test("Fields of a name that the language knows for other things are told apart at once")
  func namesakes() {
    func files(_ count: Int) -> [String: String] {
      let tables = (0..<count).map { "namespace N\($0); table T { a: T; b: E; } enum E: int { A }" }.joined()
      return ["0.fbs": tables]
    }
    #expect(ratio(files(1_000), files(4_000)) < Self.bound)
  }
}

import ConformanceSupport
import FBSParser
import FlatBuffersJSON
import Foundation
import TestSupport
import Testing

/// `JSON_SEED=7` begins with another schema, `JSON_SCHEMAS=500` makes more of them.
@Suite("JSON that may be broken")
struct BrokenObjectTests {
  private func number(_ variable: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? standard
  }

  /// Counts the objects that become a buffer, and checks that these can be shown.
  private func written(_ texts: [String], _ schema: JSONSchema, _ place: String) -> [[UInt8]] {
    texts.compactMap { text in
      let (bytes, diagnostics) = schema.binary(text)
      guard let bytes else {
        #expect(diagnostics.contains { $0.severity == .error }, "\(place): refused without a word: \(text)")
        return nil
      }
      if case .failure(let fault) = schema.json(bytes) { Issue.record("\(place): \(fault): \(text)") }
      return bytes
    }
  }

  @Test("The bytes of a random object, whole or broken, can be shown")
  func randomSchemas() throws {
    let first = number("JSON_SEED", 1)
    var (count, all) = (0, 0)
    for seed in first..<(first + number("JSON_SCHEMAS", 10)) {
      let random = RandomSchema(seed: seed, index: seed)
      let schema = try JSONSchema(
        random.files.map { ($0.name, $0.text) }, root: "\(random.namespace).T\(seed % random.tableCount)")
      var objects = RandomObject(schema.schema, seed: seed, breaksThings: true)
      let texts = (0..<30).map { _ in objects.table(schema.root) }
      all += texts.count
      count += written(texts, schema, "seed \(seed)").count
    }
    // There is something of both kinds to see.
    #expect(count * 10 > all && count * 10 < all * 9, "\(count) of \(all)")
  }

  @Test("The bytes of an object with unions are accepted by the verifier of flatc's C++")
  func unions() throws {
    let schema = try JSONSchema(ConversionTests.text)
    var objects = RandomObject(schema.schema, seed: number("JSON_SEED", 1), breaksThings: true)
    let texts = Self.unionObjects + (0..<2000).map { _ in objects.table(schema.root) }
    let binaries = written(texts, schema, "unions")
    #expect(binaries.count * 20 > texts.count, "\(binaries.count) of \(texts.count)")
    let verifier = try OracleProgram(
      name: "json-verifier", source: Self.source, schema: ("conversion.fbs", ConversionTests.text))
    let answers = try verifier.ask(binaries.map { ("v", $0) })
    for (answer, bytes) in zip(answers, binaries) where answer != [1] {
      Issue.record("C++ refuses \(try schema.json(bytes, .init(indentation: nil)).get())")
    }
  }

  /// Each form in which a union, or a vector of them, has a type and no value, a value and no type, or another number of both.
  private static let unionObjects: [String] = {
    let types = [nil, "null", "[]", "[I]", "[I, I]", "[S]", "[str, S]", "[NONE]", "[I, NONE]", "[9]", "[null]"]
    let values = [nil, "null", "[]", "[{}]", "[{}, {}]", "[[1, 2]]", "[\"x\", [1, 2]]", "[null]", "[{}, null]"]
    let single = [nil, "null", "NONE", "I", "S", "str", "9"].flatMap { type in
      [nil, "null", "{}", "[1, 2]", "\"x\""].map { (type.map { "u_type: \($0)" }, $0.map { "u: \($0)" }) }
    }
    let several = types.flatMap { types in values.map { (types.map { "us_type: \($0)" }, $0.map { "us: \($0)" }) } }
    return (single + several).flatMap { type, value in
      [[type, value], [value, "e: A", type]].map { "{ \($0.compactMap { $0 }.joined(separator: ", ")) }" }
    }
  }()

  private static let source = """
    #include <cstdio>
    #include <vector>
    #include "conversion_generated.h"
    int main() {
      char question;
      uint32_t n;
      while (fread(&question, 1, 1, stdin) == 1 && fread(&n, 4, 1, stdin) == 1) {
        std::vector<uint64_t> words(n / 8 + 1);
        uint8_t *bytes = reinterpret_cast<uint8_t *>(words.data());
        if (n && fread(bytes, 1, n, stdin) != n) return 4;
        flatbuffers::Verifier verifier(bytes, n);
        char verdict = verifier.VerifyBuffer<T>("TEST");
        uint32_t size = 1;
        fwrite(&size, 4, 1, stdout);
        fwrite(&verdict, 1, 1, stdout);
      }
      return 0;
    }
    """

  @Test("Fields may stand in any order, the types of unions after their values too, and mean the same")
  func anyOrder() throws {
    let schema = try JSONSchema(ConversionTests.text)
    let usual = """
      { e: A, flags: "X Z", optional: null, u_type: I, u: { e: A, i: 1 }, us_type: [str, S], us: ["a", [1, 2]],
        nested: { us_type: ["I"], us: [{ e: "A" }] } }
      """
    let sorted = """
      { e: A, flags: "X Z", nested: { us: [{ e: "A" }], us_type: ["I"] }, optional: null, u: { e: A, i: 1 }, u_type: I,
        us: ["a", [1, 2]], us_type: [str, S] }
      """
    let both = try [usual, sorted].map { text in
      let (bytes, diagnostics) = schema.binary(text)
      #expect(diagnostics.isEmpty, "\(diagnostics.map(\.message))")
      return try schema.json(#require(bytes)).get()
    }
    #expect(both[0] == both[1])
  }

  @Test("A buffer of many tables can be shown, if it leads to each of them once")
  func manyTables() throws {
    // One more than the limit of the C++ verifier, which its users can raise.
    let schema = try JSONSchema("table I {} table T { v: [I]; } root_type T;")
    let text = "{ v: [\(String(repeating: "{},", count: 1_000_000))] }"
    let bytes = try #require(schema.binary(text).bytes)
    #expect(throws: Never.self) { try schema.converter.verify(bytes, as: schema.root) }
  }
}

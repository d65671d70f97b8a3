import ConformanceSupport
import Dflat
import EngineTestSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersCore
import FlatBuffersJSON
import Foundation
import Golden_vectors
import StoreInspection
import TestSupport
import Testing

@Suite("Conditions on vectors and on texts")
struct VectorFilterTests {
  /// The schema of the golden case `vectors`.
  private let converter: FlatBufferJSON
  private let root: TableID

  init() throws {
    let file = packageFolder.appendingPathComponent("Fixtures/vectors/schema.fbs")
    converter = FlatBufferJSON(try schema(String(contentsOf: file, encoding: .utf8)))
    root = try #require(converter.layouts.table(named: "Basket"))
  }

  private func read(_ condition: String) -> (filter: Filter?, diagnostic: Diagnostic?) {
    let file = SourceFile(id: FileID(0), path: "--where", bytes: Array(condition.utf8))
    return FilterReader(root, converter.layouts).filter(file)
  }

  private func object(_ basket: Basket) throws -> VerifiedObject {
    var builder = FlatBufferBuilder()
    let offset = basket.to(flatBufferBuilder: &builder)
    try builder.finish(offset)
    return try converter.object(builder.finishedBuffer().withUnsafeBytes { Array($0) }, as: root)
  }

  @Test("A random condition is as true, false or unknown about random objects as the runtime's query", arguments: 0..<8)
  func agreement(seed: Int) throws {
    var objects = VectorGenerator(seed: seed)
    var conditions = FilterGenerator(seed: seed)
    let baskets = (0..<30).map { objects.basket($0) }
    let verified = try baskets.map(object)
    var found = 0
    for _ in 0..<120 {
      let condition = conditions.condition(depth: 2)
      let (filter, diagnostic) = read(condition.text)
      guard let filter else {
        Issue.record("\(condition.text): \(diagnostic?.message ?? "")")
        continue
      }
      for (basket, object) in zip(baskets, verified) {
        let expected = condition.query.evaluate(object: basket)
        if expected == true { found += 1 }
        #expect(filter.evaluate(object) == expected, "\(condition.text) about basket \(basket.id)")
      }
    }
    #expect(found > 200)
  }

  @Test("Each form of a condition on vectors means what the runtime's query means")
  func forms() throws {
    var objects = VectorGenerator(seed: 99)
    let baskets = (0..<60).map { objects.basket($0) } + [Basket(id: 60)]
    let verified = try baskets.map(object)
    for (text, query) in FilterGenerator.forms {
      let (filter, diagnostic) = read(text)
      let found = verified.indices.filter { filter?.evaluate(verified[$0]) == true }
      #expect(found == baskets.indices.filter { query.evaluate(baskets[$0]) }, "\(text): \(diagnostic?.message ?? "")")
      #expect(!found.isEmpty, "\(text) finds nothing: \(diagnostic?.message ?? "")")
    }
  }

  @Test("The words of conditions on vectors and texts are names of fields, too")
  func words() throws {
    let text = """
      table Inner { it: int; contains: string; }
      table T { contains: [string]; has: string; any: int; empty: bool; count: [int]; it: [Inner]; prefix: string; list: [int]; }
      root_type T;
      """
    let json = """
      { contains: ["a"], has: "bc", any: 5, empty: true, count: [1, 2], it: [{ it: 7, contains: "xy" }], list: [5] }
      """
    let resolver = ObjectResolver(inputs: ["schema.fbs"], provider: SchemaTexts([("schema.fbs", text)]))
    let converter = FlatBufferJSON(resolver.compilation.schema)
    let root = try #require(converter.layouts.table(named: "T"))
    let result = resolver.resolve(json: Array(json.utf8), path: "data.json", as: root)
    let object = try converter.object(converter.binary(from: #require(result.object)).bytes, as: root)
    for (condition, isTrue) in [
      ("contains contains 'a'", true), ("contains contains any ('x', 'a')", true), ("has has prefix 'b'", true),
      ("has contains 'c' and any = 5", true), ("empty", true), ("not empty and count.count = 2", false),
      ("count is not empty", true), ("prefix has prefix ''", nil), ("prefix is empty", nil),
      ("has not contains 'x'", true),
      ("list contains any", true), ("list not contains any (5)", false), ("it contains (`it` = 7)", true),
      ("it contains (it.it = 7 and contains has suffix 'y')", true), ("it contains (it is not null)", true),
      ("it contains (count contains 2)", true), ("HAS has prefix 'b'", nil),
      ("has HAS Prefix 'b' AND list IS NOT EMPTY", true),
    ] as [(String, Bool?)] {
      let file = SourceFile(id: FileID(0), path: "--where", bytes: Array(condition.utf8))
      let (filter, diagnostic) = FilterReader(root, converter.layouts).filter(file)
      #expect(filter?.evaluate(object) == isTrue, "\(condition): \(diagnostic?.message ?? "")")
    }
  }

  @Test(
    "A mistake in a condition on vectors or texts shows its position, and what to write",
    arguments: [
      ("tags = 'a'", "D0503", 8, "write `contains`, `is empty`, or `.count` behind its name"),
      ("limit contains 3", "D0503", 1, "compare it with `=`, or with `in (...)`"),
      ("limit is empty", "D0503", 1, "write `is null` for a field that is absent"),
      ("limit has prefix 'a'", "D0503", 1, "name a string"),
      ("tags has prefix 'a'", "D0503", 1, "name a string"),
      ("tags contains 3", "D0503", 15, "write it in quotes"),
      ("numbers contains 'a'", "D0503", 18, "such as `3`"),
      ("numbers contains tags", "D0503", 18, "such as `3`"),
      ("levels contains Hihg", "D0502", 17, "did you mean `High`?"),
      ("comments contains 'a'", "D0503", 19, "write a condition on their fields in parentheses: `contains (...)`"),
      ("comments contains (athor = 'a')", "D0502", 20, "did you mean `author`?"),
      (
        "comments contains (author contains any ('a', 'b'))", "D0503", 20,
        "write `contains 'a'`, and join several by `or`"
      ),
      ("comments contains (author contains likes)", "D0503", 36, "write it in quotes"),
      ("comments.likes = 1", "D0502", 1, "ask its elements: `comments contains (likes ...)`"),
      ("tags.length = 1", "D0502", 1, "remove `.length`, or write `.count`"),
      ("tags contains (it.lenght = 1)", "D0502", 16, "did you mean `.length`?"),
      ("tags contains (x = 1)", "D0502", 16, "the element itself is `it`"),
      ("it = 1", "D0502", 1, "did you mean `id`?"),
      ("tags has 'a'", "D0501", 10, ""), ("tags is full", "D0501", 9, ""), ("tags not 'a'", "D0501", 10, ""),
      ("tags contains any ()", "D0501", 20, ""), ("tags contains ('a'", "D0501", 19, ""),
      ("tags contains ('a')", "D0501", 16, "compare it with something"),
      ("tags contains null", "D0501", 15, "write `is null` or `is not null`"), ("tags contains", "D0501", 14, ""),
      ("'a' contains 'b'", "D0503", 1, "name a field"), ("3 is empty", "D0503", 1, "name a field"),
      ("old is empty", "D0502", 1, ""),
      (String(repeating: "comments contains (", count: 70) + "true", "D0501", 1_217, ""),
    ])
  func mistakes(_ condition: String, _ code: String, _ column: Int, _ advice: String) throws {
    let diagnostic = try #require(read(condition).diagnostic)
    #expect(diagnostic.code.id == code && diagnostic.range.start == column - 1, "\(diagnostic)")
    #expect(advice.isEmpty || diagnostic.advice == advice, "\(diagnostic.advice)")
  }

  @Test("A condition with ten thousand parts is read and evaluated")
  func longConditions() throws {
    let object = try object(Basket(id: 1))
    for word in ["or", "and"] {
      let condition = Array(repeating: "tags contains 'a'", count: 10_000).joined(separator: " \(word) ")
      let filter = try #require(read(condition).filter)
      #expect(filter.evaluate(object) == false)
    }
  }
}

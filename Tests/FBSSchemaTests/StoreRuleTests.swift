import FBSDiagnostics
import FBSParser
import FBSSchema
import Testing

/// Each rule for the attributes of a store, with schemas that follow it and schemas that break it.
@Suite("The rules of a store, one by one")
struct StoreRuleTests {
  private func codes(_ text: String) -> [String] {
    let compilation = compile(text)
    let rules = StoreValidator.validate(
      schema: compilation.schema, files: [FileID(0)], knowing: compilation.diagnostics)
    return (compilation.diagnostics + rules).inSourceOrder().map { "\($0.severity.rawValue) \($0.code.id)" }
  }

  @Test("Schemas that follow the rules have nothing against them", arguments: StoreRule.all)
  func good(_ rule: StoreRule) {
    #expect(!rule.good.isEmpty)
    for text in rule.good { #expect(codes(text) == [], "\(text)") }
  }

  @Test("A schema that breaks a rule gives that error and no other", arguments: StoreRule.all)
  func bad(_ rule: StoreRule) {
    #expect(!rule.bad.isEmpty)
    for text in rule.bad { #expect(codes(text) == [rule.code], "\(text)") }
  }
}

struct StoreRule: CustomTestStringConvertible {
  let testDescription: String
  let code: String
  let good: [String]
  let bad: [String]

  init(_ name: String, _ code: String, good: [String], bad: [String]) {
    testDescription = name
    self.code = code
    self.good = good
    self.bad = bad
  }

  /// A root table with these fields, after other definitions.
  private static func root(_ fields: String, _ others: String = "", key: String = "k: int (primary); ") -> String {
    "\(others) table R { \(key)\(fields) } root_type R;"
  }

  private static let declaredIndex =
    ["index", "INDEX", "db_index", "uniq", "indxed", "priority", "order"].map { "attribute \"\($0)\";" }.joined()

  static let all: [StoreRule] = [
    StoreRule(
      "An attribute that the schema declares and that looks like an index makes none", "warning D0216",
      good: [
        root(
          "a: int (index, indexed); b: int (index, unique); c: [N] (index); d: int (index: 1);",
          declaredIndex + "table N {}"),
        root("a: [int] (uniq); b: [string] (index, indexed);", declaredIndex),
        root("a: int (priority); b: int (order); c: int (deprecated, index);", declaredIndex),
        "\(declaredIndex) table T { a: int (index); }",
      ],
      bad: ["index", "INDEX", "db_index", "uniq", "indxed"].map { root("a: int (\($0));", declaredIndex) }
        + [
          root("a: [int] (index);", declaredIndex), root("a: [string] (INDEX);", declaredIndex),
          root("a: U;", "\(declaredIndex) table N { b: string (index); } union U { N }"),
          root("a: S;", "\(declaredIndex) struct S { b: int (index); }"),
        ]),
    StoreRule(
      "A primary field is a number, bool, enum or string", "error D0252",
      good: ["byte", "ulong", "float", "double", "bool", "E", "string"].map {
        root("a: \($0) (primary);", "enum E: int { A }", key: "")
      },
      bad: ["[int]", "[string]", "S", "N", "U", "[U]"].map {
        root("a: \($0) (primary);", "struct S { a: int; } table N {} union U { N }", key: "")
      }),
    StoreRule(
      "A primary field is not optional", "error D0252",
      good: [root("a: int = 5 (primary); b: E = B (primary);", "enum E: int { A, B }", key: "")],
      bad: [
        root("a: int = null (primary);", key: ""), root("a: bool = null (primary);", key: ""),
        root("a: E = null (primary);", "enum E: int { A }", key: ""),
      ]),
    StoreRule(
      "A primary field is not deprecated, nor is an indexed, unique, required or key field", "error D0219",
      good: [root("a: int (deprecated); b: [S] (deprecated);", "struct S { a: int; }")],
      bad: [root("a: int (primary, deprecated);", key: "")]
        + ["indexed", "unique", "required", "key"].map { root("a: string (\($0), deprecated);") }),
    StoreRule(
      "A primary field stands in the root table itself", "warning D0216",
      good: [root("n: N;", "table N { a: int; }")],
      bad: [
        root("n: N;", "table N { a: int (primary); }"), root("n: S;", "struct S { a: int (primary); }"),
        "table T { a: int (primary); }",
      ]),
    StoreRule(
      "A root table has a primary key, of one field or several", "error D0251",
      good: [root("a: string;"), root("a: string (primary); b: bool (primary);"), "table T { a: int; }"],
      bad: [
        root("a: int;", key: ""), root("", key: ""),
        root("a: int (indexed, unique_);", "attribute \"unique_\";", key: ""),
      ]),
    StoreRule(
      "An index is on a number, bool, enum, string, a union's type or a vector of values", "error D0203",
      good: ["int", "double", "bool", "E", "string", "U"].flatMap { type in
        ["indexed", "unique"].map {
          root("a: \(type) (\($0));", "enum E: int { A } table N {} union U { N }")
        }
      }
        + ["[int]", "[double]", "[bool]", "[E]", "[string]", "[ubyte]"].map {
          root("a: \($0) (indexed);", "enum E: int { A }")
        } + [
          root("a: int = null (indexed); b: string (unique);"),
          root("a: [long] (date: \"ms\", indexed); b: [string] (uuid, indexed); c: [float] (vector64, indexed);"),
          root("n: N; u: U;", "table N { a: [int] (indexed); } union U { N }"),
        ],
      bad: ["[U]", "[S]", "[N]", "S", "N"].flatMap { type in
        ["indexed", "unique"].map {
          root("a: \(type) (\($0));", "struct S { a: int; } table N {} union U { N }")
        }
      } + [
        root("s: S;", "struct S { a: [int: 2] (indexed); }"),
        root("s: S;", "struct I { a: int; } struct S { a: [I: 2] (indexed); }"),
        root("a: [ubyte] (nested_flatbuffer: \"N\", indexed);", "table N {}"),
        root("a: [ubyte] (flexbuffer, indexed);"),
        root("s: S;", "struct I { a: int; } struct S { a: I (unique); }"),
      ]),
    StoreRule(
      "A vector is not unique", "error D0203",
      good: [root("a: [int] (indexed);"), root("a: [string] (indexed: \"folded\");")],
      bad: ["[int]", "[E]", "[string]"].flatMap { type in
        ["unique", "unique, indexed"].map { root("a: \(type) (\($0));", "enum E: int { A }") }
      } + [root("a: [string] (unique: \"folded\");"), root("a: [string] (indexed: \"folded\", unique);")]),
    StoreRule(
      "Only texts are folded", "error D0203",
      good: ["indexed: \"folded\"", "unique: \"folded\"", "indexed, unique: \"folded\"", "indexed: 'folded', unique"]
        .map {
          root("a: string (\($0));")
        } + [root("a: [string] (indexed: \"folded\");"), root("a: string (offset64, indexed: \"folded\");")],
      bad: ["int", "double", "bool", "E", "U", "[int]", "[E]"].map {
        root("a: \($0) (indexed: \"folded\");", "enum E: int { A } table N {} union U { N }")
      }
        + ["uuid", "url", "swift_type: \"Name\""].flatMap { mapping in
          ["string", "[string]"].map { root("a: \($0) (\(mapping), indexed: \"folded\");") }
        } + [
          root("a: int (unique: \"folded\");"), root("s: S;", "struct S { a: int (indexed: \"folded\"); }"),
        ]),
    StoreRule(
      "The form of an index is a known one", "error D0214",
      good: [root("a: string (indexed: \"folded\");")],
      bad: ["foled", "Folded", "", "x", "btree"].flatMap { form in
        ["indexed", "unique"].map { root("a: string (\($0): \"\(form)\");") }
      }),
    StoreRule(
      "An index is on a field that the root reaches through structs, tables and unions", "warning D0216",
      good: [
        root("s: S;", "struct I { a: int (indexed); } struct S { i: I; b: bool (unique); }"),
        root("n: N;", "table M { a: int (unique); } table N { m: M; b: string (indexed); }"),
        root("u: U;", "table M { a: int (unique); } struct S { a: int (indexed); } union U { M, S }"),
      ],
      bad: [
        root("n: [N];", "table N { a: int (indexed); }"), root("n: [N];", "table N { a: [int] (indexed); }"),
        root("n: [S];", "struct S { a: int (unique); }"),
        root("n: N (deprecated);", "table N { a: int (indexed); }"), root("", "table N { a: int (indexed); }"),
        root("u: [U];", "table N { a: int (indexed); } union U { N }"),
      ]),
    StoreRule(
      "An index on the primary key, or on a unique field, is one too many", "warning D0216",
      good: [
        root("a: int (primary, unique);"), root("a: int (unique); b: int (indexed);"),
        root("a: string (primary, indexed: \"folded\");", key: ""), root("a: string (primary, unique: \"folded\");"),
        root("a: string (unique, indexed: \"folded\");"), root("a: string (indexed, unique: \"folded\");"),
      ],
      bad: [
        root("a: int (primary, indexed);", key: ""), root("a: int (primary, unique);", key: ""),
        root("a: int (primary, indexed);"), root("a: int (unique, indexed);"),
        root("a: string (unique: \"folded\", indexed: \"folded\");"),
      ]),
    StoreRule(
      "There is an end to the ways that lead to an index", "error D0253",
      good: [
        root("r: R; a: [R];"), root("a: int (indexed); r: [R];"), root("n: N; m: N;", "table N { a: int (indexed); }"),
      ],
      bad: [
        root("a: int (indexed); r: R;"), root("n: N;", "table N { n: N; a: int (unique); }"),
        root("n: N;", "union U { N } table N { u: U; a: int (indexed); }"),
        root("n: N;", "table N { n: N; m: M; } table M { a: int (indexed); }"),
      ]),
    StoreRule(
      "A version is made of letters, digits, underscores and dots", "error D0255",
      good: ["1", "1.1", "_a.Z_9", "..."].map { "table R (v: \"\($0)\") { k: int (primary); } root_type R;" },
      bad: ["", "1-1", "a b", "é", "1/2", "'"].map { "table R (v: \"\($0)\") { k: int (primary); } root_type R;" }),
    StoreRule(
      "A version is a string", "error D0214",
      good: ["table R (v: '2') { k: int (primary); } root_type R;"],
      bad: [
        "table R (v) { k: int (primary); } root_type R;", "table R (v: 1) { k: int (primary); } root_type R;",
      ]),
    StoreRule(
      "A version is a root table's", "warning D0216",
      good: ["table R (v: \"1\") { k: int (primary); } table N {} root_type R;"],
      bad: [
        "table R { k: int (primary); } table N (v: \"1\") {} root_type R;",
        "table R { k: int (primary); } struct S (v: \"1\") { a: int; } root_type R;",
        "table R { k: int (primary, v: \"1\"); } root_type R;", "enum E: int (v: \"1\") { A }",
      ]),
    StoreRule(
      "Tables, structs, enums and unions are codable, and nothing in them", "warning D0216",
      good: [
        """
        table R (codable) { k: int (primary); } root_type R; struct S (codable) { a: int; } enum E: int (codable) { A }
        union U (codable) { R }
        """
      ],
      bad: [
        root("a: int (codable);"), "struct S { a: int (codable); }", "enum E: int { A (codable) }",
        "table R {} union U { R (codable) }", "table R (codable: 1) { a: int; }",
        "table R {} rpc_service S (codable) { m(R): R; }",
      ]),
    StoreRule(
      "An attribute without effect is a warning", "warning D0216",
      good: [root("a: string (indexed); b: int;")],
      bad: [
        "table T (primary) {}", "table T (indexed) {}", "struct S (unique) { a: int; }", "enum E: int (indexed) { A }",
        "table R {} union U { R (unique) }", root("a: int (indexed: 1);"), root("a: int (unique: 0);"),
        root("a: int (primary: 2);", key: ""), "table T (deprecated) {}", "enum E: int { A (deprecated) }",
      ]),
  ]
}

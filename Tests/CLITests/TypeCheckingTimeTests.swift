import Foundation
import TestSupport
import Testing

/// Schemas whose types have many fields: the Swift compiler finds the types of each expression of their code at once.
@Suite("Time to type-check generated code")
struct TypeCheckingTimeTests {
  /// How long an expression may take, in milliseconds of processor time. An initializer of 2,000 fields has as many arguments,
  /// and one that replaces 40 missing vectors as many operators: each takes about 50 on a slow machine, and more beside other
  /// processes. An expression whose time grows faster than its length takes seconds.
  private static func limit(width: Int) -> Int { width > 300 ? 150 : 100 }

  @Test(
    "No expression takes long, however many fields a type has",
    arguments: [12, 40, 50, 300, 2_000])
  func noExpressionTakesLong(width: Int) throws {
    try withFolder { folder in
      for (name, text) in WideSchemas(width: width).texts { try folder.write(text, to: name + ".fbs") }
      let schemas = try folder.names().filter { $0.hasSuffix(".fbs") }
      let result = try run(
        productsFolder.appending(path: "dflatc"), ["compile", "-o", "out"] + schemas, in: folder)
      try #require(result.status == 0, "\(result.error.prefix(2_000))")
      let out = folder.appending(path: "out")
      let limit = Self.limit(width: width)
      var slow = try slowExpressions(over: limit, in: out)
      // What another process on the machine has slowed down is fast in another run.
      for _ in 0..<4 where !slow.isEmpty { slow = slow.intersection(try slowExpressions(over: limit, in: out)) }
      #expect(slow.isEmpty, "\(slow.sorted().prefix(20).joined(separator: "\n"))")
    }
  }

  /// The places of the expressions that take longer than a limit.
  private func slowExpressions(over limit: Int, in folder: URL) throws -> Set<String> {
    // The first expressions of a module pay for tables of all that is in it, and thus stand in files of their own.
    let files = try folder.names().filter { $0.hasSuffix(".swift") }.sorted { isFirst($0) && !isFirst($1) }
    let result = try typecheck(
      files, in: folder,
      more: ["-warn-long-expression-type-checking=\(limit)", "-solver-expression-time-threshold=1"].flatMap {
        ["-Xfrontend", $0]
      })
    let lines = result.error.split(separator: "\n")
    let others = lines.filter { $0.contains(": error: ") && !$0.contains("reasonable time") }
    #expect(others.isEmpty, "\(others.prefix(3))")
    let places = lines.filter { line in
      line.contains(".swift:") && (line.contains("expression took") || line.contains("reasonable time"))
    }.compactMap { $0.components(separatedBy: ": ").first }
    return Set(places.filter { place in !isFirst(URL(fileURLWithPath: place).lastPathComponent) })
  }

  private func isFirst(_ file: String) -> Bool { file.hasPrefix("first") }
}

/// Schemas with types that have `width` fields.
private struct WideSchemas {
  let width: Int

  /// What a field of a table may be: one of those whose code has the same expressions.
  private static let kinds = [
    "E", "E = On", "E = null", "F", "F = \"R G\"", "F = null", "bool = true", "int", "int = -7", "int = null",
    "ulong = 18446744073709551615", "float = nan", "float = -2.5", "double = -inf", "string", "string = \"x\"",
    "string (required)", "V", "V (required)", "Leaf", "Leaf (required)", "U", "U (required)", "[int]", "[E]", "[F]",
    "[string]", "[V]", "[Leaf]", "[U]", "[int] (required)", "[ubyte] (nested_flatbuffer: \"Leaf\")",
    "string (offset64)", "[ubyte] (vector64)",
  ]

  /// Of the widest tables there is one of each of these, unless all are asked for.
  private static let commonKinds = ["E = On", "int = null", "float = -2.5", "string = \"x\"", "U"]

  private static let types = """
    enum E: byte { Off, On, Dark_Blue, X = 9 }
    enum F: ubyte (bit_flags) { R, G, B }
    struct V { x: float; y: double; e: E; f: F; a: [int:2]; }
    table Leaf { n: int; }
    table Other { n: string; }
    union U { Leaf, Other, text: string }

    """

  /// Schemas by their names. Each is a namespace of its own.
  var texts: [String: String] {
    var random = SeededGenerator(seed: 7)
    let isWidest = width > 300 && ProcessInfo.processInfo.environment["DFLAT_ALL_KINDS"] == nil
    // A table cannot hold more than 1,000 others in itself.
    let kinds = isWidest ? Self.commonKinds : Self.kinds.filter { width <= 1_000 || $0 != "Leaf (required)" }
    let mix = (0..<width).map { _ in random.pick(Self.kinds) }
    var texts = [
      "tables": tables(kinds), "mixed": table("T (codable)", mix), "root": root(mix), "keys": keys,
      "recursive": table("T", [String](repeating: "T", count: width)), "structs": structs, "unions": unions,
    ]
    texts = texts.mapValues { Self.types + $0 }
    texts["first"] = Self.types + tables(Self.kinds, width: 2) + root(["V (required)", "string (primary)"])
    return Dictionary(uniqueKeysWithValues: texts.map { ($0, "namespace N\($0);\n\($1)") })
  }

  private func table(_ name: String, _ kinds: [String]) -> String {
    "table \(name) { " + kinds.enumerated().map { "f\($0): \($1); " }.joined() + "}\n"
  }

  private func tables(_ kinds: [String], width: Int? = nil) -> String {
    kinds.enumerated().map { index, kind in
      table("T\(index)\(index % 3 == 0 ? " (codable)" : "")", [String](repeating: kind, count: width ?? self.width))
    }.joined()
  }

  private func root(_ kinds: [String]) -> String {
    table("Root", ["int (primary)"] + kinds) + "root_type Root;\n"
  }

  /// A root table with many primary keys and many indexes.
  private var keys: String {
    let attributes = ["primary", "indexed", "unique"]
    return root(
      (0..<width).map { index in
        let type = ["int", "string", "E = Off", "double", "bool"][index % 5]
        return "\(type) (\(attributes[3 * index / width]))"
      })
  }

  private var structs: String {
    let kinds = ["int", "E", "F", "bool", "V", "[int:3]", "[E:2]", "[V:2]"]
    let fields = (0..<width).map { "f\($0): \(kinds[$0 % kinds.count]); " }.joined()
    return "struct S { \(fields)}\nstruct K { s: [S:2] (key); }\ntable L { s: S (key); }\n"
      + "table T (codable) { s: S; k: [K]; l: [L]; }\n"
  }

  private var unions: String {
    let members = (0..<min(width, 250)).map { "m\($0): \(["Leaf", "Other", "V", "string"][$0 % 4])" }
    let table = "table T (codable) { w: W; v: [W]; }\n"
    let values = (0..<width).map { "V\($0)" }.joined(separator: ", ")
    return "union W { \(members.joined(separator: ", ")) }\nenum Many: int { \(values) }\n\(table)"
  }
}

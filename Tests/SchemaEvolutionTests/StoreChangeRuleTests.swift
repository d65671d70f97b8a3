import ConformanceSupport
import FBSSchema
import SchemaEvolution
import TestSupport
import Testing

/// What a store knows is compared by what it would write: the names of tables, the columns of keys, the keys of indexes.
@Suite("Rules about stores, by the names that are on disk")
struct StoreChangeRuleTests {
  /// A root table, put together at random, with what a store makes of it: worked out here from the layout on disk.
  private struct Stored {
    var namespace = "App"
    var name = "Post"
    var version: String?
    var keys = ["a"]
    /// The indexes of each field, as its attributes ask for them.
    var indexes: [String: [String]] = [:]
    var order = ["a", "b", "c", "d", "e"]

    var text: String {
      let fields = order.enumerated().map { _, name in
        var attributes = ["id: \(["a": 0, "b": 1, "c": 2, "d": 3, "e": 4][name] ?? 0)"]
        if keys.contains(name) { attributes.append("primary") }
        attributes += indexes[name] ?? []
        return "  \(name): \(name == "e" ? "[string]" : "string") (\(attributes.joined(separator: ", ")));\n"
      }
      let v = version.map { " (v: \"\($0)\")" } ?? ""
      return "namespace \(namespace);\ntable \(name)\(v) {\n\(fields.joined())}\nroot_type \(name);\n"
    }

    var tableName: String {
      "\(namespace)__\(name)".lowercased() + (version.map { "_v" + $0.replacing(".", with: "_") } ?? "")
    }
    var columns: [String] { order.filter { keys.contains($0) } }
    /// The names of the indexes on disk, with whether they are unique.
    var indexKeys: [String: Bool] {
      let offsets = ["a": 4, "b": 6, "c": 8, "d": 10, "e": 12]
      var result: [String: Bool] = [:]
      for (field, attributes) in indexes {
        for attribute in attributes {
          let isFolded = attribute.hasSuffix("\"folded\"")
          guard isFolded || !keys.contains(field) else { continue }
          let key = "f\(offsets[field] ?? 0)" + (field == "e" ? "__elements" : "") + (isFolded ? "__folded15" : "")
          result[key] = attribute.hasPrefix("unique") || result[key] == true
        }
      }
      return result
    }

    private static let kinds: [[String]] = [
      ["indexed"], ["unique"], ["indexed: \"folded\""], ["unique: \"folded\""], ["indexed", "unique: \"folded\""],
      ["unique", "indexed: \"folded\""],
    ]

    static func random(_ random: inout SeededGenerator) -> Stored {
      var result = Stored()
      result.namespace = random.pick(["App", "App", "APP", "Other"])
      result.name = random.pick(["Post", "Post", "POST", "Note"])
      result.version = random.pick([nil, nil, "1", "1.1"])
      result.keys = random.pick([["a"], ["a"], ["a", "b"], ["b"]])
      for field in ["c", "d"] where random.once(in: 2) { result.indexes[field] = random.pick(kinds) }
      if random.once(in: 4) { result.indexes["b"] = ["indexed: \"folded\""] }
      if random.once(in: 2) { result.indexes["e"] = random.pick([["indexed"], ["indexed: \"folded\""]]) }
      if random.once(in: 4) { result.order = ["b", "a", "c", "d", "e"] }
      return result
    }
  }

  @Test("A finding is there if and only if a store would look elsewhere, for other columns, or at other indexes")
  func random() throws {
    var random = SeededGenerator(seed: 7)
    var seen: Set<String> = []
    for _ in 0..<600 {
      let (old, new) = (Stored.random(&random), Stored.random(&random))
      let found = try findings(old.text, new.text)
      let rules = Set(found.map(\.rule.id))
      seen.formUnion(rules)
      let context = "\(old.text)\(new.text)\(found.map { "\($0.rule.id): \($0.message)" })"
      let isElsewhere = old.tableName != new.tableName
      let isOtherKey = old.columns != new.columns
      let isRenewed =
        isElsewhere && "\(old.namespace)__\(old.name)".lowercased() == "\(new.namespace)__\(new.name)".lowercased()
      #expect(rules.contains("table-renamed") == (isElsewhere && !(isRenewed && isOtherKey)), "\(context)")
      #expect(rules.contains("version-required") == (isRenewed && isOtherKey), "\(context)")
      #expect(rules.contains("primary-key") == (isOtherKey && !isRenewed), "\(context)")
      // What loses objects is what data shows; what an index does is not.
      for finding in found where finding.rule.level == .storage {
        let isIndex = ["index-added", "index-removed", "unique-added"].contains(finding.rule.id)
        #expect((finding.evidence == .precaution) == isIndex, "\(finding.rule.id)")
      }
      guard !isRenewed else { continue }
      let (before, after) = (old.indexKeys, new.indexKeys)
      #expect(
        rules.contains("index-added") == after.contains { before[$0.key] == nil && !$0.value }, "\(context)")
      // Fields that were there may hold one value twice; an index that was there may be of the other kind.
      #expect(rules.contains("unique-added") == after.contains { $0.value && before[$0.key] != true }, "\(context)")
      #expect(
        rules.contains("index-removed")
          == before.contains { after[$0.key] == nil || ($0.value && after[$0.key] == false) }, "\(context)")
    }
    #expect(seen.isSuperset(of: ["table-renamed", "version-required", "primary-key", "index-added", "index-removed"]))
  }

  @Test(
    "Another spelling of a version that names the same table is no new version",
    arguments: [("1.1", "1_1"), ("a", "A")])
  func respelledVersions(_ before: String, _ after: String) throws {
    func text(_ version: String, _ type: String) -> String {
      "table Post (v: \"\(version)\") { id: \(type) (primary); } root_type Post;"
    }
    #expect(try rules(text(before, "string"), text(after, "string")) == [])
    let found = try findings(text(before, "string"), text(after, "long"))
    #expect(found.contains { $0.rule.id == "primary-key" && $0.severity == .error }, "\(found.map(\.message))")
    #expect(!found.contains { $0.rule.id == "version-required" })
  }

  @Test("A key in a table that another root shares stays an error, whatever the version of the other root")
  func sharedTables() throws {
    let common = "table C { x: int; }\n"
    let changed = "table C { x: long; }\n"
    func files(_ common: String, _ version: String) -> [String: String] {
      [
        "s/c.fbs": common,
        "s/a.fbs": "include \"c.fbs\";\ntable A (v: \"\(version)\") { id: string (primary); c: C; }\nroot_type A;\n",
        "s/b.fbs": "include \"c.fbs\";\ntable B { id: string (primary); c: C; }\nroot_type B;\n",
      ]
    }
    let found = SchemaEvolution.compare(
      old: try version(files(common, "1")), new: try version(files(changed, "2")))
    // B still reads what C changed; A leaves nothing behind but what its version does.
    #expect(found.contains { $0.rule.id == "field-type" && $0.severity == .error })
  }

  @Test("Of more than 20,000 indexes of a root table, each that becomes unique is found")
  func manyIndexes() throws {
    let indexed = (0..<150).map { "i\($0): int (indexed);" }.joined(separator: " ")
    let wide = (0..<200).map { "w\($0): Wide;" }.joined(separator: " ")
    func text(_ attribute: String) -> String {
      """
      table First { x: int (\(attribute)); } table Last { x: int (\(attribute)); } table Wide { \(indexed) }
      table Post { id: string (primary); first: First; \(wide) last: Last; } root_type Post;
      """
    }
    #expect(try rules(text("indexed"), text("unique")) == ["unique-added", "unique-added"])
  }

  @Test("The fix that removes an attribute leaves a comment between the parentheses alone, or is not offered")
  func removalBesideComments() throws {
    let old = "table Post { id: string (primary); x: int; }\nroot_type Post;\n"
    let new = "table Post { id: string (primary); x: int ( // see (1)\n unique); }\nroot_type Post;\n"
    let found = try #require(try findings(old, new).first { $0.rule.id == "unique-added" })
    guard let fix = found.fix else { return }
    var bytes = Array(new.utf8)
    bytes.replaceSubrange(fix.range.start..<fix.range.end, with: Array(fix.replacement.utf8))
    #expect(try findings(old, String(decoding: bytes, as: UTF8.self)).isEmpty)
  }

  @Test("An index in a nested table is found by the way that leads to it")
  func nestedIndexes() throws {
    let old = """
      table C { x: int; y: int (indexed); } table A { c: C; } union U { A, C }
      table Post { id: string (primary); a: A; u: U; } root_type Post;
      """
    let new = old.replacing("x: int", with: "x: int (indexed)")
    let found = try findings(old, new)
    // Three ways lead to the field: one finding, at the one attribute.
    #expect(found.map(\.rule.id) == ["index-added"])
    let more = try findings(old, old.replacing("u: U;", with: "u: U; more: C;"))
    #expect(more.map(\.rule.id) == ["index-added", "field-added"])
  }

  /// The findings about the indexes of a field, between two versions of its declaration, in alphabetical order.
  private func changes(_ old: String, _ new: String) throws -> [String] {
    func text(_ field: String) -> String { "table Post { id: string (primary); \(field); } root_type Post;" }
    return try findings(text(old), text(new)).map { finding in
      let key = finding.harm.firstMatch(of: /`f[^`]*`/).map { " \($0.output)" } ?? ""
      return "\(finding.severity.rawValue) \(finding.message)\(key)"
    }.sorted()
  }

  @Test("An index of folded texts or of elements that comes or goes is reported, with its name on disk")
  func kinds() throws {
    #expect(
      try changes("a: string", "a: string (indexed: \"folded\")")
        == ["note the folded text of `a` is indexed `f6__folded15`"])
    #expect(
      try changes("a: string (indexed)", "a: string (indexed: \"folded\")") == [
        "note the folded text of `a` is indexed `f6__folded15`",
        "note the text of `a` itself is no longer indexed `f6`",
      ])
    #expect(
      try changes("a: string (indexed: \"folded\")", "a: string (indexed)") == [
        "note `a` is indexed `f6`", "note the folded text of `a` is no longer indexed `f6__folded15`",
      ])
    #expect(
      try changes("a: [int]", "a: [int] (indexed)") == ["note the elements of `a` are indexed `f6__elements`"])
    #expect(
      try changes("a: [string] (indexed)", "a: [string] (indexed: \"folded\")") == [
        "note the elements of `a` are no longer indexed `f6__elements`",
        "note the folded elements of `a` are indexed `f6__elements__folded15`",
      ])
    #expect(
      try changes("a: [int] (indexed)", "a: [int] (deprecated)").contains(
        "note the elements of `a` are no longer indexed `f6__elements`"))
  }

  @Test("A field that becomes unique without differences of case is reported, whatever index it had")
  func uniqueFolded() throws {
    for old in ["a: string", "a: string (indexed)", "a: string (indexed: \"folded\")", "a: string (unique)"] {
      let found = try changes(old, "a: string (unique: \"folded\")")
      #expect(found.contains("warning the folded text of `a` became unique"), "\(old): \(found)")
    }
    let text = "table Post { id: string (primary); a: string (unique); } root_type Post;"
    let found = try findings(text, text.replacing("unique", with: "unique: \"folded\""))
    #expect(found.first { $0.rule.id == "unique-added" }?.harm.contains("in case or diacritics alone") == true)
    #expect(
      try changes("a: string (unique: \"folded\")", "a: string (indexed: \"folded\")")
        == ["warning the folded text of `a` is no longer unique"])
    #expect(
      try changes("a: string (unique: \"folded\")", "a: string (unique: \"folded\", indexed)")
        == ["note `a` is indexed `f6`"])
  }

  @Test("The fix for a field that becomes unique without differences of case takes the attribute away")
  func uniqueFoldedFix() throws {
    let old = "table Post { id: string (primary); x: string (indexed); }\nroot_type Post;\n"
    let new = old.replacing("indexed", with: "indexed, unique: \"folded\"")
    let fix = try #require(try findings(old, new).first { $0.rule.id == "unique-added" }?.fix)
    var bytes = Array(new.utf8)
    bytes.replaceSubrange(fix.range.start..<fix.range.end, with: Array(fix.replacement.utf8))
    #expect(String(decoding: bytes, as: UTF8.self) == old)
  }

  @Test("Root tables that no store takes, since they have no key, are only warned about")
  func withoutKey() throws {
    let found = try findings("table A { x: int; } root_type A;", "table B { x: int; } root_type B;")
    #expect(found.contains { $0.rule.id == "table-renamed" && $0.severity == .warning })
    #expect(!found.contains { $0.severity == .error })
  }
}

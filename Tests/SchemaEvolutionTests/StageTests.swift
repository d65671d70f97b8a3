import FBSSchema
import Testing

@testable import SchemaEvolution

/// Answers what a test has chosen, and remembers what it was asked.
private final class GivenRelations: TypeRelations {
  let relation: TypeRelation
  private(set) var asked: [TypePair] = []

  init(_ relation: TypeRelation) { self.relation = relation }

  func relate(_ pair: TypePair, in holder: TypePair) -> TypeRelation {
    asked.append(pair)
    return relation
  }

  func relateUnread(_ pair: TypePair) -> TypeRelation { relate(pair, in: pair) }
}

@Suite("The stages of a comparison, each on its own")
struct StageTests {
  private func versions(_ old: String, _ new: String) throws -> VersionPair {
    VersionPair(old: try version(old), new: try version(new))
  }

  private func pair(_ versions: VersionPair, _ old: String, _ new: String) throws -> TypePair {
    TypePair(
      old: try #require(versions.oldIndex.byName[QualifiedName(namespace: [], name: old)]),
      new: try #require(versions.newIndex.byName[QualifiedName(namespace: [], name: new)]))
  }

  @Test("A table's comparison asks how the types of its fields relate, and reports those that are two")
  func tableComparison() throws {
    let versions = try versions("table A {} table T { a: A; }", "table A {} table T { a: A; }")
    let (table, inner) = (try pair(versions, "T", "T"), try pair(versions, "A", "A"))
    for (relation, rules) in [(TypeRelation.same, []), (.alike, ["type-renamed"]), (.different, ["field-type"])] {
      let relations = GivenRelations(relation)
      let found = DefinitionComparison(pair: table, versions: versions, relations: relations).typeFindings()
      #expect(found.map(\.rule.id) == rules)
      #expect(relations.asked == [inner])
    }
  }

  @Test("A trial finds two types alike if all that they lead to is read alike")
  func likenessTrial() throws {
    let same = "table B { x: int; } table A { b: B; } table D { y: int; } table C { d: D; }"
    let versions = try versions(same, same)
    #expect(LikenessTrial(versions).isAlike(try pair(versions, "A", "C")))
    let other = try self.versions(same, same.replacing("y: int", with: "y: long"))
    #expect(!LikenessTrial(other).isAlike(try pair(other, "A", "C")))
  }

  @Test(
    "Types whose numbers count other things, or whose codes have other widths, are not alike",
    arguments: [
      ("table A { at: long (date: \"s\"); } table C { at: long (date: \"ms\"); }", false),
      ("struct A { at: long (date: \"s\"); } struct C { at: long (date: \"ms\"); }", false),
      ("table A { x: long (decimal: \"2\"); } table C { x: long (decimal: \"4\"); }", false),
      ("table M {} union A: ubyte { M } union C: ushort { M }", false),
      ("table M {} union A: ubyte { M } union C: byte { M }", true),
      ("table A { x: string; } table C { x: string (url); }", true),
    ])
  func likenessOfMeanings(_ text: String, _ isAlike: Bool) throws {
    let versions = try versions(text, text)
    #expect(LikenessTrial(versions).isAlike(try pair(versions, "A", "C")) == isAlike)
  }

  @Test("A trial that would compare too many pairs says that the types are two")
  func largeTrial() throws {
    func chain(_ letter: String, _ count: Int) -> String {
      (0..<count).map { "table \(letter)\($0) { \($0 + 1 < count ? "next: \(letter)\($0 + 1);" : "") }" }.joined(
        separator: " ")
    }
    for (count, isAlike) in [(LikenessTrial.maximumPairs, true), (LikenessTrial.maximumPairs + 1, false)] {
      let text = chain("A", count) + chain("B", count)
      let versions = try versions(text, text)
      #expect(LikenessTrial(versions).isAlike(try pair(versions, "A0", "B0")) == isAlike)
    }
  }

  @Test("Types that hold one another are matched by name, and a free type is matched only once")
  func matching() throws {
    let text = "table A { a: A; } table B {} table T { a: A; }"
    let versions = try versions(text, text)
    let matching = TypeMatching(versions)
    let (holder, pair) = (try pair(versions, "T", "T"), try pair(versions, "A", "A"))
    #expect(matching.relate(pair, in: holder) == .same)
    #expect(matching.relate(pair, in: holder) == .same)
    #expect(matching.pairs.popNext() == pair)
    #expect(matching.pairs.isEmpty)
    #expect(matching.uses[holder] == [pair, pair])
  }

  @Test("Root tables are matched by name, and one that is a root no longer is reported")
  func rootMatching() throws {
    let old = "table A { a: int; } table B { b: string; } root_type A;"
    let versions = try versions(old, old.replacing("root_type A", with: "root_type B"))
    var stage = RootMatching(versions: versions, matching: TypeMatching(versions))
    #expect(stage.run().isEmpty)
    #expect(stage.findings.map(\.rule.id) == ["root-type"])
    var same = RootMatching(versions: try self.versions(old, old), matching: TypeMatching(versions))
    #expect(same.run().count == 1)
    #expect(same.findings.isEmpty)
  }

  @Test("Tables that nothing holds are found again by their fields")
  func renamedTables() throws {
    let versions = try versions(
      "table A { a: int; b: string; }", "table Other { x: bool; } table Z { a: int; b: string; }")
    let matching = TypeMatching(versions)
    RenamedTables(versions: versions, matching: matching).match([TableID(0)])
    #expect(matching.pairs.popNext() == (try pair(versions, "A", "Z")))
  }
}

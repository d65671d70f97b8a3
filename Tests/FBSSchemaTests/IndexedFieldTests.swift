import ConformanceSupport
import FBSSchema
import Testing

@Suite("The indexed fields of a root table")
struct IndexedFieldTests {
  /// The ways to the indexed fields of the root, as names, with the kind of the index behind, and `!` if it is unique.
  private func ways(_ text: String) throws -> [String] {
    let result = SchemaCompiler.compile(inputs: ["a.fbs"], provider: SchemaTexts(["a.fbs": text]))
    let schema = result.schema
    let root = try #require(schema.files.compactMap(\.rootTable).first)
    return IndexedField.all(of: root, in: schema, IndexReach(schema)).map { indexed in
      let names = indexed.steps.map { step in
        switch step {
        case .field(let id, let index): return schema[id].fields[index].name
        case .structField(let id, let index): return schema[id].fields[index].name
        case .member(let id, let index, let number):
          let field = schema[id].fields[index]
          guard case .union(let union) = field.type else { return "no union" }
          return field.name + "=" + schema[union].members[number].name
        }
      }
      let kind =
        switch indexed.index.entries {
        case .value: ""
        case .foldedText: "~"
        case .elements: "[]"
        case .foldedElements: "[~]"
        }
      return names.joined(separator: ".") + kind + (indexed.isUnique ? "!" : "")
    }
  }

  @Test("Are found by way of tables, structs and unions, in the order of the text, and not of vectors")
  func order() throws {
    let found = try ways(
      """
      struct Inner { a: int (indexed); b: int; } struct Outer { c: int; inner: Inner; d: int (unique); }
      table Leaf { e: string (indexed); outer: Outer; } table Other { f: int; } union U { Leaf, Other, Inner, text: string }
      table Root { k: string (primary); g: int (unique); u: U (indexed); leaf: Leaf; leaves: [Leaf]; outer: Outer; other: Other;
        old: Leaf (deprecated); }
      root_type Root;
      """)
    #expect(
      found == [
        "g!", "u", "u=Leaf.e", "u=Leaf.outer.inner.a", "u=Leaf.outer.d!", "u=Inner.a", "leaf.e", "leaf.outer.inner.a",
        "leaf.outer.d!", "outer.inner.a", "outer.d!",
      ])
  }

  @Test("A primary key, of the root or of a table within it, is no indexed field")
  func primaryKeys() throws {
    let found = try ways(
      """
      table Inner { id: int (primary, indexed); n: int (indexed); } table Root { k: string (primary, indexed); inner: Inner; }
      root_type Root;
      """)
    #expect(found == ["inner.n"])
  }

  @Test("A field may have an index of its values and one of its folded texts, and a vector has one of its elements")
  func kinds() throws {
    let found = try ways(
      """
      table Inner { words: [string] (indexed: "folded"); }
      table Root { k: string (primary, indexed: "folded"); a: string (unique, indexed); b: string (indexed, unique: "folded");
        c: string (unique, indexed: "folded"); d: string (indexed: "folded", unique: "folded"); e: [int] (indexed); inner: Inner;
        inners: [Inner]; old: [int] (deprecated); days: [long] (date: "ms", indexed); }
      root_type Root;
      """)
    #expect(
      found == [
        "k~", "a!", "b", "b~!", "c!", "c~", "d~!", "e[]", "inner.words[~]", "days[]",
      ])
  }

  @Test("Attributes that a field cannot have make no index")
  func refused() throws {
    let found = try ways(
      """
      struct S { x: int (indexed: "folded"); list: [int: 2] (indexed); } table T { a: int; }
      table Root { k: int (primary); a: int (indexed: "folded"); b: [string] (unique); c: [T] (indexed); d: T (indexed);
        s: S (unique); e: string (uuid, indexed: "folded"); f: [ubyte] (flexbuffer, indexed); g: [int] (indexed: "folded"); }
      root_type Root;
      """)
    #expect(found == [])
  }

  @Test("The indexes on disk end in what they have entries of")
  func keySuffixes() {
    let suffixes = [IndexKind.Entries.value, .foldedText, .elements, .foldedElements].map(\.keySuffix)
    #expect(suffixes == ["", "__folded15", "__elements", "__elements__folded15"])
  }

  @Test("Countless ways to an index, which no store takes, are not all walked")
  func countlessWays() throws {
    let structs = (1...12).map { "struct S\($0) { a: S\($0 - 1); b: S\($0 - 1); }" }.joined(separator: "\n")
    let found = try ways(
      "struct S0 { x: byte (indexed); }\n\(structs)\ntable T { k: int (primary); s: S12; }\n"
        + "table Root { k: int (primary); \((0..<99).map { "t\($0): T; " }.joined()) } root_type Root;")
    #expect(found.count == 100_000)
  }

  @Test("A path of tables that leads back to itself ends")
  func circles() throws {
    #expect(
      try ways("table Root { k: int (primary); n: int (indexed); next: Root; } root_type Root;") == ["n"])
  }
}

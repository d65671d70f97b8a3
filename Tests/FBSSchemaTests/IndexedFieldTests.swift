import ConformanceSupport
import FBSSchema
import Testing

@Suite("The indexed fields of a root table")
struct IndexedFieldTests {
  /// The ways to the indexed fields of the root, as names, with `!` behind those that are unique.
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
      return names.joined(separator: ".") + (indexed.isUnique ? "!" : "")
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

  @Test("A path of tables that leads back to itself ends")
  func circles() throws {
    #expect(
      try ways("table Root { k: int (primary); n: int (indexed); next: Root; } root_type Root;") == ["n"])
  }
}

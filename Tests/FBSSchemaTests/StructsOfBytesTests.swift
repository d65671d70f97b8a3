import FBSSchema
import Testing

@Suite("A struct that is one array of bytes is a value")
struct StructsOfBytesTests {
  private func schema(_ structs: String, _ fields: String) throws -> Schema {
    let compilation = compile("\(structs) table T { \(fields) } root_type T;")
    try #require(compilation.errors.isEmpty, "\(compilation.errors.map(\.message))")
    return compilation.schema
  }

  @Test(
    "Only one array of `ubyte`, without another alignment, counts as bytes",
    arguments: [
      ("bytes: [ubyte:16];", "", 16), ("bytes: [uint8:1];", "", 1), ("bytes: [ubyte:60000];", "", 60_000),
      ("bytes: [ubyte:16];", "(force_align: 1)", 16), ("bytes: [ubyte:16];", "(force_align: 2)", nil),
      ("bytes: [byte:16];", "", nil), ("bytes: [bool:16];", "", nil), ("bytes: [ushort:8];", "", nil),
      ("byte: ubyte;", "", nil), ("bytes: [ubyte:15]; last: ubyte;", "", nil), ("inner: Inner;", "", nil),
      ("inner: [Inner:2];", "", nil),
    ] as [(String, String, Int?)])
  func byteCount(_ fields: String, _ attributes: String, _ count: Int?) throws {
    let schema = try schema(
      "struct Inner { bytes: [ubyte:16]; } struct S \(attributes) { \(fields) }", "id: int (primary); s: S; v: [S];")
    let structure = try #require(schema.structs.first { $0.name.name == "S" })
    #expect(structure.byteCount == count)
    #expect(schema.tables[0].fields.map(\.byteCount) == [nil, count, count])
  }

  @Test("`uuid` maps a struct of 16 bytes, in tables, vectors and structs")
  func mappings() throws {
    let schema = try schema(
      "struct ID { bytes: [ubyte:16]; } struct Pair { a: ID (uuid); b: ID; }",
      "id: ID (uuid, primary); plain: ID; all: [ID] (uuid); pair: Pair;")
    #expect(schema.tables[0].fields.map(\.mapping) == [.uuid, nil, .uuid, nil])
    let pair = try #require(schema.structs.first { $0.name.name == "Pair" })
    #expect(pair.fields.map(\.mapping) == [.uuid, nil])
    #expect(pair.fields.map(\.byteCount) == [16, 16])
    #expect(pair.byteCount == nil)
  }

  @Test("Such structs may be keys and have indexes, wherever numbers may")
  func indexes() throws {
    let text = """
      struct Pair { a: ID (indexed); b: ID; }
      struct ID { bytes: [ubyte:16]; }
      table T {
        id: ID (primary);
        second: ID (primary, unique);
        third: ID (unique);
        all: [ID] (indexed);
        pair: Pair;
      }
      root_type T;
      """
    let compilation = compile(text)
    #expect(compilation.errors.isEmpty)
    let schema = compilation.schema
    let file = try #require(schema.files.first)
    #expect(StoreValidator.validate(schema: schema, files: [file.id]).filter { $0.severity == .error }.isEmpty)
    let root = try #require(file.rootTable)
    let indexes = IndexedField.all(of: root, in: schema, IndexReach(schema))
    // `second` is unique without the rest of the key.
    #expect(indexes.map(\.steps.count) == [1, 1, 1, 2])
    #expect(indexes.map(\.index.entries) == [.value, .value, .elements, .value])
    #expect(indexes.map(\.isUnique) == [true, true, false, false])
  }

  @Test("Such structs may be the `key` by which vectors of tables and of structs are sorted, as UUIDs and as bytes")
  func keys() throws {
    let schema = try schema(
      """
      struct ID { bytes: [ubyte:16]; } struct Entry { id: ID (uuid, key); place: int; } struct Plain { id: ID (key); }
      table User { id: ID (uuid, key); name: string; } table Owner { id: ID (key); }
      """,
      "id: ID (uuid, primary); users: [User]; owners: [Owner]; entries: [Entry]; plain: [Plain];")
    for name in ["User", "Owner"] {
      let key = try #require(schema.tables.first { $0.name.name == name }?.fields.first)
      #expect(key.declaration.has("key") && key.byteCount == 16 && key.mapping == (name == "User" ? .uuid : nil))
    }
    for name in ["Entry", "Plain"] {
      let key = try #require(schema.structs.first { $0.name.name == name }?.fields.first)
      #expect(key.declaration.has("key") && key.byteCount == 16 && key.mapping == (name == "Entry" ? .uuid : nil))
    }
  }

  @Test("A struct that contains itself is no value, and no crash")
  func circles() {
    let compilation = compile(
      "struct A { b: B (uuid, indexed); } struct B { a: A (uuid); } table T { a: A (uuid, primary); }")
    #expect(compilation.errors.map(\.message).contains { $0.contains("contains itself") })
  }
}

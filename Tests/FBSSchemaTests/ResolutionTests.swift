import FBSParser
import FBSSchema
import Testing

@Suite("Resolution of a whole schema")
struct ResolutionTests {
  @Test("The README's schema resolves to its definitions, ids and offsets")
  func post() throws {
    let compilation = SchemaCompiler.compile(
      inputs: ["Fixtures/post/schema.fbs"], provider: FolderProvider(folder: repository))
    #expect(compilation.diagnostics.isEmpty)
    let schema = compilation.schema
    let post = try #require(schema.tables.last)
    #expect(post.name.description == "Post")
    #expect(post.fields.map(\.name) == ["title", "color", "tag", "priority", "content"])
    #expect(post.fields.map(\.id) == [0, 1, 2, 3, 5])
    #expect(post.fields.map(\.vtableOffset) == [4, 6, 8, 10, 14])
    #expect(post.slotCount == 6)
    #expect(post.primaryKey.map(\.name) == ["title"])
    #expect(post.fields[3].index == .plain)
    #expect(post.fields[3].presence == .defaulted(.integer(0)))
    #expect(schema.enums[0].values.map(\.name) == ["Red", "Green", "Blue"])
    #expect(schema.enums[0].values.map(\.number) == [0, 1, 2])
    #expect(schema.unions[0].members.map(\.code) == [1, 2])
    #expect(schema.files[0].rootTable == TableID(2))
    #expect(schema.files[0].definitions.count == 5)
  }
}

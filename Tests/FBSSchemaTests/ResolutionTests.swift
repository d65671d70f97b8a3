import ConformanceSupport
import FBSParser
import FBSSchema
import TestSupport
import Testing

@Suite("Resolution of a whole schema")
struct ResolutionTests {
  @Test("The README's schema resolves to its definitions, ids and offsets")
  func post() throws {
    let compilation = SchemaCompiler.compile(
      inputs: ["Fixtures/post/schema.fbs"], provider: SchemaFolder(packageFolder))
    #expect(compilation.diagnostics.isEmpty)
    let schema = compilation.schema
    let post = try #require(schema.tables.last)
    #expect(post.name.description == "Post")
    #expect(post.fields.map(\.name) == ["title", "color", "tag", "priority", "content"])
    #expect(post.fields.map(\.id) == [0, 1, 2, 3, 5])
    #expect(post.fields.map(\.vtableOffset) == [4, 6, 8, 10, 14])
    #expect(post.slotCount == 6)
    #expect(post.primaryKey.map(\.name) == ["title"])
    #expect(post.fields[3].indexes.map(\.summary) == [""])
    #expect(post.fields[3].presence == .defaulted(.integer(0)))
    #expect(schema.enums[0].values.map(\.name) == ["Red", "Green", "Blue"])
    #expect(schema.enums[0].values.map(\.number) == [0, 1, 2])
    #expect(schema.unions[0].members.map(\.code) == [1, 2])
    #expect(schema.files[0].rootTable == TableID(2))
    #expect(schema.files[0].definitions.count == 5)
  }

  @Test("An enum's numbers may be of another enum's type, wherever that is declared and however long the chain")
  func typesOfEnums() {
    let schema = compile("enum F: N.E { A = 255 } enum G: F { A } namespace N; enum E: ubyte { A }")
    #expect(schema.codes == [])
    #expect(schema.schema.enums.map(\.underlyingType) == [.uint8, .uint8, .uint8])
    let count = 20_000
    let chain = (0..<count).map { "enum E\($0): E\($0 + 1) { A }" }.joined() + "enum E\(count): short { A }"
    #expect(compile(chain).schema.enums.allSatisfy { $0.underlyingType == .int16 })
    #expect(compile("enum A: B { X } enum B: C { X } enum C: B { X }").codes == ["D0208"])
    #expect(compile("enum A: A { X = 300 }").codes == ["D0208"])
    #expect(compile("enum A: B { X } enum B: Missing { X = 300 }").codes == ["D0204"])
  }
}

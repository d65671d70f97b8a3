import Dflat
import FlatBuffersCore
import Foundation
import Golden_contents
import Golden_post
import Golden_structs
import SQLiteDflat
import Testing

private typealias Content = Golden_post.Content

@Suite("Generated code as apps of Dflat 0.6 use it")
struct GeneratedApiTests {
  private let api = GeneratedApi()
  private let post = Post(title: "t", color: .blue, tag: "x", priority: 7)

  @Test("An object has the values that it was made with, or the schema's defaults")
  func values() {
    #expect(api.make("t", nil, nil, nil, nil) == Post(title: "t"))
    let (title, color, tag, priority, content) = api.fields(api.make("t", .blue, "x", 7, nil))
    #expect(title == "t" && color == .blue && tag == "x" && priority == 7 && content == nil)
    #expect(api.isSame(post, api.make("t", .blue, "x", 7, nil)) && !api.isSame(post, api.renamed(post, "u")))
    #expect(!api.isStored(post))
  }

  @Test("Objects, and parts of them, survive their bytes")
  func bytes() throws {
    #expect(api.throughData(post) == post && api.schemaVersion() == nil)
    let bytes = ByteBuffer(Array(post.toData()))
    #expect(api.copy(Post.self, bytes) == post && api.version(Post.self) == nil)
    #expect(api.read(bytes) == post && api.isWellFormed(Post.self, bytes))
    #expect(api.read(ByteBuffer([1, 2, 3])) == nil)
    #expect(try api.copy(TextContent(text: "t")) && api.copy(ImageContent(images: ["i"])) && api.copy(post))
  }

  @Test("Parts are values with defaults, and unions are switched over")
  func parts() {
    #expect(api.parts("t", ["i", "j"]).map(api.describe) == ["t!", "i,j"])
    #expect(api.parts(nil, nil).map(api.describe) == ["", ""])
    #expect(api.colors() == [.red, .green, .blue])
  }

  @Test("Change requests create, change, replace and delete")
  func requests() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("generated-api-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("posts.sqlite3").path
    let dflat = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    #expect(await api.write(dflat, post))
    let stored = try #require(dflat.fetch(for: Post.self).all().first)
    #expect(stored == post && api.isStored(stored) && api.count(dflat, Post.self) == 1)
    #expect(await api.delete(dflat, stored))
    #expect(api.count(dflat, Post.self) == 0)
    await dflat.shutdown()
  }

  @Test("Namespaces, nested tables, structs, vectors of unions and versions are as they were")
  func otherSchemas() {
    let schemas = SchemasApi()
    let animal = schemas.animal(1, "Leo")
    #expect(animal.diet == .meat && animal.home != nil && schemas.create(animal).name.first == "Leo")
    #expect(schemas.isCalled("Leo").evaluate(animal) && !schemas.isCalled("Zed").evaluate(animal))
    #expect(schemas.move(nil, by: 2) == Vec3(x: 2) && schemas.move(Vec3(x: 1), by: nil) == Vec3(x: 1))
    #expect(schemas.copy(Vec3(x: 1, y: 2, z: 3)) == Vec3(x: 1, y: 2, z: 3))
    #expect(schemas.isAtOrigin().evaluate(Body(id: 1, origin: Vec3(z: 3))))
    #expect(!schemas.isAtOrigin().evaluate(Body(id: 1, origin: Vec3(x: 3))))
    let contents = ContentsApi()
    let items: [Item] = [.text("a"), .point(Point()), .note(Golden_contents.Note(text: "b"))]
    #expect(contents.texts(Page(number: 1, extras: [], letter: [], items: items)) == ["a", "b"])
    #expect(contents.version() == "1.1")
  }
}

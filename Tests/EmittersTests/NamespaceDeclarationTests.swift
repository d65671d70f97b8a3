import ConformanceSupport
import Emitters
import FBSSchema
import Testing

@Suite("The declarations of namespaces")
struct NamespaceDeclarationTests {
  private func declarations(
    _ files: [(name: String, text: String)], for emitter: String = "accessors"
  ) throws -> NamespaceDeclarations {
    let compilation = SchemaCompiler.compile(
      inputs: files.map(\.name), includePaths: [],
      provider: SchemaTexts(Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })))
    #expect(compilation.isValid)
    let emitter = try #require(EmitterRegistry.emitter(named: emitter))
    return try #require(CheckedSchema(compilation, emitters: [emitter]).generator).namespaces
  }

  /// The names and texts of files, without the two lines of the header.
  private func outputs(_ declarations: NamespaceDeclarations, _ files: NamespaceDeclarations.Files) -> [[String]] {
    declarations.files(files).map { file in
      let lines = String(decoding: file.content, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false)
      return [file.name, lines.dropFirst(2).joined(separator: "\n")]
    }
  }

  @Test("A namespace is an enum within those around it, and has a file of its own")
  func each() throws {
    let text = """
      namespace A.B; table T { x: int; }
      namespace A.C.D; table T { x: int; }
      namespace E; enum T: int { X }
      """
    let declarations = try declarations([("a.fbs", text)])
    #expect(
      outputs(declarations, .each) == [
        ["A_namespace_generated.swift", "\npublic enum A {}\n"],
        ["A.B_namespace_generated.swift", "\nextension A {\n  public enum B {}\n}\n"],
        ["A.C_namespace_generated.swift", "\nextension A {\n  public enum C {}\n}\n"],
        ["A.C.D_namespace_generated.swift", "\nextension A.C {\n  public enum D {}\n}\n"],
        ["E_namespace_generated.swift", "\npublic enum E {}\n"],
      ])
    #expect(outputs(declarations, .none).isEmpty)
  }

  @Test("A namespace is declared once over all inputs, and over all schemas that are added")
  func once() throws {
    let first = "namespace A; table T1 { x: int; }"
    let second = "namespace A; table T2 { x: int; }\nnamespace A.B; table T3 { x: int; }"
    var declarations = try declarations([("a.fbs", first), ("b.fbs", second)])
    declarations.add(try self.declarations([("c.fbs", "namespace A.B; table T4 { x: int; }")]))
    let expected = "\npublic enum A {}\n\nextension A {\n  public enum B {}\n}\n"
    #expect(outputs(declarations, .one("all.swift")) == [["all.swift", expected]])
  }

  /// A namespace that a class has the name of, and one within it.
  private static let shop = """
    namespace Shop; table Item { x: int; }
    namespace Shop.Parts; table Part { x: int; }
    namespace; table Shop { id: int (primary); item: Shop.Item; } root_type Shop;
    """

  @Test("A namespace that a root class of the same file stands for is not declared, and those within it are")
  func classes() throws {
    let inner = ["Shop.Parts_namespace_generated.swift", "\nextension Shop {\n  public enum Parts {}\n}\n"]
    #expect(outputs(try declarations([("a.fbs", Self.shop)], for: "data-model"), .each) == [inner])
    let outer = ["Shop_namespace_generated.swift", "\npublic enum Shop {}\n"]
    #expect(outputs(try declarations([("a.fbs", Self.shop)]), .each) == [outer, inner], "without the class")
  }

  @Test("A namespace is declared if an included file needs it, or a type that is no root class has its name")
  func classesThatGiveWay() throws {
    let first = "namespace Shop; table Item { x: int; }"
    let root = "namespace; table Shop { id: int (primary); item: Shop.Item; } root_type Shop;"
    let included = try declarations(
      [("a.fbs", first), ("b.fbs", "include \"a.fbs\";\n" + root)], for: "data-model")
    #expect(outputs(included, .one("all.swift")) == [["all.swift", "\npublic enum Shop {}\n"]])
    let other = "namespace; table Shop { x: int; } table Root { id: int (primary); } root_type Root;"
    let declared = try declarations([("a.fbs", first + other)], for: "data-model")
    #expect(outputs(declared, .one("all.swift")) == [["all.swift", "\npublic enum Shop {}\n"]])
  }

  @Test("Namespaces that differ in capitals alone share a file, which has one name wherever it is written")
  func capitals() throws {
    let declarations = try declarations([
      (
        "a.fbs",
        "namespace A; table T { x: int; }\nnamespace a; table T { x: int; }\nnamespace a.B; table T { x: int; }"
      )
    ])
    #expect(
      outputs(declarations, .each) == [
        ["A_namespace_generated.swift", "\npublic enum A {}\n\npublic enum a {}\n"],
        ["a.B_namespace_generated.swift", "\nextension a {\n  public enum B {}\n}\n"],
      ])
  }

  @Test("The files of one run are those of another that needs the same namespaces, byte for byte")
  func severalRuns() throws {
    let first = try declarations([("a.fbs", "namespace A; table T1 { x: int; }")]).files(.each)
    let second = try declarations([("b.fbs", "namespace A; table T2 { x: int; }")]).files(.each)
    #expect(first == second)
  }

  @Test("The global namespace needs no declaration, and what writes no Swift needs none")
  func global() throws {
    let declarations = try declarations([("a.fbs", "table T { x: int; }")])
    #expect(outputs(declarations, .each).isEmpty)
    #expect(outputs(declarations, .one("all.swift")) == [["all.swift", ""]])
    let compilation = SchemaCompiler.compile(
      inputs: ["a.fbs"], includePaths: [], provider: SchemaTexts(["a.fbs": "namespace A; table T { x: int; }"]))
    let diagram = try #require(EmitterRegistry.emitter(named: "diagram"))
    #expect(CheckedSchema(compilation, emitters: [diagram]).generator?.namespaces.files(.each).isEmpty == true)
  }
}

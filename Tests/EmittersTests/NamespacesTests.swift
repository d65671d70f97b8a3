import Emitters
import FBSSchema
import Testing

@Suite("The namespaces emitter")
struct NamespacesTests {
  private func outputs(_ files: [(name: String, text: String)]) throws -> [String] {
    let compilation = SchemaCompiler.compile(
      inputs: files.map(\.name), includePaths: [],
      provider: InMemoryProvider(Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })))
    #expect(compilation.isValid)
    let emitter = try #require(EmitterRegistry.emitter(named: "namespaces"))
    return try Generator(schema: compilation.schema, emitters: [emitter]).files().map { file in
      // Without the two lines of the header.
      String(decoding: file.content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropFirst(
        2
      )
      .joined(separator: "\n")
    }
  }

  @Test func aNamespaceIsAnEnumWithinThoseAroundIt() throws {
    let text = """
      namespace A.B; table T { x: int; }
      namespace A.C.D; table T { x: int; }
      namespace E; enum T: int { X }
      """
    #expect(
      try outputs([("a.fbs", text)]) == [
        """

        public enum A {
          public enum B {}

          public enum C {
            public enum D {}
          }
        }

        public enum E {}

        """
      ])
  }

  @Test func eachIsEmittedOnceOverAllInputs() throws {
    let first = "namespace A; table T1 { x: int; }"
    let second = "namespace A; table T2 { x: int; }\nnamespace A.B; table T3 { x: int; }"
    #expect(
      try outputs([("a.fbs", first), ("b.fbs", second)]) == [
        "\npublic enum A {}\n",
        "\nextension A {\n  public enum B {}\n}\n",
      ])
  }

  @Test func theGlobalNamespaceNeedsNone() throws {
    #expect(try outputs([("a.fbs", "table T { x: int; }")]) == [""])
  }
}

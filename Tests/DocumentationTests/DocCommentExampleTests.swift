import Foundation
import TestSupport
import Testing

/// Each example is compiled as the body of a function. The function's parameters are the values that a reader has at hand:
/// a workspace, the context of a transaction, an object, a result.
@Suite("The examples in doc comments")
struct DocCommentExampleTests {
  /// The declarations that the examples of a store use without making them.
  private static let storeSurroundings = """
    import Dflat
    import SQLiteDflat
    #if canImport(Combine)
      import Combine
    #else
      import DflatPublishers
    #endif

    enum Theme: String, Codable { case light, dark }

    @MainActor
    final class Examples {
      var subscription: (any WorkspaceSubscription)?
      var cancellables: Set<AnyCancellable> = []
      var titles: [String] = []

      func show(_ posts: FetchedResult<Post>) {}
      func show(_ post: Post) {}
      func send(_ text: String) async throws {}
    }
    """

  private static let storeParameters = [
    "transaction: any TransactionContext", "dictionary: any WorkspaceDictionary", "post: Post",
    "posts: FetchedResult<Post>",
  ]

  private struct Group {
    /// The page whose schemas the examples belong to.
    let page: String
    let emitters: String
    let surroundings: String
    let examples: [DocCommentExample]
  }

  private static func groups() throws -> [Group] {
    let examples = try DocCommentExample.all()
    return [
      Group(
        page: "README.md", emitters: "accessors,data-model,mutating,query", surroundings: storeSurroundings,
        examples: examples.filter { $0.module != "FlatBuffersCore" }),
      Group(
        page: "Documentation/flatbuffers.md", emitters: "accessors,editors",
        surroundings: "import FlatBuffersCore\n\n@MainActor\nfinal class Examples {}\n",
        examples: examples.filter { $0.module == "FlatBuffersCore" }),
    ]
  }

  /// Returns a source file with an example as the body of a method.
  private static func file(for example: DocCommentExample, number: Int) -> String {
    var imports: [String]
    var parameters: [String]
    switch example.module {
    case "FlatBuffersCore":
      imports = ["import FlatBuffersCore"]
      parameters = ["buffer: ByteBuffer"]
    case "PostgresDflat":
      imports = ["import Dflat", "import Foundation", "import PostgresDflat", "import SQLiteDflat"]
      parameters = ["workspace: PostgresWorkspace"] + storeParameters
    default:
      imports = ["import Dflat", "import Foundation", "import SQLiteDflat"]
      imports += ["#if canImport(Combine)", "import Combine", "#else", "import DflatPublishers", "#endif"]
      parameters = ["workspace: SQLiteWorkspace"] + storeParameters
    }
    var text = (imports + example.imports.map(String.init)).joined(separator: "\n")
    text += """


      extension Examples {
        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        func example\(number)(\(parameters.joined(separator: ", "))) async throws {
      #sourceLocation(file: "\(example.path)", line: \(example.line))
      \(example.body)
      #sourceLocation()
        }
      }

      """
    // Not every system has the frameworks of Apple's.
    for line in example.imports {
      text = "#if canImport(\(line.dropFirst("import ".count)))\n\(text)#endif\n"
    }
    return text
  }

  @Test("Every example in a doc comment compiles")
  func everyExampleCompiles() throws {
    for group in try Self.groups() {
      #expect(group.examples.count > 5, "\(group.page)")
      try withTemporaryFolder { folder in
        let schemas = try Page(group.page).schemas
        for schema in schemas { try folder.write(schema.text, to: schema.name) }
        let dflatc = productsFolder.appendingPathComponent("dflatc").path
        try runTool(dflatc, ["compile", "--emit", group.emitters, "-o", "."] + schemas.map(\.name), in: folder)
        try folder.write(group.surroundings, to: "Surroundings.swift")
        for (number, example) in group.examples.enumerated() {
          try folder.write(Self.file(for: example, number: number), to: "Example\(number).swift")
        }
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
          $0.hasSuffix(".swift")
        }
        // An example may be a lone expression, which would be warned of.
        do {
          try SnippetModule.typecheck(sources.sorted(), in: folder, warningsAreErrors: false)
        } catch let failure as ProgramFailure {
          let text = failure.description
          Issue.record("\(text.range(of: "exits with").map { text[$0.lowerBound...] } ?? text[...])")
        }
      }
    }
  }

  @Test("An example is found with its line, and without the slashes")
  func findings() {
    let source = """
        /// It adds.
        ///
        /// ```swift
        /// import Foundation
        ///
        /// a + b
        /// ```
        let a = 1

      """
    let examples = DocCommentExample.examples(of: source, path: "Sources/DflatRuntime/Dflat/a.swift")
    #expect(examples.map(\.text) == ["import Foundation\n\na + b"])
    #expect(examples.map(\.line) == [4])
    #expect(examples.map(\.module) == ["Dflat"])
    #expect(examples.map(\.imports) == [["import Foundation"]])
  }
}

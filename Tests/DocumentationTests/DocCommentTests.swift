import Foundation
import TestSupport
import Testing

@Suite("The doc comments of the runtime")
struct DocCommentTests {
  /// What Swift writes down of a module's public symbols.
  private struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable { let identifier: String }
      struct Location: Decodable {
        struct Position: Decodable { let line: Int }
        let uri: String
        let position: Position
      }
      struct DocComment: Decodable {
        struct Line: Decodable { let text: String }
        let lines: [Line]

        /// The lines before the first empty line or list.
        var firstParagraph: String {
          lines.map { $0.text.trimmingCharacters(in: .whitespaces) }
            .prefix { !$0.isEmpty && !$0.hasPrefix("- ") }.joined(separator: " ")
        }
      }
      let kind: Kind
      let pathComponents: [String]
      let docComment: DocComment?
      let location: Location?
    }
    let symbols: [Symbol]
  }

  /// Members whose names begin with an underscore are for generated code: Swift leaves them out.
  @Test(
    "Every public symbol has a doc comment whose first paragraph ends a sentence",
    arguments: ["FlatBuffersCore", "Dflat", "DflatPublishers", "SQLiteDflat", "PostgresDflat"])
  func everyPublicSymbolHasOneThatBeginsWithASentence(module: String) throws {
    let information = try JSONDecoder().decode(
      TargetInformation.self, from: runTool("swiftc", ["-print-target-info"]))
    try withTemporaryFolder { folder in
      var options: [String] = []
      let map = productsFolder.appendingPathComponent("COpenCombineHelpers.build/module.modulemap").path
      if FileManager.default.fileExists(atPath: map) { options += ["-Xcc", "-fmodule-map-file=" + map] }
      #if os(macOS)
        let sdk = try runTool("xcrun", ["--show-sdk-path"])
        options += ["-sdk", String(decoding: sdk, as: UTF8.self).trimmingCharacters(in: .newlines)]
      #endif
      try runTool(
        "swift",
        [
          "symbolgraph-extract", "-module-name", module, "-target", information.target.triple,
          "-I", productsFolder.appendingPathComponent("Modules").path,
          "-I", packageFolder.appendingPathComponent("Sources/CSQLite").path,
        ] + (try PostgresLibrary.options) + [
          "-output-dir", folder.path, "-skip-synthesized-members", "-skip-inherited-docs",
        ] + options)
      var count = 0
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        for symbol in try JSONDecoder().decode(SymbolGraph.self, from: data).symbols {
          // What Swift itself adds, such as the `init(rawValue:)` of an enum, has no place in the source.
          guard let location = symbol.location else { continue }
          count += 1
          let place = "\(location.uri):\(location.position.line + 1): \(symbol.pathComponents.joined(separator: "."))"
          // Without a comment there is no end.
          let end = symbol.docComment?.firstParagraph.last
          #expect(end == "." || end == ":", "\(place)")
        }
      }
      #expect(count > 20)
    }
  }

  /// DocC warns of links to symbols that there are not, and of parameters that a comment forgets.
  @Test(
    "DocC builds the reference and the guides without warnings",
    .enabled(if: hasDocC, "there is no DocC: it comes with Swift's toolchains"))
  func theReferenceAndTheGuidesAreWrittenWithoutWarnings() throws {
    try withTemporaryFolder { folder in
      let result = try runProgram(
        packageFolder.appendingPathComponent("Scripts/reference.sh").path, [folder.path],
        environment: ["MODULES": productsFolder.path])
      try #require(result.isSuccess, "\(String(decoding: (result.output + result.error).suffix(4000), as: UTF8.self))")
      let pages = folder.appendingPathComponent("data/documentation").path
      for name in ["guides", "sqlitedflat", "flatbufferscore", "dflat/workspace", "dflat/concurrency"] {
        #expect(FileManager.default.fileExists(atPath: "\(pages)/\(name).json"), "\(name)")
      }
    }
  }

  private static let hasDocC = (try? runTool("sh", ["-c", "command -v docc || xcrun --find docc"])) != nil

  private struct TargetInformation: Decodable {
    struct Target: Decodable { let triple: String }
    let target: Target
  }
}

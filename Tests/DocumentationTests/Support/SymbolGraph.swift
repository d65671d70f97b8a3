import Foundation
import TestSupport

/// The public symbols of a module, as `swift symbolgraph-extract` writes them. It leaves out members whose names begin with an underscore: they are for
/// generated code.
struct SymbolGraph: Decodable {
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

      var hasExample: Bool { lines.contains { $0.text == "```swift" } }
    }
    let kind: Kind
    let pathComponents: [String]
    let docComment: DocComment?
    /// Nil for what Swift itself adds, such as the `init(rawValue:)` of an enum: it has no place in the source.
    let location: Location?

    var path: String { pathComponents.joined(separator: ".") }

    /// Whether the symbol is a type, a protocol or a type alias that is not nested in another.
    var isTopLevelType: Bool {
      pathComponents.count == 1
        && ["class", "enum", "protocol", "struct", "typealias"].contains { kind.identifier == "swift.\($0)" }
    }
  }
  let symbols: [Symbol]

  /// Returns the public symbols of a module that was built, also those that it adds to other modules' types.
  static func symbols(of module: String) throws -> [Symbol] {
    let information = try JSONDecoder().decode(TargetInformation.self, from: runTool("swiftc", ["-print-target-info"]))
    return try withTemporaryFolder { folder in
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
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).flatMap { name in
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        return try JSONDecoder().decode(SymbolGraph.self, from: data).symbols
      }
    }
  }

  private struct TargetInformation: Decodable {
    struct Target: Decodable { let triple: String }
    let target: Target
  }
}

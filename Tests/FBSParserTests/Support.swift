import FBSDiagnostics
import Foundation

@testable import FBSParser

func parse(_ bytes: [UInt8]) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
  Parser.parse(SourceFile(id: FileID(0), path: "a.fbs", bytes: bytes))
}

func parse(_ text: String) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
  parse(Array(text.utf8))
}

func codes(_ text: String) -> [String] {
  parse(text).diagnostics.map(\.code.id)
}

extension SyntaxTree {
  var written: [UInt8] {
    var output: [UInt8] = []
    write(to: &output)
    return output
  }

  var texts: [String] { tokens.indices.dropLast().map { text(of: $0) } }
}

/// All schemas of the repository's fixtures.
let fixtures: [String: [UInt8]] = {
  let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures")
  var files: [String: [UInt8]] = [:]
  for case let url as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) ?? .init()
  where url.pathExtension == "fbs" {
    // A file that cannot be read leaves a gap, which the test of their number notices.
    files[url.path] = (try? Data(contentsOf: url)).map { [UInt8]($0) }
  }
  return files
}()

/// A generator whose numbers are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

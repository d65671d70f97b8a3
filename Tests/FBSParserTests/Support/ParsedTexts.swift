import FBSDiagnostics
import Foundation
import TestSupport

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
  let root = packageFolder.appendingPathComponent("Fixtures")
  var files: [String: [UInt8]] = [:]
  for case let url as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) ?? .init()
  where url.pathExtension == "fbs" {
    // A file that cannot be read leaves a gap, which the test of their number notices.
    files[url.path] = (try? Data(contentsOf: url)).map { [UInt8]($0) }
  }
  return files
}()

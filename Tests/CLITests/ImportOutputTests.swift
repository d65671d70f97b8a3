import Foundation
import TestSupport
import Testing

@Suite("Outputs of dflatc import")
struct ImportOutputTests {
  private static let texts = [
    "a/types.proto": "message A {}", "b/types.proto": "message B {}", "c/Types.proto": "message C {}",
  ]

  private func withFiles(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      for (path, text) in Self.texts { try folder.write(text, to: path) }
      try body(folder)
    }
  }

  private func importing(_ arguments: [String], in folder: URL) throws -> ProcessResult {
    try run(productsFolder.appending(path: "dflatc"), ["import", "-o", "out"] + arguments, in: folder)
  }

  @Test(
    "Two files whose schemas would have one name are refused, also where only case tells the names apart",
    arguments: [
      ["a/types.proto", "b/types.proto"], ["-I", "a", "-I", "b", "a/types.proto", "b/types.proto"],
      ["a/types.proto", "c/Types.proto"],
    ])
  func sharedName(_ arguments: [String]) throws {
    try withFiles { folder in
      let result = try importing(arguments, in: folder)
      #expect(result.status == 2, "\(result.error)")
      let files = arguments.suffix(2).joined(separator: " and ")
      #expect(result.error.contains("\(files) would both be "), "\(result.error)")
      #expect(try !folder.names().contains("out"))
    }
  }

  @Test("Below a folder that -I names, files of one name keep their paths")
  func pathsBelowFolder() throws {
    try withFiles { folder in
      let result = try importing(["-I", ".", "a/types.proto", "b/types.proto"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      for (path, table) in [("a/types.fbs", "table A"), ("b/types.fbs", "table B")] {
        #expect(try String(contentsOf: folder.appending(path: "out/\(path)"), encoding: .utf8).contains(table))
      }
    }
  }

  @Test("A file that is named twice is made once, with its notes")
  func namedTwice() throws {
    try withFiles { folder in
      try folder.write("message D { int32 x = 2; }", to: "d.proto")
      let result = try importing(["d.proto", "./d.proto"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.error.components(separatedBy: "note: ").count == 2, "\(result.error)")
      #expect(try folder.appending(path: "out").names() == ["d.fbs"])
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("The file in which a copy is made is given its name, or removed, and no other file is")
struct PartialFileTests {
  /// Makes the file of a copy, and has `change` change what is at its path before `end` is called with it.
  ///
  /// - Returns: the names and contents of the files that are left.
  private func files(
    after change: (URL) throws -> Void, _ end: (PartialFile) throws -> Void
  ) throws -> [String: String] {
    try withTemporaryFolder { folder in
      do {
        let file = try PartialFile(for: folder.path + "/copy")
        let url = URL(fileURLWithPath: file.path)
        try Data("own".utf8).write(to: url)
        try change(url)
        try end(file)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.map { name in
          (name, try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
        })
    }
  }

  /// Moves the file of a copy away, and puts another one in its place.
  private func replace(_ url: URL) throws {
    try FileManager.default.moveItem(at: url, to: url.deletingLastPathComponent().appendingPathComponent("moved"))
    try Data("other".utf8).write(to: url)
  }

  @Test("A copy that is given up removes its file")
  func givenUp() throws {
    #expect(try files(after: { _ in }, { _ in }) == [:])
  }

  @Test("A copy that is given up leaves a file that has replaced its own")
  func replaced() throws {
    #expect(try files(after: replace, { _ in }) == ["moved": "own", "copy.dflat-partial": "other"])
  }

  @Test("A copy whose file was replaced gives no other file its name", arguments: [false, true])
  func finishingWhatWasReplaced(isReplacing: Bool) throws {
    let files = try files(after: replace) { file in
      #expect(throws: SQLiteError.self) { try file.finish(replacing: isReplacing) }
    }
    #expect(files == ["moved": "own", "copy.dflat-partial": "other"])
  }

  @Test("A copy does not empty a finished one that a killed process has left under both names")
  func finishedCopyOfTwoNames() throws {
    try withTemporaryFolder { folder in
      let destination = folder.appendingPathComponent("copy")
      try Data("finished".utf8).write(to: destination)
      #expect(link(destination.path, PartialFile.path(for: destination.path)) == 0)
      do {
        let file = try PartialFile(for: destination.path)
        try Data("new".utf8).write(to: URL(fileURLWithPath: file.path))
        #expect(try String(contentsOf: destination, encoding: .utf8) == "finished")
        try file.finish(replacing: true)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["copy"])
      #expect(try String(contentsOf: destination, encoding: .utf8) == "new")
    }
  }
}

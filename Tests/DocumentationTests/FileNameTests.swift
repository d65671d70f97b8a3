import Foundation
import TestSupport
import Testing

/// A file's name says what is in it: so no two say the same.
@Suite("Names of files")
struct FileNameTests {
  @Test func noTwoFilesOfThePackageHaveOneName() throws {
    var paths: [String: [String]] = [:]
    for folder in ["Sources", "Tests"] {
      let root = packageFolder.appending(path: folder)
      for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
      where path.hasSuffix(".swift") && !path.hasSuffix("_generated.swift") {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        paths[name, default: []].append("\(folder)/\(path)")
      }
    }
    #expect(paths.count > 500)
    #expect(paths.filter { $0.value.count > 1 } == [:])
  }
}

import Foundation
import TestSupport
import Testing

/// A file's name says what is in it: so no two say the same.
@Suite("Names of files")
struct FileNameTests {
  @Test("No two Swift files of the package have the same name")
  func noTwoFilesOfThePackageHaveOneName() throws {
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

  /// Helpers of one target stand in its folder `Support`, so that the rest of a target's listing says what is tested. The code of apps
  /// in SourceCompatibilityTests is what is tested there.
  @Test("A file of a test target holds tests exactly if it is outside the folder Support")
  func filesOfTestTargetsHoldTestsUnlessTheyStandInSupport() throws {
    let root = packageFolder.appending(path: "Tests")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
      .filter {
        $0.contains(/^\w+Tests\/.*\.swift$/) && !$0.contains(/^SourceCompatibilityTests\/(BothModes|Swift5Mode)\//)
      }
    #expect(paths.count > 300)
    for path in paths {
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      let hasTests = text.contains(/^ *@(Test|Suite)\b/.anchorsMatchLineEndings())
      #expect(hasTests != path.contains("/Support/"), "Tests/\(path) \(hasTests ? "holds tests" : "holds none")")
    }
  }
}

import Foundation
import Testing

/// The folder of the package.
package let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Where the build put its products: beside the tests.
package let productsFolder: URL = {
  for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
    return bundle.bundleURL.deletingLastPathComponent()
  }
  return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
}()

/// Gives `body` an empty folder, which is removed afterwards.
package func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-test-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record("cannot remove \(folder.path): \(error)")
    }
  }
  return try body(folder)
}

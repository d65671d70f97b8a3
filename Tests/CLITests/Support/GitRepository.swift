import Foundation
import TestSupport
import Testing

/// A repository of git in a folder of a test.
struct GitRepository {
  let folder: URL

  /// Makes one with a branch `main` and no commit.
  init(in folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try git("init", "-q", "-b", "main")
  }

  /// The repository that there is in a folder.
  init(at folder: URL) { self.folder = folder }

  @discardableResult
  func git(_ arguments: String...) throws -> String {
    let identity = [
      "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main",
      "-c", "protocol.file.allow=always",
    ]
    let result = try run(URL(fileURLWithPath: "/usr/bin/env"), ["git"] + identity + arguments, in: folder)
    #expect(result.status == 0, "git \(arguments): \(result.error)")
    return result.output
  }

  func write(_ text: String, to path: String) throws { try folder.write(text, to: path) }

  func remove(_ path: String) throws { try FileManager.default.removeItem(at: folder.appending(path: path)) }

  func commitAll(_ message: String = "change") throws {
    try git("add", "-A", ".")
    try git("commit", "-qm", message)
  }

  func dflatc(_ arguments: String..., in subfolder: String = ".", environment: [String: String] = [:]) throws
    -> ProcessResult
  {
    try run(
      productsFolder.appending(path: "dflatc"), arguments, in: folder.appending(path: subfolder),
      environment: environment)
  }
}

import Foundation
import TestSupport
import Testing

/// Runs a page's commands, in a folder in which the page's files are written as the page goes on.
struct Shell {
  let folder: URL
  /// A folder of programs that come before all others.
  var path: String?

  func run(_ page: Page) throws {
    // A machine may have no Python: then its commands are left out.
    let hasPython = try run("command -v python3").isSuccess
    for (index, fence) in page.fences.enumerated() {
      if let file = fence.file { try folder.write(fence.text, to: file) }
      guard fence.has("run"), hasPython || !fence.text.contains("python3") else { continue }
      try run(fence, before: index + 1 < page.fences.count ? page.fences[index + 1] : nil, of: page)
    }
  }

  /// Runs the commands of a code block. If the next one shows their output, it is compared.
  func run(_ fence: Fence, before next: Fence?, of page: Page) throws {
    let result = try run(fence.text)
    if let next, next.has("output") {
      #expect(result.text == next.text, "\(page.path):\(next.line)")
    } else {
      #expect(result.isSuccess, "\(page.path):\(fence.line): \(result.text)")
    }
  }

  /// Runs commands, with `dflatc` among them, and gives what they have printed.
  func run(_ commands: String) throws -> (isSuccess: Bool, text: String) {
    let path = [path, productsFolder.path, ProcessInfo.processInfo.environment["PATH"]].compactMap(\.self)
    let result = try runProgram(
      "sh", ["-euc", "exec 2>&1\n" + commands], in: folder,
      environment: [
        "PATH": path.joined(separator: ":"), "DFLAT": packageFolder.path, "NO_COLOR": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b",
      ])
    return (result.isSuccess, String(decoding: result.output, as: UTF8.self))
  }
}

extension URL {
  /// Writes a file in this folder.
  func write(_ text: String, to name: String) throws {
    let file = appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}

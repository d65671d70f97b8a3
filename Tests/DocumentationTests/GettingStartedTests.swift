import ConformanceSupport
import Foundation
import TestSupport
import Testing

/// Follows Documentation/getting-started.md: writes its files, makes its changes and runs its commands, in their order.
///
/// With `DFLAT_SWIFTPM=FOLDER`, SwiftPM builds the app in FOLDER, with the plug-in, which takes minutes the first time.
/// Without it, SwiftPM only describes the package; `dflatc` and `swiftc` build the app from the modules of the tests.
@Suite("Getting started")
struct GettingStartedTests {
  private let scratch = ProcessInfo.processInfo.environment["DFLAT_SWIFTPM"]

  @Test("Every step of the page gives the output that the page shows")
  func everyStepDoesWhatThePageSays() throws {
    let page = try Page("Documentation/getting-started.md")
    #expect(page.fences.count { $0.has("output") } >= 4)
    try withTemporaryFolder { parent in
      let folder = parent.appendingPathComponent("todo")
      try writeSwift(to: parent.appendingPathComponent("bin"))
      let shell = Shell(folder: folder, path: parent.appendingPathComponent("bin").path)
      var isBuilt = false
      for (index, fence) in page.fences.enumerated() {
        if let file = fence.file {
          try write(fence, to: folder.appendingPathComponent(file))
          isBuilt = false
        }
        guard fence.has("run") else { continue }
        if !isBuilt, fence.text.contains("swift run") {
          try build(in: folder)
          isBuilt = true
        }
        try shell.run(fence, before: index + 1 < page.fences.count ? page.fences[index + 1] : nil, of: page)
      }
      if scratch == nil { try checkPackage(in: folder) }
    }
  }

  /// Writes a file, or inserts lines before the comment that the fence names.
  private func write(_ fence: Fence, to file: URL) throws {
    guard let mark = fence.value("before") else {
      // The clone stands elsewhere.
      let text = fence.text.replacing(
        #".package(path: "../dflat")"#, with: ".package(name: \"dflat\", path: \"\(packageFolder.path)\")")
      return try file.deletingLastPathComponent().write(text, to: file.lastPathComponent)
    }
    var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let index = try #require(lines.firstIndex { $0.contains("//") && $0.contains(mark) }, "there is no // \(mark)")
    lines.insert(contentsOf: fence.text.split(separator: "\n"), at: index)
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
  }

  /// Writes a program `swift` that runs the app that `build` has made, so that not every command plans a build.
  private func writeSwift(to folder: URL) throws {
    let app = scratch.map { "'\($0)/debug/todo'" } ?? "./driver"
    try folder.write(
      "#!/bin/sh\n[ \"$1 $2 $3\" = 'run --quiet todo' ] || exit 64\nshift 3\nexec \(app) \"$@\"\n", to: "swift")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.appendingPathComponent("swift").path)
  }

  private func build(in folder: URL) throws {
    if let scratch {
      try runTool("swift", ["build", "--package-path", folder.path, "--scratch-path", scratch], seconds: 1800)
      return
    }
    try runTool(
      productsFolder.appendingPathComponent("dflatc").path, ["compile", "-o", "generated", "Sources"], in: folder)
    let generated = try FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent("generated").path
    ).filter { $0.hasSuffix(".swift") }.sorted().map { "generated/" + $0 }
    try buildSwift(
      ["Sources/todo/Todo.swift"] + generated,
      modules: ["FlatBuffersCore", "TextFolding", "Dflat", "DflatEngine", "SQLiteDflat"],
      more: ["-parse-as-library", "-I", packageFolder.appendingPathComponent("Sources/CSQLite").path, "-lsqlite3"],
      in: folder)
  }

  /// Checks that the package uses products that there are.
  private func checkPackage(in folder: URL) throws {
    struct Description: Decodable {
      struct Product: Decodable { let name: String }
      struct Target: Decodable { let name: String }
      let products: [Product]
      let targets: [Target]
    }
    let app = try runTool("swift", ["package", "--package-path", folder.path, "dump-package"])
    let text = String(decoding: app, as: UTF8.self)
    let targets = try JSONDecoder().decode(Description.self, from: app).targets.map(\.name)
    #expect(targets == ["todo"])
    let manifest = try String(contentsOf: packageFolder.appendingPathComponent("Package.swift"), encoding: .utf8)
    for product in ["DflatRuntime", "DflatPlugin"] {
      #expect(text.contains("\"\(product)\"") && manifest.contains("(name: \"\(product)\", targets:"))
    }
  }
}

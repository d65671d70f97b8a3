import Foundation

/// The first release build of a package with a schema and the plug-in: with dflatc made from its sources, and from the
/// bundle.
struct PackageBenchmark {
  private let compiler: String
  private let folder: URL
  private let reporter: Reporter

  init(_ measurement: Measurement) {
    compiler = measurement.compiler
    folder = measurement.folder.appending(path: "packages")
    reporter = measurement.reporter
  }

  /// One build of each, which takes minutes: SwiftPM's own noise is small beside what is compared.
  func run() throws {
    reporter.print("the first release build of a package with the plug-in")
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../../..")
      .standardizedFileURL
    let bundle = folder.appending(path: "bundle")
    let binary = URL(fileURLWithPath: compiler).standardizedFileURL.path
    try launch(
      "/usr/bin/env", ["BINARY=\(binary)", "BUNDLE=\(bundle.path)", root.appending(path: "Packaging/bundle.sh").path])
    let sources = try build("sources", dependingOn: #".package(name: "dflat", path: "\#(root.path)")"#)
    let bundled = try build("bundled", dependingOn: #".package(path: "\#(bundle.appending(path: "dflat").path)")"#)
    for (job, ours, others) in [
      ("from the bundle", bundled.elapsed, sources.elapsed),
      ("from the bundle, processor time", bundled.processor, sources.processor),
    ] {
      try reporter.add(ReportRow(.package, job, .seconds, [ours], besides: "from the sources", [others]))
    }
  }

  /// What building a fresh package takes, in seconds.
  private func build(_ name: String, dependingOn dependency: String) throws -> (elapsed: Double, processor: Double) {
    // SwiftPM tells packages apart by the names of their folders: this one's is like no clone's.
    let place = folder.appending(path: "app-benchmark-\(name)")
    let sources = place.appending(path: "Sources/Fresh")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let manifest = """
      // swift-tools-version: 6.0
      import PackageDescription

      let package = Package(
        name: "app-benchmark-\(name)",
        platforms: [.macOS(.v13)],
        dependencies: [\(dependency)],
        targets: [
          .executableTarget(
            name: "Fresh", dependencies: [.product(name: "DflatRuntime", package: "dflat")],
            plugins: [.plugin(name: "DflatPlugin", package: "dflat")])
        ]
      )

      """
    for (path, text) in [
      ("Package.swift", manifest),
      ("Sources/Fresh/post.fbs", "table Post { title: string (primary); }\nroot_type Post;\n"),
      ("Sources/Fresh/Fresh.swift", "@main struct Fresh { static func main() { print(Post(title: \"a\").title) } }\n"),
    ] {
      try Data(text.utf8).write(to: place.appending(path: path))
    }
    // What has to be downloaded is no part of this.
    try swift("package", "resolve", in: place)
    let start = ContinuousClock.now
    let processor = try swift("build", "-c", "release", in: place)
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    guard try output(of: place.appending(path: ".build/release/Fresh").path, []) == "a\n" else {
      throw BenchmarkError(description: "the package in \(place.path) does not do what it says")
    }
    return (elapsed, processor)
  }

  /// - Returns: the seconds that processors spent on it.
  @discardableResult
  private func swift(_ command: String..., in package: URL) throws -> Double {
    try launch("/usr/bin/env", ["swift"] + command + ["--quiet", "--package-path", package.path])
  }
}

// swift-tools-version: 6.0
import PackageDescription

let runtime: Target.Dependency = .product(name: "DflatRuntime", package: "dflat")
let plugin: Target.PluginUsage = .plugin(name: "DflatPlugin", package: "dflat")

let package = Package(
  name: "Notes",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "dflat", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    // The app. The plug-in compiles its schema, note.fbs, which is the third version.
    .executableTarget(
      name: "Notes",
      dependencies: [runtime, .product(name: "ArgumentParser", package: "swift-argument-parser")],
      plugins: [plugin]),

    // The versions that users still have, for the test: their schemas, and what they do with a file.
    .target(name: "Version1", dependencies: [runtime], plugins: [plugin]),
    .target(name: "Version2", dependencies: [runtime], plugins: [plugin]),
    .executableTarget(name: "EarlierNotes", dependencies: ["Version1", "Version2"]),
  ]
)

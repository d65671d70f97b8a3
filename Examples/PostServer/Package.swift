// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "PostServer",
  platforms: [.macOS(.v14)],
  dependencies: [
    .package(name: "dflat", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Its configuration by files and variables is not needed, and takes long to build.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: ["FullFoundation"]),
  ],
  targets: [
    // The plug-in compiles the schema, post.fbs.
    .executableTarget(
      name: "PostServer",
      dependencies: [
        .product(name: "DflatRuntime", package: "dflat"),
        .product(name: "PostgresDflat", package: "dflat"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "dflat")])
  ]
)

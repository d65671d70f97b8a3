// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "PostServer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "dflat", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Its configuration by files and variables is not needed, and takes long to build.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: ["FullFoundation"]),
    // Hummingbird's own: streams end when the server is asked to stop.
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
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
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "dflat")])
  ]
)

// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "LiveList",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "dflat", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "LiveList",
      dependencies: [
        .product(name: "DflatRuntime", package: "dflat"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // Compiles player.fbs.
      plugins: [.plugin(name: "DflatPlugin", package: "dflat")])
  ]
)

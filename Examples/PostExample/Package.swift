// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "PostExample",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "dflat", path: "../..")],
  targets: [
    .executableTarget(name: "PostExample", dependencies: [.product(name: "DflatRuntime", package: "dflat")])
  ]
)

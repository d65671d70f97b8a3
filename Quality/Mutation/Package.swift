// swift-tools-version: 6.0
import PackageDescription

// Breaks the root package in many small ways, and says which no test notices: see `make -C Quality mutate`.
let package = Package(
  name: "Mutation",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")],
  targets: [
    .executableTarget(
      name: "Mutation", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)

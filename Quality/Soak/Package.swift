// swift-tools-version: 6.0
import PackageDescription

// Runs long tests of the root package, one after the other, for as long as it is told: see `make -C Quality soak`.
let package = Package(
  name: "Soak",
  platforms: [.macOS(.v15)],
  targets: [.executableTarget(name: "Soak", swiftSettings: [.swiftLanguageMode(.v6)])]
)

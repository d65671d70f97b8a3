// swift-tools-version: 6.0
import PackageDescription

// A package of its own, and no product of dflat: SwiftPM fetches all packages that a package depends on, whatever products of it an app
// uses. So an app that stores objects would fetch what servers log with. README.md says why a package trait does not help.
let package = Package(
  name: "dflat-server-observability",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [.library(name: "DflatObservability", targets: ["DflatObservability"])],
  dependencies: [
    // In a copy of this folder, the repository of dflat.
    .package(name: "dflat", path: "../.."),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
  ],
  targets: [
    .target(
      name: "DflatObservability",
      dependencies: [
        .product(name: "Dflat", package: "dflat"),
        .product(name: "PostgresDflat", package: "dflat"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "DflatObservabilityTests",
      dependencies: [
        "DflatObservability",
        .product(name: "Dflat", package: "dflat"),
        .product(name: "SQLiteDflat", package: "dflat"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "dflat")]),
  ]
)

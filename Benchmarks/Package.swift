// swift-tools-version: 6.0
import PackageDescription

// A package of its own, so that what only the benchmarks need burdens no user of dflat.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "dflat", path: "..")],
  targets: [
    .target(name: "RawSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    // Its header is written by flatc: see `make bench`.
    .target(name: "WireFormatCPlusPlus"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "RawSQLite", "WireFormatCPlusPlus",
        .product(name: "DflatRuntime", package: "dflat"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "dflat")]),
  ],
  cxxLanguageStandard: .cxx17
)

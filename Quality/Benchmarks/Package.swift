// swift-tools-version: 6.0
import PackageDescription

// A package of its own, so that what only the benchmarks need burdens no user of dflat.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "dflat", path: "../.."),
    // What many apps use today, for its figures beside the store's.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(name: "RawSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "RawPostgres", dependencies: ["CLibPQ"]),
    // Its header is written by flatc: see `make -C Quality bench`.
    .target(name: "WireFormatCPlusPlus"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "RawPostgres", "RawSQLite", "WireFormatCPlusPlus",
        .product(name: "DflatRuntime", package: "dflat"),
        .product(name: "PostgresDflat", package: "dflat"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      plugins: [.plugin(name: "DflatPlugin", package: "dflat")]),
  ],
  cxxLanguageStandard: .cxx17
)

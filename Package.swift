// swift-tools-version: 6.0
import PackageDescription

/// The cases under Fixtures/ whose golden output is compiled, and run by GoldenTests.
/// Each is a module of its own, so that two cases may define the same names.
let goldenCases = ["namespaces", "post", "scalars", "structs"]

let runtime: [Target.Dependency] = ["FlatBuffersCore", "Dflat", "SQLiteDflat"]

let package = Package(
  name: "dflat",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [
    .executable(name: "dflatc", targets: ["dflatc"]),
    .library(name: "DflatRuntime", targets: ["FlatBuffersCore", "Dflat", "SQLiteDflat"]),
    .library(name: "Dflat", targets: ["Dflat"]),
    .library(name: "SQLiteDflat", targets: ["SQLiteDflat"]),
    .library(name: "FBSParser", targets: ["FBSParser", "FBSSchema"]),
    .library(name: "Emitters", targets: ["Emitters"]),
    .plugin(name: "DflatPlugin", targets: ["DflatPlugin"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    // The compiler: source text -> syntax tree -> schema -> files.
    .target(name: "FBSParser"),
    .target(name: "FBSSchema", dependencies: ["FBSParser"]),
    .target(name: "SchemaEvolution", dependencies: ["FBSSchema", "FBSParser", "FlatBuffersCore"]),
    .target(name: "Emitters", dependencies: ["FBSSchema", "FBSParser", "FlatBuffersCore"]),
    .executableTarget(
      name: "dflatc",
      dependencies: [
        "Emitters", "SchemaEvolution", "FBSSchema", "FBSParser",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .plugin(name: "DflatPlugin", capability: .buildTool(), dependencies: ["dflatc"]),

    // The runtime: SQLiteDflat -> Dflat -> FlatBuffersCore.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "FlatBuffersCore", path: "Sources/DflatRuntime/FlatBuffersCore"),
    .target(
      name: "Dflat", dependencies: ["FlatBuffersCore"], path: "Sources/DflatRuntime/Dflat"),
    .target(
      name: "SQLiteDflat", dependencies: ["Dflat", "FlatBuffersCore", "CSQLite"],
      path: "Sources/DflatRuntime/SQLiteDflat"),

    .testTarget(name: "FBSParserTests", dependencies: ["FBSParser"]),
    .testTarget(name: "FBSSchemaTests", dependencies: ["FBSSchema", "FBSParser"]),
    .testTarget(name: "EmittersTests", dependencies: ["Emitters", "FBSSchema", "FBSParser"]),
    .testTarget(
      name: "SchemaEvolutionTests",
      dependencies: ["SchemaEvolution", "Emitters", "FBSSchema", "FBSParser", "FlatBuffersCore"]),
    .testTarget(name: "ConformanceTests", dependencies: ["Emitters", "FBSSchema", "FBSParser"]),
    .testTarget(name: "FlatBuffersCoreTests", dependencies: ["FlatBuffersCore"]),
    .testTarget(name: "DflatTests", dependencies: ["Dflat", "FlatBuffersCore"]),
    .testTarget(
      name: "SQLiteDflatTests",
      dependencies: runtime + ["CSQLite", "Golden_post"]),
    .testTarget(name: "CLITests", dependencies: ["dflatc"]),
    .testTarget(
      name: "GoldenTests",
      dependencies: runtime + ["Emitters", "FBSSchema", "FBSParser"]
        + goldenCases.map { .byName(name: "Golden_\($0)") }),
  ]
    + goldenCases.map { name in
      .target(
        name: "Golden_\(name)", dependencies: runtime, path: "Fixtures/\(name)",
        exclude: ["schema.fbs"])
    }
)

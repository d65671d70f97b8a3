// swift-tools-version: 6.0
import PackageDescription

// dflat with a compiler that is built already: the runtime's sources, and the plug-ins, which run the compiler of the bundle.
// Made by `make -C Packaging bundle`; its products have the names of those of dflat's own package.

let systemsWithCombine: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]
let systemsWithoutCombine: [Platform] = [.linux, .android, .windows, .openbsd, .wasi]

/// Compiles the publishers into a target on some systems, as in dflat's own package.
func publishers(on systems: [Platform]) -> [SwiftSetting] { [.define("PUBLISHERS", .when(platforms: systems))] }

let package = Package(
  name: "dflat",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [
    .library(name: "FlatBuffersCore", targets: ["FlatBuffersCore"]),
    .library(name: "DflatRuntime", targets: ["FlatBuffersCore", "Dflat", "SQLiteDflat"]),
    .library(name: "Dflat", targets: ["Dflat"]),
    .library(name: "SQLiteDflat", targets: ["SQLiteDflat"]),
    .library(name: "PostgresDflat", targets: ["PostgresDflat"]),
    .library(name: "DflatPublishers", targets: ["DflatPublishers"]),
    .plugin(name: "DflatPlugin", targets: ["DflatPlugin"]),
    .plugin(name: "DflatCommands", targets: ["DflatGenerate", "DflatCheck"]),
  ],
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")
  ],
  targets: [
    .binaryTarget(name: "dflatc", path: "dflatc.artifactbundle"),
    .plugin(name: "DflatPlugin", capability: .buildTool(), dependencies: ["dflatc"]),
    .plugin(
      name: "DflatGenerate",
      capability: .command(
        intent: .custom(verb: "dflat-generate", description: "Compile the schemas of targets to Swift in the package."),
        permissions: [.writeToPackageDirectory(reason: "It writes the Swift that it makes of your schemas.")]),
      dependencies: ["dflatc"]),
    .plugin(
      name: "DflatCheck",
      capability: .command(
        intent: .custom(
          verb: "dflat-check",
          description: "Check that generated Swift is up to date, and that schemas may replace their earlier versions.")
      ),
      dependencies: ["dflatc"]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "FlatBuffersCore", path: "Sources/DflatRuntime/FlatBuffersCore"),
    .target(name: "TextFolding", path: "Sources/DflatRuntime/TextFolding"),
    .target(
      name: "Dflat", dependencies: ["TextFolding", "FlatBuffersCore"], path: "Sources/DflatRuntime/Dflat",
      swiftSettings: publishers(on: systemsWithCombine)),
    .target(
      name: "DflatPublishers",
      dependencies: [
        "Dflat",
        .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: systemsWithoutCombine)),
      ],
      path: "Sources/DflatRuntime/DflatPublishers", swiftSettings: publishers(on: systemsWithoutCombine)),
    .target(
      name: "DflatEngine", dependencies: ["Dflat", "FlatBuffersCore"], path: "Sources/DflatRuntime/DflatEngine"),
    .target(
      name: "SQLiteDflat", dependencies: ["DflatEngine", "Dflat", "FlatBuffersCore", "CSQLite"],
      path: "Sources/DflatRuntime/SQLiteDflat",
      // What it calls of the APIs for which Apple wants a reason.
      resources: [.copy("PrivacyInfo.xcprivacy")]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "PostgresLayout", path: "Sources/DflatRuntime/PostgresLayout"),
    .target(
      name: "PostgresDflat",
      dependencies: ["PostgresLayout", "DflatEngine", "Dflat", "TextFolding", "FlatBuffersCore", "CPostgres"],
      path: "Sources/DflatRuntime/PostgresDflat"),
  ]
)

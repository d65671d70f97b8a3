// swift-tools-version: 6.0
import PackageDescription

/// The cases under Fixtures/ whose golden output is compiled, and run by GoldenTests.
/// Each is a module of its own, so that two cases may define the same names.
let goldenCases = [
  "aliases", "bytes", "codable", "composite-key", "contents", "indexes", "namespaces", "offset64", "optionals", "post",
  "recursive", "scalars", "structs", "values", "vectors", "wide-unions",
]

/// Those whose file `emitters` chooses the emitters: for schemas that a store cannot hold.
let accessorCases = ["differences", "files", "keys", "mutation", "nested", "union-vectors"]

let runtime: [Target.Dependency] = ["FlatBuffersCore", "Dflat", "SQLiteDflat"]

let sourceCompatibility: [Target.Dependency] =
  runtime + [
    "DflatPublishers", "Golden_contents", "Golden_namespaces", "Golden_post", "Golden_scalars", "Golden_structs",
  ]

let systemsWithCombine: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]
let systemsWithoutCombine: [Platform] = [.linux, .android, .windows, .openbsd, .wasi]

/// A product of OpenCombine, on the systems that have no Combine.
func openCombine(_ name: String) -> Target.Dependency {
  .product(name: name, package: "OpenCombine", condition: .when(platforms: systemsWithoutCombine))
}

/// Compiles the publishers into a target on some systems. Two targets have their sources, one of them by a symbolic link to the
/// folder: `Dflat` where there is Combine, `DflatPublishers` elsewhere, so that no other module depends on OpenCombine.
func publishers(on systems: [Platform]) -> [SwiftSetting] { [.define("PUBLISHERS", .when(platforms: systems))] }

/// The commit that `dflatc --version` names. `Scripts/build-release.sh` says it: a copy of the sources may have no git, and what
/// SwiftPM knows of git is as old as its cache of this file.
let commit = Context.environment["DFLAT_COMMIT"] ?? ""

/// What an app may ask of Swift for all its sources, and thus of generated ones: to import nothing publicly by default, and, as
/// new Xcode projects do, to have all belong to the main actor that does not say otherwise.
let strictest: [SwiftSetting] = {
  var settings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    .map { SwiftSetting.enableUpcomingFeature($0) }
  #if compiler(>=6.2)
    // `.defaultIsolation` needs the tools of Swift 6.2. No product has a target with these settings: a package that depends on this
    // one may not get unsafe flags.
    settings.append(.unsafeFlags(["-default-isolation", "MainActor"]))
  #endif
  return settings
}()

/// The module of a golden case.
func moduleName(_ name: String) -> String { "Golden_" + name.split(separator: "-").joined(separator: "_") }

let package = Package(
  name: "dflat",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [
    .executable(name: "dflatc", targets: ["dflatc"]),
    .library(name: "FlatBuffersCore", targets: ["FlatBuffersCore"]),
    .library(name: "DflatRuntime", targets: ["FlatBuffersCore", "Dflat", "SQLiteDflat"]),
    .library(name: "Dflat", targets: ["Dflat"]),
    .library(name: "SQLiteDflat", targets: ["SQLiteDflat"]),
    .library(name: "PostgresDflat", targets: ["PostgresDflat"]),
    .library(name: "DflatPublishers", targets: ["DflatPublishers"]),
    .library(name: "FBSParser", targets: ["FBSDiagnostics", "FBSParser", "FBSSchema"]),
    .library(name: "Emitters", targets: ["Emitters"]),
    .library(name: "FlatBuffersJSON", targets: ["FlatBuffersJSON"]),
    .library(name: "SchemaEvolution", targets: ["SchemaEvolution"]),
    .library(name: "SchemaLinting", targets: ["SchemaLinting"]),
    .library(name: "SchemaPlugins", targets: ["SchemaPlugins"]),
    .library(name: "LanguageServer", targets: ["LanguageServer"]),
    .plugin(name: "DflatPlugin", targets: ["DflatPlugin"]),
    .plugin(name: "DflatCommands", targets: ["DflatGenerate", "DflatCheck"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    // The compiler: source text -> syntax tree -> schema -> files.
    .target(name: "FBSDiagnostics"),
    .target(name: "FBSParser", dependencies: ["FBSDiagnostics"]),
    .target(name: "FBSSchema", dependencies: ["FBSParser", "FBSDiagnostics"]),
    .target(name: "BinarySchemas", dependencies: ["FBSSchema", "FlatBuffersCore"]),
    .target(name: "SchemaEvolution", dependencies: ["FBSSchema", "FBSParser", "FBSDiagnostics"]),
    .target(name: "SchemaLinting", dependencies: ["FBSSchema", "FBSParser", "FBSDiagnostics"]),
    .target(name: "ProtobufImport", dependencies: ["FBSDiagnostics"]),
    // What dflatc and its plug-ins say to each other, for both of them.
    .target(name: "SchemaPlugins", dependencies: ["FlatBuffersCore"]),
    .target(
      name: "Emitters",
      dependencies: ["BinarySchemas", "SchemaPlugins", "FBSSchema", "FBSParser", "FBSDiagnostics", "FlatBuffersCore"]),
    // FlatBuffers to JSON and back, by a schema that is only known at run time.
    .target(name: "FlatBuffersJSON", dependencies: ["FBSSchema", "FBSParser", "FBSDiagnostics"]),
    // The Language Server Protocol around the compiler, without a process or a file system.
    .target(
      name: "LanguageServer", dependencies: ["Emitters", "SchemaLinting", "FBSSchema", "FBSParser", "FBSDiagnostics"]),
    // The files of stores, read by a schema and without the runtime.
    .target(
      name: "StoreInspection",
      dependencies: ["FlatBuffersJSON", "FBSSchema", "FBSParser", "FBSDiagnostics", "TextFolding", "CSQLite"]),
    // Texts without differences of case and diacritics, for the runtime and for dflatc.
    .target(name: "TextFolding", path: "Sources/DflatRuntime/TextFolding"),
    // The tables of a store in PostgreSQL and the statements that make them, for the runtime and for dflatc.
    .target(name: "PostgresLayout", path: "Sources/DflatRuntime/PostgresLayout"),
    .executableTarget(
      name: "dflatc",
      dependencies: [
        "LanguageServer", "Emitters", "ProtobufImport", "SchemaEvolution", "SchemaLinting", "StoreInspection",
        "FlatBuffersJSON",
        "BinarySchemas",
        "PostgresLayout", "FBSSchema", "FBSParser", "FBSDiagnostics", "CBuildCommit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "CBuildCommit", cSettings: commit.isEmpty ? [] : [.define("DFLAT_COMMIT", to: "\"\(commit)\"")]),
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

    // The runtime: SQLiteDflat -> DflatEngine -> Dflat -> FlatBuffersCore.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "FlatBuffersCore", path: "Sources/DflatRuntime/FlatBuffersCore"),
    .target(
      name: "Dflat", dependencies: ["TextFolding", "FlatBuffersCore"], path: "Sources/DflatRuntime/Dflat",
      swiftSettings: publishers(on: systemsWithCombine)),
    .target(
      name: "DflatPublishers", dependencies: ["Dflat", openCombine("OpenCombine")],
      path: "Sources/DflatRuntime/DflatPublishers", swiftSettings: publishers(on: systemsWithoutCombine)),
    // What the engines share, and knows no database.
    .target(
      name: "DflatEngine", dependencies: ["Dflat", "FlatBuffersCore"], path: "Sources/DflatRuntime/DflatEngine"),
    .target(
      name: "SQLiteDflat", dependencies: ["DflatEngine", "Dflat", "FlatBuffersCore", "CSQLite"],
      path: "Sources/DflatRuntime/SQLiteDflat",
      // What it calls of the APIs for which Apple wants a reason.
      resources: [.copy("PrivacyInfo.xcprivacy")]),
    // The same API on PostgreSQL.
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgresDflat",
      dependencies: ["PostgresLayout", "DflatEngine", "Dflat", "TextFolding", "FlatBuffersCore", "CPostgres"],
      path: "Sources/DflatRuntime/PostgresDflat"),

    // What several of the tests below need: programs to run, folders to run them in, random numbers.
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(name: "FBSParserTests", dependencies: ["FBSParser", "FBSDiagnostics", "TestSupport"]),
    .testTarget(
      name: "FBSSchemaTests",
      dependencies: ["ConformanceSupport", "FBSSchema", "FBSParser", "FBSDiagnostics", "TestSupport"]),
    .testTarget(
      name: "EmittersTests",
      dependencies: ["ConformanceSupport", "Emitters", "FBSSchema", "FBSParser", "FBSDiagnostics", "TestSupport"]),
    .testTarget(
      name: "SchemaEvolutionTests",
      dependencies: runtime + [
        "PostgresDflat", "ConformanceSupport", "BinarySchemas", "SchemaEvolution", "Emitters", "FBSSchema", "FBSParser",
        "FBSDiagnostics", "TestSupport",
      ]),
    .testTarget(
      name: "SchemaLintingTests",
      dependencies: [
        "ConformanceSupport", "SchemaLinting", "SchemaEvolution", "FBSSchema", "FBSParser", "FBSDiagnostics",
        "TestSupport",
      ]),
    .testTarget(
      name: "LanguageServerTests",
      dependencies: [
        "ConformanceSupport", "LanguageServer", "BinarySchemas", "Emitters", "SchemaEvolution", "SchemaLinting",
        "FBSSchema", "FBSParser", "FBSDiagnostics", "TestSupport",
      ]),
    .testTarget(
      name: "ConformanceTests", dependencies: ["Emitters", "FBSSchema", "FBSParser", "FBSDiagnostics", "TestSupport"]),
    // Schemas from texts and folders, random schemas, and the programs that are made for them.
    .target(name: "ConformanceSupport", dependencies: ["FBSSchema", "TestSupport"], path: "Tests/ConformanceSupport"),
    .testTarget(
      name: "ModelConformanceTests",
      dependencies: runtime + [
        "ConformanceSupport", "Emitters", "FBSSchema", "FBSParser", "FBSDiagnostics", "TestSupport",
      ]),
    .testTarget(
      name: "AccessorsConformanceTests",
      dependencies: [
        "ConformanceSupport", "TestSupport",
        "Emitters", "FBSSchema", "FBSParser", "FBSDiagnostics", "FlatBuffersCore",
        .byName(name: moduleName("differences")),
      ]),
    .testTarget(
      name: "FlatBuffersJSONTests",
      dependencies: [
        "FlatBuffersJSON", "BinarySchemas", "SchemaEvolution", "FBSSchema", "FBSParser", "FBSDiagnostics",
        "FlatBuffersCore", "ConformanceSupport", "TestSupport",
      ]
        + ["contents", "keys", "nested", "offset64", "post", "structs", "union-vectors"].map {
          .byName(name: moduleName($0))
        }),
    .testTarget(
      name: "StoreInspectionTests",
      dependencies: runtime + [
        "StoreInspection", "FlatBuffersJSON", "FBSSchema", "FBSParser", "FBSDiagnostics", "CSQLite",
        "Golden_bytes", "Golden_indexes", "Golden_post", "Golden_vectors", "ConformanceSupport", "EngineTestSupport",
        "TestSupport", "dflatc",
      ]),
    .testTarget(name: "FlatBuffersCoreTests", dependencies: ["FlatBuffersCore", "BufferJobs", "TestSupport"]),
    .testTarget(name: "TextFoldingTests", dependencies: ["TextFolding", "TestSupport"]),
    .testTarget(name: "DflatTests", dependencies: ["Dflat", "FlatBuffersCore", "TestSupport"]),
    .testTarget(
      name: "DflatEngineTests",
      dependencies: ["DflatEngine", "Dflat", "FlatBuffersCore", "EngineTestSupport", "Golden_post", "TestSupport"]),
    .testTarget(
      name: "SQLiteDflatTests",
      dependencies: runtime
        + [
          "CSQLite", "DflatEngine", "EngineTestSupport", "FaultVFS", "Golden_bytes", "Golden_codable",
          "Golden_composite_key", "Golden_contents", "Golden_post", "Golden_recursive", "Golden_scalars",
          "Golden_structs", "Golden_values", "Golden_vectors", "TestSupport", "DflatPublishers",
          openCombine("OpenCombineDispatch"),
        ]),
    .testTarget(
      name: "PostgresDflatTests",
      dependencies: [
        "PostgresDflat", "PostgresLayout", "SQLiteDflat", "DflatEngine", "Dflat", "FlatBuffersCore", "CPostgres",
        "CSQLite", "EngineTestSupport", "TestSupport", "dflatc",
      ]
        + [
          "aliases", "bytes", "codable", "composite-key", "contents", "indexes", "namespaces", "offset64", "optionals",
          "post", "recursive", "scalars", "structs", "values", "vectors", "wide-unions",
        ].map { .byName(name: moduleName($0)) }),
    // What the tests of every engine do: histories beside a model, threads, waiting.
    .target(
      name: "EngineTestSupport",
      dependencies: [
        "DflatEngine", "Dflat", "FlatBuffersCore", "Golden_bytes", "Golden_post", "Golden_values", "Golden_vectors",
        "TestSupport",
      ],
      path: "Tests/EngineTestSupport"),
    // A file system for SQLite that fails when it is told to.
    .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
    // What the fuzz targets do with their input, for the tests to do it with the saved corpus.
    .target(name: "FuzzSupport", path: "Quality/Fuzz/Sources/FuzzSupport"),
    .target(
      name: "SchemaJobs",
      dependencies: [
        "FuzzSupport", "Emitters", "SchemaEvolution", "BinarySchemas", "FBSSchema", "FBSParser", "FBSDiagnostics",
      ],
      path: "Quality/Fuzz/Sources/SchemaJobs"),
    .target(
      name: "ServerJobs",
      dependencies: ["FuzzSupport", "LanguageServer", "Emitters", "SchemaLinting", "FBSSchema", "FBSDiagnostics"],
      path: "Quality/Fuzz/Sources/ServerJobs"),
    .target(
      name: "BufferJobs", dependencies: ["FuzzSupport", "FlatBuffersCore", .byName(name: moduleName("mutation"))],
      path: "Quality/Fuzz/Sources/BufferJobs", resources: [.embedInCode("everything.fbs")]),
    .target(
      name: "StoreJobs",
      dependencies: runtime + ["FuzzSupport", "CSQLite"]
        + ["contents", "post", "recursive", "scalars", "structs"].map { .byName(name: moduleName($0)) },
      path: "Quality/Fuzz/Sources/StoreJobs"),
    .target(
      name: "ConversionJobs", dependencies: ["FuzzSupport", "BufferJobs", "FlatBuffersJSON", "FBSSchema"],
      path: "Quality/Fuzz/Sources/ConversionJobs"),
    .testTarget(
      name: "FuzzCorpusTests",
      dependencies: [
        "FuzzSupport", "SchemaJobs", "BufferJobs", "StoreJobs", "ConversionJobs", "ServerJobs", "Emitters", "FBSParser",
        "TestSupport",
      ]),
    // Code of apps of Dflat 0.6, in Swift 5 mode, in which they are built.
    .testTarget(
      name: "SourceCompatibilityTests", dependencies: sourceCompatibility + ["TestSupport"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // The same code in Swift 6 mode, but for what an app has to change for that mode. A target has one mode, and two targets
    // must not share a folder, so that this one has a symbolic link to the folder `BothModes` of the other.
    .testTarget(name: "SourceCompatibilitySwift6Tests", dependencies: sourceCompatibility),
    .testTarget(
      name: "CLITests", dependencies: ["dflatc", "Emitters", "SchemaPlugins", "FlatBuffersCore", "TestSupport"]),
    // The code and the links of the pages, and the doc comments of the runtime.
    .testTarget(
      name: "DocumentationTests",
      dependencies: runtime + ["dflatc", "ConformanceSupport", "TestSupport", "Golden_post"]),
    .testTarget(
      name: "GoldenTests",
      dependencies: runtime
        + ["ConformanceSupport", "Emitters", "FBSSchema", "FBSParser", "FBSDiagnostics", "TestSupport"]
        + (goldenCases + accessorCases).map { .byName(name: moduleName($0)) }),
  ]
    + goldenCases.map { name in
      .target(
        name: moduleName(name), dependencies: runtime, path: "Fixtures/\(name)",
        exclude: ["schema.fbs"], swiftSettings: strictest)
    }
    + accessorCases.map { name in
      .target(
        name: moduleName(name), dependencies: ["FlatBuffersCore"], path: "Fixtures/\(name)",
        exclude: ["schema.fbs", "emitters"], swiftSettings: strictest)
    }
)

// `make sanitize` builds what it runs: the other tests, and the golden modules that only they need, would double its time.
if Context.environment["DFLAT_SANITIZED"] != nil {
  let sanitized: Set = [
    "FlatBuffersCoreTests", "TextFoldingTests", "DflatTests", "DflatEngineTests", "SQLiteDflatTests",
    "PostgresDflatTests", "FuzzCorpusTests",
  ]
  package.targets.removeAll { $0.type == .test && !sanitized.contains($0.name) }
  let used = Set(
    package.targets.flatMap(\.dependencies).compactMap { dependency in
      if case .byNameItem(let name, _) = dependency { name } else { nil }
    })
  package.targets.removeAll { $0.name.hasPrefix("Golden_") && !used.contains($0.name) }
}

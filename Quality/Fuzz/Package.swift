// swift-tools-version: 6.0
import PackageDescription

// libFuzzer targets: see `make -C Quality fuzz`. What they do with their input stands in the targets of jobs, which the tests of the
// root package run on the saved corpus.

let runtime: [Target.Dependency] = [.product(name: "DflatRuntime", package: "dflat")]
/// The wire format alone. libFuzzer looks at each edge of a program after each input, so that one without the store is faster.
let wireFormat: [Target.Dependency] = [.product(name: "FlatBuffersCore", package: "dflat")]

/// Generated code to fuzz, through a link to the folder of golden files.
func golden(_ name: String, of dependencies: [Target.Dependency] = runtime, excluding excluded: [String] = []) -> Target
{
  .target(
    name: "Golden_\(name)", dependencies: dependencies, path: "Fixtures/\(name)", exclude: ["schema.fbs"] + excluded)
}

/// A program that runs the jobs of one target. The linker that is used otherwise on Linux breaks on what libFuzzer brings along.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies + ["FuzzDriver", "FuzzSupport"],
    linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
}

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "dflat", path: "../..")],
  targets: [
    .target(name: "FuzzSupport"),
    .target(name: "FuzzDriver", dependencies: ["FuzzSupport"]),
    .target(
      name: "SchemaJobs",
      dependencies: [
        "FuzzSupport", .product(name: "FBSParser", package: "dflat"), .product(name: "Emitters", package: "dflat"),
        .product(name: "SchemaEvolution", package: "dflat"),
      ]),
    .target(
      name: "ServerJobs",
      dependencies: [
        "FuzzSupport", .product(name: "FBSParser", package: "dflat"), .product(name: "Emitters", package: "dflat"),
        .product(name: "SchemaLinting", package: "dflat"), .product(name: "LanguageServer", package: "dflat"),
      ]),
    .target(
      name: "BufferJobs", dependencies: wireFormat + ["FuzzSupport", "Golden_mutation"],
      resources: [.embedInCode("everything.fbs")]),
    .target(
      name: "StoreJobs",
      dependencies: runtime + [
        "FuzzSupport", "Golden_contents", "Golden_post", "Golden_recursive", "Golden_scalars", "Golden_structs",
      ]),
    .target(
      name: "ConversionJobs",
      dependencies: wireFormat + [
        "FuzzSupport", "BufferJobs", .product(name: "FBSParser", package: "dflat"),
        .product(name: "FlatBuffersJSON", package: "dflat"),
      ]),
    // The C++ library, with the header that flatc makes from everything.fbs.
    .target(name: "CppReader"),
    golden("contents"), golden("post"), golden("recursive"), golden("scalars"), golden("structs"),
    golden("mutation", of: wireFormat, excluding: ["emitters"]),
    fuzzer("FuzzSchemas", ["SchemaJobs"]),
    fuzzer("FuzzLanguageServer", ["ServerJobs"]),
    fuzzer("FuzzBuffers", ["BufferJobs", "CppReader"]),
    fuzzer("FuzzStores", ["StoreJobs"]),
    fuzzer("FuzzConversions", ["ConversionJobs"]),
  ]
)

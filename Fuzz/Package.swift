// swift-tools-version: 6.0
import PackageDescription

// libFuzzer targets: see `make fuzz`. What they do with their input stands in FuzzJobs, which the tests of the package
// beside run on the saved corpus.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "dflat", path: "..")],
  targets: [
    .target(
      name: "FuzzJobs",
      dependencies: [
        .product(name: "FBSParser", package: "dflat"), .product(name: "Emitters", package: "dflat"),
        .product(name: "DflatRuntime", package: "dflat"), .product(name: "SchemaEvolution", package: "dflat"),
      ]),
    .target(name: "FuzzDriver", dependencies: ["FuzzJobs"]),
  ]
    + ["FuzzSchema", "FuzzWireFormat", "FuzzCheck"].map { name in
      // The linker that is used otherwise on Linux breaks on what libFuzzer brings along.
      .executableTarget(
        name: name, dependencies: ["FuzzDriver", "FuzzJobs"], linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
    }
)

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
        .product(name: "DflatRuntime", package: "dflat"),
      ]),
    .executableTarget(
      name: "FuzzSchema", dependencies: ["FuzzJobs"], linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
  ]
)

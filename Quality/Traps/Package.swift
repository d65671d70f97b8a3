// swift-tools-version: 6.0
import PackageDescription

// Makes the mistakes that end a program. It is built with optimization, since a message that only a debug build prints is none.
let package = Package(
  name: "Traps",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "dflat", path: "../..")],
  targets: [
    // `Scripts/test-traps.sh` compiles the schemas.
    .executableTarget(
      name: "Traps",
      dependencies: [
        .product(name: "DflatRuntime", package: "dflat"), .product(name: "PostgresDflat", package: "dflat"),
      ],
      exclude: ["note.fbs", "post.fbs"], swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)

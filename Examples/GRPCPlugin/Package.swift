// swift-tools-version: 6.1
import PackageDescription

/// What an app may ask of Swift for all its sources.
let strictest: [SwiftSetting] = {
  var settings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    .map { SwiftSetting.enableUpcomingFeature($0) }
  #if compiler(>=6.2)
    settings.append(.unsafeFlags(["-default-isolation", "MainActor"]))
  #endif
  return settings
}()

let package = Package(
  name: "GRPCPlugin",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "dflatc-gen-grpc", targets: ["dflatc-gen-grpc"])
  ],
  dependencies: [
    .package(name: "dflat", path: "../.."),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.3.0"),
  ],
  targets: [
    // The plug-in.
    .executableTarget(name: "dflatc-gen-grpc", dependencies: [.product(name: "SchemaPlugins", package: "dflat")]),
    // A service, with a server and a client. The plug-in writes its folder Generated.
    .executableTarget(
      name: "Orders",
      dependencies: [
        .product(name: "Dflat", package: "dflat"),
        .product(name: "FlatBuffersCore", package: "dflat"),
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCInProcessTransport", package: "grpc-swift-2"),
      ],
      exclude: ["orders.fbs"]),
    // Services with awkward names, in a module as strict as there are: that it compiles is its test.
    .target(
      name: "Awkward",
      dependencies: [
        .product(name: "Dflat", package: "dflat"),
        .product(name: "FlatBuffersCore", package: "dflat"),
        .product(name: "GRPCCore", package: "grpc-swift-2"),
      ],
      exclude: ["awkward.fbs", "messages.fbs"], swiftSettings: strictest),
  ]
)

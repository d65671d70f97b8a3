import Foundation
import TestSupport
import Testing

/// Packages as users make them, built by SwiftPM with the plug-ins.
///
/// `DFLAT_SWIFTPM=FOLDER` names the folder in which SwiftPM builds them, which takes minutes the first time. Without it, they are
/// skipped. They follow each other, since a folder takes one build at a time.
@Suite("The plug-ins of SwiftPM", .serialized, .enabled(if: scratch != nil))
struct PackagePluginTests {
  /// SwiftPM tells packages apart by the names of their folders, and a clone's folder may have any: so this one is made of it.
  private static let packageName = "app-of-" + packageFolder.lastPathComponent

  /// A package with two targets that have files of the same names, in different folders, and share an included schema. They
  /// use the accessors alone, so that little is compiled.
  private func withPackage(plugin: Bool, _ body: (URL) throws -> Void) throws {
    try withFolder { parent in
      let folder = parent.appending(path: Self.packageName)
      let plugins = plugin ? ", plugins: [.plugin(name: \"DflatPlugin\", package: \"dflat\")]" : ""
      try folder.write(
        """
        // swift-tools-version: 6.0
        import PackageDescription

        let package = Package(
          name: "\(Self.packageName)",
          platforms: [.macOS(.v13)],
          dependencies: [.package(name: "dflat", path: "\(packageFolder.path)")],
          targets: [
            .target(
              name: "Orders", dependencies: [.product(name: "DflatRuntime", package: "dflat")],
              exclude: [\(plugin ? "" : #""Shop", "Users""#)]\(plugins)),
            .executableTarget(
              name: "FreshApp", dependencies: ["Orders", .product(name: "DflatRuntime", package: "dflat")],
              exclude: [\(plugin ? "" : #""item.fbs", "dflatc.json""#)]\(plugins)),
          ]
        )
        """, to: "Package.swift")
      try folder.write("attribute \"mark\";\n", to: "Common/marks.fbs")
      for (path, name) in [("Shop", "Shop"), ("Users", "Users")] {
        try folder.write(
          "namespace \(name);\ntable Item { name: string (primary); }\nroot_type Item;\n",
          to: "Sources/Orders/\(path)/item.fbs")
      }
      try folder.write(
        "import FlatBuffersCore\npublic func count() -> Int { [Shop.ItemReader.self as Any, Users.ItemReader.self].count }\n",
        to: "Sources/Orders/Orders.swift")
      try folder.write(
        "include \"marks.fbs\";\nnamespace App;\ntable Item {\n  count: int (mark);\n}\nroot_type Item;\n",
        to: "Sources/FreshApp/item.fbs")
      try folder.write(
        #"{ "emit": ["accessors", "json"], "include": ["../../Common"] }"#, to: "Sources/FreshApp/dflatc.json")
      try folder.write(
        "import Orders\n@main struct FreshApp { static func main() { print(count(), App.ItemReader.self) } }\n",
        to: "Sources/FreshApp/FreshApp.swift")
      try body(folder)
    }
  }

  @Test(
    "The build-tool plug-in compiles each target's schemas, follows includes, and a mistake fails the build at its place"
  )
  func buildTool() throws {
    try withPackage(plugin: true) { folder in
      let first = try swift("build", in: folder)
      try #require(first.isSuccess, "\(first.text)")
      #expect(try runTool("\(scratch ?? "")/debug/FreshApp", []) == Data("2 ItemReader\n".utf8))
      // Nothing has changed, so nothing is compiled. The second build of a package is not asked: there, SwiftPM links the tools of
      // plug-ins again, whatever they are made of.
      _ = try swift("build", in: folder)
      let again = try swift("build", in: folder)
      #expect(again.isSuccess && !again.text.contains("item.fbs"), "\(again.text)")
      // The included schema stands outside of the target.
      try folder.write("attribute \"other\";\n", to: "Common/marks.fbs")
      let third = try swift("build", in: folder)
      #expect(!third.isSuccess && third.text.contains("Sources/FreshApp/item.fbs:4:15\n"), "\(third.text)")
      #expect(third.text.contains("error[D0"))
      try folder.write("attribute \"mark\";\n", to: "Common/marks.fbs")
      // Of several mistakes, in several targets, each is shown.
      try folder.write("table A { x: sting; }\ntable B { y: flot; }\n", to: "Sources/Orders/Users/item.fbs")
      let broken = try swift("build", in: folder)
      #expect(!broken.isSuccess)
      #expect(broken.text.contains("Sources/Orders/Users/item.fbs:1:14\n"), "\(broken.text)")
      #expect(broken.text.contains("Sources/Orders/Users/item.fbs:2:14\n"))
      #expect(broken.text.contains("did you mean `string`?"))
    }
  }

  @Test(
    "dflat-generate writes each target's Swift into the package, and dflat-check tells what is out of date or breaks data"
  )
  func commands() throws {
    try withPackage(plugin: false) { folder in
      func command(_ arguments: String...) throws -> (isSuccess: Bool, text: String) {
        try swift("package", arguments, in: folder)
      }
      func generated(_ target: String) throws -> [String] { try folder.appending(path: "Sources/\(target)").names() }
      let none = try command("--allow-writing-to-package-directory", "dflat-generate", "--target", "Missing")
      #expect(!none.isSuccess && none.text.contains("there is no target Missing"), "\(none.text)")
      let first = try command("--allow-writing-to-package-directory", "dflat-generate", "--target", "Orders")
      #expect(first.isSuccess && first.text.contains("Orders: Sources/Orders/Generated is up to date"), "\(first.text)")
      #expect(
        try generated("Orders/Generated").filter { $0.contains("item_generated") }
          == ["Shop_item_generated.swift", "Users_item_generated.swift"])
      #expect(try !generated("FreshApp").contains("Generated"))
      // The options say which emitters there are, and where their output goes.
      try folder.write(
        #"{ "emit": ["accessors"], "include": ["../../Common"], "output": "Schemas", "against": "git:HEAD" }"#,
        to: "Sources/FreshApp/dflatc.json")
      let second = try command("--allow-writing-to-package-directory", "dflat-generate")
      try #require(second.isSuccess, "\(second.text)")
      #expect(try generated("FreshApp/Schemas") == ["App_namespace_generated.swift", "item_generated.swift"])

      for arguments in [
        ["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "A"],
      ] {
        let made = try run(URL(fileURLWithPath: "/usr/bin/env"), ["git"] + arguments, in: folder)
        try #require(made.status == 0, "\(made.error)")
      }
      let right = try command("dflat-check")
      #expect(right.isSuccess && right.text.contains("FreshApp, Orders: checked"), "\(right.text)")
      #expect(right.text.contains("note: Orders: there is no earlier version to check against"))

      try folder.write(
        "include \"marks.fbs\";\nnamespace App;\ntable Item {\n  count: long (mark);\n}\nroot_type Item;\n",
        to: "Sources/FreshApp/item.fbs")
      let wrong = try command("dflat-check", "--target", "FreshApp")
      #expect(!wrong.isSuccess)
      for part in [
        "+++ Sources/FreshApp/Schemas/item_generated.swift", "error[field-type]", "--> Sources/FreshApp/item.fbs:4:10",
        "Sources/FreshApp/Schemas is not what `swift package dflat-generate` makes of the schemas of FreshApp",
        "the schemas of FreshApp may not replace their earlier version",
      ] {
        #expect(wrong.text.contains(part), "\(part): \(wrong.text)")
      }
      // A mistake in a schema is shown at its place, and nothing is written.
      try folder.write("table A { x: sting; }\n", to: "Sources/FreshApp/item.fbs")
      let broken = try command("--allow-writing-to-package-directory", "dflat-generate")
      #expect(!broken.isSuccess && broken.text.contains("--> Sources/FreshApp/item.fbs:1:14"), "\(broken.text)")
      #expect(broken.text.contains("nothing was written for: FreshApp"))
      #expect(try generated("FreshApp/Schemas").count == 2)
    }
  }

  @Test("A package that uses the bundle runs its dflatc, and compiles none")
  func bundle() throws {
    try withFolder { folder in
      let made = try run(
        URL(fileURLWithPath: "/usr/bin/env"),
        [
          "make", "-s", "-C", packageFolder.appending(path: "Packaging").path, "bundle", "BUNDLE=" + folder.path,
          "BINARY=" + productsFolder.appending(path: "dflatc").path,
        ])
      try #require(made.status == 0, "\(made.error)")
      let app = folder.appending(path: "fresh")
      try app.write(
        """
        // swift-tools-version: 6.0
        import PackageDescription

        let package = Package(
          name: "fresh",
          platforms: [.macOS(.v13)],
          dependencies: [.package(path: "../dflat")],
          targets: [
            .executableTarget(
              name: "Fresh", dependencies: [.product(name: "DflatRuntime", package: "dflat")],
              plugins: [.plugin(name: "DflatPlugin", package: "dflat")])
          ]
        )
        """, to: "Package.swift")
      try app.write("table Post { title: string (primary); }\nroot_type Post;\n", to: "Sources/Fresh/post.fbs")
      try app.write(
        "import SQLiteDflat\n@main struct Fresh { static func main() { print(Post(title: \"a\").title) } }\n",
        to: "Sources/Fresh/Fresh.swift")
      // A folder of its own: that of the other packages holds the compiler that they build.
      let scratch = (scratch ?? "") + "/bundle"
      let built = try swift("build", in: app, scratch: scratch)
      try #require(built.isSuccess, "\(built.text)")
      #expect(try runTool(scratch + "/debug/Fresh", []) == Data("a\n".utf8))
      let modules = try URL(fileURLWithPath: scratch + "/debug/").names().filter { $0.hasSuffix(".build") }
      #expect(modules.contains("SQLiteDflat.build"))
      #expect(
        !modules.contains { $0.hasPrefix("Emitters") || $0.hasPrefix("ArgumentParser") || $0.hasPrefix("dflatc") })
      // What the entry file includes is compiled, too, within the target and in the folders of includes.
      try app.write("attribute \"mark\";\n", to: "Vendor/mark.fbs")
      try app.write("\u{FEFF}include \"tag.fbs\";\ntable Note { tag: Tag; }\n", to: "Vendor/notes/note.fbs")
      try app.write("table Tag { post: Post (mark); }\n", to: "Vendor/notes/tag.fbs")
      try app.write("table Draft { x: int (mark); }\n", to: "Sources/Fresh/Deep/draft.fbs")
      try app.write(
        "include \"mark.fbs\"; // include \"no.fbs\";\r\n/* include \"no.fbs\"; */include\n'Deep/draft.fbs';\r\ninclude \"notes\\\\note.fbs\";\n"
          + "table Post { title: string (primary, mark); note: Note; }\nroot_type Post;\n", to: "Sources/Fresh/post.fbs"
      )
      try app.write(
        #"{ "genAll": true, "emit": ["accessors"], "include": ["../../Vendor"] }"#, to: "Sources/Fresh/dflatc.json")
      try app.write(
        "import FlatBuffersCore\n@main struct Fresh { static func main() { print(TagReader.self, DraftReader.self) } }\n",
        to: "Sources/Fresh/Fresh.swift")
      let whole = try swift("build", in: app, scratch: scratch)
      try #require(whole.isSuccess, "\(whole.text)")
      #expect(try runTool(scratch + "/debug/Fresh", []) == Data("TagReader DraftReader\n".utf8))
      try FileManager.default.removeItem(at: app.appending(path: "Sources/Fresh/dflatc.json"))
      // A mistake is shown as by a compiler that is built from its sources.
      try app.write("table Post { title: sting (primary); }\nroot_type Post;\n", to: "Sources/Fresh/post.fbs")
      let broken = try swift("build", in: app, scratch: scratch)
      #expect(!broken.isSuccess && broken.text.contains("Sources/Fresh/post.fbs:1:21"), "\(broken.text)")
      let command = try swift(
        "package", ["--allow-writing-to-package-directory", "dflat-generate"], in: app, scratch: scratch)
      #expect(!command.isSuccess && command.text.contains("--> Sources/Fresh/post.fbs:1:21"), "\(command.text)")
    }
  }

  private func swift(
    _ command: String, _ arguments: [String] = [], in folder: URL, scratch: String? = scratch
  ) throws -> (isSuccess: Bool, text: String) {
    let result = try runProgram(
      "swift", [command, "--package-path", folder.path, "--scratch-path", scratch ?? ""] + arguments, in: folder,
      seconds: 1800)
    return (result.isSuccess, String(decoding: result.output + result.error, as: UTF8.self))
  }
}

/// Where SwiftPM builds the packages of tests.
private let scratch = ProcessInfo.processInfo.environment["DFLAT_SWIFTPM"]

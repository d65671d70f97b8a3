#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The branches for Apple's systems, which no other test on Linux compiles.
  @Suite("The branches for Apple's systems")
  struct AppleBranchTests {
    /// The modules with such branches beyond imports, and the files in which these stand.
    private static let branches: [String: Set<String>] = [
      "FlatBuffersCore": ["ThreadLocal.swift"],
      "Dflat": [],
      "DflatEngine": ["Guarded.swift"],
      "SQLiteDflat": ["DatabaseOpener.swift", "FolderEvents.swift", "ImmutableFile.swift"],
      "dflatc": ["ChildProcess.swift", "ServerFiles.swift"],
    ]

    private static func folder(of module: String) -> URL {
      packageFolder.appending(path: module == "dflatc" ? "Sources/dflatc" : "Sources/DflatRuntime/\(module)")
    }

    private static func sources(of module: String) throws -> [URL] {
      let folder = folder(of: module)
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      return paths.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
    }

    /// Checks the types of a module's sources where the module `Darwin` is one that stands in for Apple's.
    private func typecheck(_ module: String, _ sources: [URL], in folder: URL) throws -> ProcessResult {
      let standIn = packageFolder.appending(path: "Tests/AppleStandIn/Darwin.swift").path
      try runTool(
        "swiftc",
        ["-parse-as-library", "-swift-version", "6", "-emit-module", "-module-name", "Darwin", "-o"]
          + [folder.appending(path: "Darwin.swiftmodule").path, standIn])
      return try run(
        URL(fileURLWithPath: "/usr/bin/env"),
        [
          "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", module,
          // As SwiftPM calls the package.
          "-package-name", packageFolder.lastPathComponent.lowercased(), "-I", folder.path,
          "-I", productsFolder.appending(path: "Modules").path,
          "-I", packageFolder.appending(path: "Sources/CSQLite").path,
          "-I", packageFolder.appending(path: "Sources/CBuildCommit/include").path,
        ] + sources.map(\.path), in: folder)
    }

    @Test(
      "The branches for Apple's systems type-check against a stand-in for Apple's module",
      arguments: AppleBranchTests.branches.keys.sorted())
    func types(module: String) throws {
      try withFolder { folder in
        let result = try typecheck(module, Self.sources(of: module), in: folder)
        #expect(result.status == 0, "\(result.error.suffix(2_000))")
      }
    }

    @Test("A type error in a branch for Apple's systems is found", arguments: AppleBranchTests.branches.keys.sorted())
    func mistake(module: String) throws {
      for file in try #require(Self.branches[module]).sorted() {
        try withFolder { folder in
          var sources = try Self.sources(of: module)
          let index = try #require(sources.firstIndex { $0.lastPathComponent == file })
          let text = try String(contentsOf: sources[index], encoding: .utf8)
          let branch = try #require(text.range(of: "#if canImport(Darwin)", options: .backwards))
          let line = try #require(text[branch.lowerBound...].firstIndex(of: "\n"))
          let broken = text[...line] + "@available(Mistake) let mistake = 1\n" + text[text.index(after: line)...]
          sources[index] = URL(fileURLWithPath: try folder.write(String(broken), to: file))
          #expect(try typecheck(module, sources, in: folder).status != 0, "\(file)")
        }
      }
    }

    @Test("There are no others in these modules")
    func noOthers() throws {
      for (module, files) in Self.branches {
        let found = try Self.sources(of: module).filter { source in
          let lines = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
          return lines.indices.contains { index in
            lines[index].contains("#if canImport(Darwin)")
              && lines[(index + 1)...].first?.contains("import Darwin") != true
          }
        }
        #expect(Set(found.map(\.lastPathComponent)) == files, "\(module)")
      }
    }
  }
#endif

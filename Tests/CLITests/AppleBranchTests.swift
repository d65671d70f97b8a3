#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// The branches for Apple's systems, which no other test on Linux compiles.
  @Suite("The branches for Apple's systems")
  struct AppleBranchTests {
    /// The modules with such branches, and the files in which these are more than an import.
    private static let branches: [String: Set<String>] = [
      "FlatBuffersCore": ["ThreadLocal.swift"],
      "Dflat": [],
      "DflatEngine": ["Guarded.swift", "ReleasingTemporaries.swift"],
      "SQLiteDflat": ["DatabaseOpener.swift", "FolderEvents.swift", "ImmutableFile.swift"],
      "PostgresDflat": [],
      "FBSSchema": [],
      "FlatBuffersJSON": [],
      "StoreInspection": [],
      "dflatc": ["ChildProcess.swift", "ServerFiles.swift"],
    ]

    /// Apple's modules by which the branches are chosen.
    private static let appleModules = ["Darwin", "ObjectiveC"]

    private static func folder(of module: String) -> URL {
      let folder = packageFolder.appending(path: "Sources/DflatRuntime/\(module)")
      return FileManager.default.fileExists(atPath: folder.path)
        ? folder : packageFolder.appending(path: "Sources/\(module)")
    }

    /// The index of the first line of a branch for Apple's systems that is more than an import; nil if there is none.
    private static func branch(in lines: [Substring]) -> Int? {
      lines.indices.last { index in
        appleModules.contains { module in
          lines[index].contains("#if canImport(\(module))")
            && lines[(index + 1)...].first?.contains("import \(module)") != true
        }
      }
    }

    private static func sources(of module: String) throws -> [URL] {
      let folder = folder(of: module)
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      return paths.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0) }
    }

    /// Checks the types of a module's sources where other modules stand in for Apple's.
    private func typecheck(_ module: String, _ sources: [URL], in folder: URL) throws -> ProcessResult {
      for name in Self.appleModules {
        let standIn = packageFolder.appending(path: "Tests/AppleStandIn/\(name).swift").path
        try runTool(
          "swiftc",
          ["-parse-as-library", "-swift-version", "6", "-emit-module", "-module-name", name, "-o"]
            + [folder.appending(path: "\(name).swiftmodule").path, standIn])
      }
      // Where the header of libpq lies.
      let postgres = module == "PostgresDflat" ? try runTool("pg_config", ["--includedir"]) : Data(".".utf8)
      return try run(
        URL(fileURLWithPath: "/usr/bin/env"),
        [
          "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", module,
          // As SwiftPM calls the package.
          "-package-name", packageFolder.lastPathComponent.lowercased(), "-I", folder.path,
          "-I", productsFolder.appending(path: "Modules").path,
          "-I", packageFolder.appending(path: "Sources/CSQLite").path,
          "-I", packageFolder.appending(path: "Sources/CPostgres").path, "-Xcc",
          "-I" + String(decoding: postgres, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines),
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
          var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
          lines.insert("@available(Mistake) let mistake = 1", at: try #require(Self.branch(in: lines)) + 1)
          sources[index] = URL(fileURLWithPath: try folder.write(lines.joined(separator: "\n"), to: file))
          #expect(try typecheck(module, sources, in: folder).status != 0, "\(file)")
        }
      }
    }

    @Test("There are no others in these modules")
    func noOthers() throws {
      for (module, files) in Self.branches {
        let found = try Self.sources(of: module).filter { source in
          Self.branch(in: try String(contentsOf: source, encoding: .utf8).split(separator: "\n")) != nil
        }
        #expect(Set(found.map(\.lastPathComponent)) == files, "\(module)")
      }
    }
  }
#endif

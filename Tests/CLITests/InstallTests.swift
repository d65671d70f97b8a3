import Foundation
import TestSupport
import Testing

/// `make install`, with the `dflatc` of the tests.
@Suite("make install")
struct InstallTests {
  private func make(_ arguments: String...) throws -> ProcessResult {
    try run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["make", "-s", "-C", packageFolder.path, "BINARY=" + productsFolder.appending(path: "dflatc").path] + arguments)
  }

  /// Gives `body` the folder `usr` of an installation.
  private func withInstallation(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      let result = try make("install", "DESTDIR=" + folder.path, "PREFIX=/usr")
      #expect(result.status == 0, "\(result.error)")
      try body(folder.appending(path: "usr"))
    }
  }

  private func files(in folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      try folder.appending(path: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true
    }.sorted()
  }

  @Test("make install installs dflatc, its manual pages and completions, and make uninstall removes them")
  func installation() throws {
    try withInstallation { usr in
      let commands = [
        "check", "compile", "convert", "diff", "explain", "format", "import", "inspect", "lint", "lsp", "plugin-schema",
        "sql",
      ]
      let pages = commands.map { "share/man/man1/dflatc-\($0).1" } + ["share/man/man1/dflatc.1"]
      #expect(
        try files(in: usr) == ["bin/dflatc", "share/bash-completion/completions/dflatc"]
          + ["share/doc/dflatc/diagnostics.md", "share/doc/dflatc/lint-rules.md"] + [
            "share/fish/vendor_completions.d/dflatc.fish"
          ] + pages + ["share/zsh/site-functions/_dflatc"])
      #expect(try run(usr.appending(path: "bin/dflatc"), ["--version"]).output.hasPrefix("dflatc "))
      // Another program's files stay.
      try usr.write("", to: "share/man/man1/other.1")
      #expect(try make("uninstall", "PREFIX=" + usr.path).status == 0)
      #expect(try files(in: usr) == ["share/man/man1/other.1"])
    }
  }

  @Test("A relative PREFIX is refused, since it would be that of the clone")
  func relativePrefix() throws {
    let result = try make("install", "PREFIX=~/.local")
    #expect(result.status != 0 && result.error.contains("PREFIX is to be an absolute path, and not ~/.local"))
  }

  @Test("Bash completes commands, options, the values of options, and schemas", .enabled(if: hasProgram("bash")))
  func completion() throws {
    try withInstallation { usr in
      try usr.write("", to: "work/post.fbs")
      try usr.write("", to: "work/notes.txt")
      func completions(_ words: String...) throws -> [String] {
        let script = """
          source share/bash-completion/completions/dflatc; cd work
          COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
          COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
          _dflatc dflatc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\\n' "${COMPREPLY[@]}"
          """
        return try run(
          URL(fileURLWithPath: "/usr/bin/env"), ["bash", "-c", script], in: usr,
          environment: [
            "PATH": usr.appending(path: "bin").path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
          ]
        ).output.split(separator: "\n").map(String.init)
      }
      #expect(try completions("dflatc", "com") == ["compile"])
      #expect(try completions("dflatc", "compile", "--dep") == ["--depfile"])
      #expect(try completions("dflatc", "compile", "--emit", "data") == ["data-model"])
      #expect(try !completions("dflatc", "man").contains("manual"))
    }
  }

  @Test(
    "zsh and fish read their completions",
    arguments: [("zsh", "zsh/site-functions/_dflatc"), ("fish", "fish/vendor_completions.d/dflatc.fish")])
  func otherShells(shell: String, file: String) throws {
    try withInstallation { usr in
      let text = try String(contentsOf: usr.appending(path: "share/" + file), encoding: .utf8)
      #expect(text.contains("compile") && text.contains("fbs"))
      guard hasProgram(shell) else { return }
      let result = try run(
        URL(fileURLWithPath: "/usr/bin/env"), [shell, "-n", usr.appending(path: "share/" + file).path])
      #expect(result.status == 0, "\(result.error)")
    }
  }

  @Test("Each manual page names its command, every option and its examples")
  func manualPages() throws {
    try withFolder { folder in
      #expect(try dflatc("manual", "-o", folder.path).status == 0)
      let page = try String(contentsOf: folder.appending(path: "dflatc-compile.1"), encoding: .utf8)
      for part in [
        ".TH \"DFLATC\\-COMPILE\" \"1\"", "dflatc\\-compile \\- Compile schemas to Swift\n", ".SH \"EXAMPLES\"",
        "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIoutput\\fR\n",
        "Values: text, line, json, sarif, github, gitlab, junit. Default: text.\n",
        "dflatc compile \\-o Generated \\-\\-format sarif post.fbs > results.sarif\n", ".SH \"EXIT STATUS\"\n0 done, ",
      ] {
        #expect(page.contains(part), "\(part)")
      }
      #expect(try !folder.names().contains("dflatc-manual.1"))
    }
  }

  @Test(
    "Formatters of manual pages have nothing to say against the pages",
    arguments: [("mandoc", ["-Tlint"]), ("groff", ["-ww", "-man", "-Tutf8"])])
  func manualPagesFormat(program: String, options: [String]) throws {
    // A machine without the formatter tests nothing here.
    guard hasProgram(program) else { return print("Without \(program), a test of the manual pages is skipped.") }
    try withFolder { folder in
      #expect(try dflatc("manual", "-o", folder.path).status == 0)
      for page in try folder.names() {
        let result = try run(
          URL(fileURLWithPath: "/usr/bin/env"), [program] + options + [folder.appending(path: page).path])
        // There is no date: the pages of a version are the same whenever they are made.
        let complaints = ((program == "mandoc" ? result.output : "") + result.error).split(separator: "\n")
          .filter { !$0.contains("missing date") }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
      }
    }
  }
}

/// `make bundle`, with the `dflatc` of the tests, as far as no package is built: see `PackagePluginTests` for the rest.
@Suite("make bundle")
struct BundleTests {
  private struct Info: Decodable {
    struct Artifact: Decodable {
      struct Variant: Decodable {
        let path: String
        let supportedTriples: [String]
      }
      let version: String
      let type: String
      let variants: [Variant]
    }
    let schemaVersion: String
    let artifacts: [String: Artifact]
  }

  private struct Package: Decodable {
    struct Named: Decodable { let name: String }
    struct Target: Decodable, Equatable {
      let name: String
      let type: String
      let path: String?
      let dependencies: [Dependency]
    }
    /// A target of the package, or a product of another one.
    struct Dependency: Decodable, Equatable {
      let isOfOtherPackage: Bool
      let name: String

      private enum Kind: String, CodingKey { case product, byName, target }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        let kind = try #require(container.allKeys.first)
        isOfOtherPackage = kind == .product
        var parts = try container.nestedUnkeyedContainer(forKey: kind)
        name = try parts.decode(String.self)
      }
    }
    let products: [Named]
    let targets: [Target]

    /// `scratch` is no folder of a build that runs: that of these tests is locked by `swift test`.
    init(at folder: URL, scratch: URL) throws {
      let text = try runTool(
        "swift", ["package", "--package-path", folder.path, "--scratch-path", scratch.path, "dump-package"])
      self = try JSONDecoder().decode(Package.self, from: text)
    }
  }

  private func make(in folder: URL, _ arguments: String...) throws -> ProcessResult {
    try run(
      URL(fileURLWithPath: "/usr/bin/env"),
      [
        "make", "-s", "-C", packageFolder.appending(path: "Packaging").path, "bundle", "BUNDLE=" + folder.path,
        "BINARY=" + productsFolder.appending(path: "dflatc").path,
      ] + arguments)
  }

  @Test("The artifact bundle names its dflatc for this system, and keeps those of others of the same version")
  func artifactBundle() throws {
    try withFolder { folder in
      try folder.write("#!/bin/sh\n", to: "dflatc.artifactbundle/other-system/dflatc")
      #expect(try make(in: folder).status == 0)
      let bundle = folder.appending(path: "dflatc.artifactbundle")
      let info = try JSONDecoder().decode(Info.self, from: Data(contentsOf: bundle.appending(path: "info.json")))
      let artifact = try #require(info.artifacts["dflatc"])
      #expect(info.schemaVersion == "1.0" && artifact.type == "executable")
      #expect(try dflatc("--version").output.contains(artifact.version))
      #expect(artifact.variants.count == 2)
      for variant in artifact.variants {
        #expect(variant.path == variant.supportedTriples[0] + "/dflatc")
        #expect(FileManager.default.fileExists(atPath: bundle.appending(path: variant.path).path))
      }
      // Of another version, nothing is kept.
      let text = try String(contentsOf: bundle.appending(path: "info.json"), encoding: .utf8)
      try bundle.write(text.replacing(artifact.version, with: "0.0.1"), to: "info.json")
      #expect(try make(in: folder).status == 0)
      #expect(try !bundle.names().contains("other-system"))
    }
  }

  @Test("The bundle's package has the products, plug-ins and runtime of dflat's own package")
  func package() throws {
    try withFolder { folder in
      #expect(try make(in: folder).status == 0)
      let scratch = folder.appending(path: "scratch")
      let own = try Package(at: packageFolder, scratch: scratch)
      let bundled = try Package(at: folder.appending(path: "dflat"), scratch: scratch)
      // Not in the bundle: the compiler's libraries, and the compiler as a product.
      #expect(
        bundled.products.map(\.name)
          == own.products.map(\.name).filter {
            ![
              "dflatc", "FBSParser", "Emitters", "FlatBuffersJSON", "SchemaEvolution", "SchemaLinting", "SchemaPlugins",
              "LanguageServer",
            ].contains($0)
          })
      for target in bundled.targets where target.type != "binary" {
        #expect(own.targets.contains(target), "\(target)")
      }
      let runtime = own.targets.filter { $0.path?.hasPrefix("Sources/DflatRuntime/") == true || $0.type == "plugin" }
      #expect(runtime.count >= 6 && runtime.allSatisfy(bundled.targets.contains))
    }
  }

  @Test("DflatPublishers alone depends on another package, and no module depends on DflatPublishers")
  func dependencies() throws {
    try withFolder { folder in
      let package = try Package(at: packageFolder, scratch: folder.appending(path: "scratch"))
      let runtime = package.targets.filter { $0.path?.hasPrefix("Sources/DflatRuntime/") == true }
      #expect(runtime.count >= 6)
      for target in runtime {
        let others = target.dependencies.filter { $0.isOfOtherPackage || $0.name == "DflatPublishers" }.map(\.name)
        #expect(others == (target.name == "DflatPublishers" ? ["OpenCombine"] : []), "\(target.name)")
      }
    }
  }

  @Test(
    "With BUNDLE_URL, the package names the address and the checksum of the bundle", .enabled(if: hasProgram("zip")))
  func address() throws {
    try withFolder { folder in
      let made = try make(in: folder, "BUNDLE_URL=https://example.com/0.1.0/dflatc.artifactbundle.zip")
      #expect(made.status == 0)
      let sum = try runTool(
        "swift", ["package", "compute-checksum", folder.appending(path: "dflatc.artifactbundle.zip").path])
      let checksum = String(decoding: sum, as: UTF8.self).trimmingCharacters(in: .newlines)
      #expect(checksum.count == 64 && made.output.contains(checksum))
      let manifest = try String(contentsOf: folder.appending(path: "dflat/Package.swift"), encoding: .utf8)
      #expect(
        manifest.contains(
          """
          .binaryTarget(name: "dflatc", url: "https://example.com/0.1.0/dflatc.artifactbundle.zip", checksum: "\(checksum)")
          """))
      #expect(try !folder.appending(path: "dflat").names().contains("dflatc.artifactbundle"))
    }
  }
}

/// Whether a program is on PATH.
private func hasProgram(_ name: String) -> Bool {
  (try? runProgram("sh", ["-c", "command -v \(name)"]).isSuccess) == true
}

import Foundation
import TestSupport
import Testing

/// The scripts and Makefiles around builds, copied to a folder with a `swift` that builds nothing.
@Suite("The scripts that build")
struct BuildScriptTests {
  /// Copies files of the package to a folder, and writes programs to its folder `bin`, which comes first on the PATH.
  /// - Parameters:
  ///   - paths: the files.
  ///   - folder: the folder, which need not exist.
  ///   - programs: the texts of the programs by their paths in the folder. `bin/swift` is written in any case.
  private func shell(
    with paths: [String], in folder: URL, programs: [String: String] = [:]
  ) throws -> Shell {
    for path in paths {
      try folder.write(try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8), to: path)
    }
    // Writes what it is asked to do to the file `asked`.
    let swift = """
      #!/bin/sh
      echo "$* [$DFLAT_COMMIT] [$LSAN_OPTIONS]" >>asked
      case "$*" in *--show-bin-path*) echo products ;; esac

      """
    let programs = programs.merging(["bin/swift": swift]) { own, _ in own }
    for (path, text) in programs { try folder.write(text, to: path) }
    for path in paths.filter({ $0.hasSuffix(".sh") }) + programs.keys {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.appending(path: path).path)
    }
    return Shell(folder: folder, path: folder.appending(path: "bin").path)
  }

  @Test("build-release.sh gives each option in SWIFT_BUILD_OPTIONS to swift, as the formula for Homebrew needs it")
  func optionsOfTheBuild() throws {
    try withTemporaryFolder { folder in
      let shell = try shell(with: ["Scripts/build-release.sh"], in: folder)
      let result = try shell.run("SWIFT_BUILD_OPTIONS='--disable-sandbox -v' Scripts/build-release.sh; cat asked")
      #expect(result.text.hasPrefix("products/dflatc\n"), "\(result.text)")
      #expect(result.text.ranges(of: "build-install --disable-sandbox -v ").count == 2, "\(result.text)")
      let formula = packageFolder.appending(path: "Scripts/distribution/dflatc.rb")
      #expect(try String(contentsOf: formula, encoding: .utf8).contains("\"SWIFT_BUILD_OPTIONS=--disable-sandbox\""))
    }
  }
}

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
      let formula = packageFolder.appending(path: "Packaging/dflatc.rb")
      #expect(try String(contentsOf: formula, encoding: .utf8).contains("\"SWIFT_BUILD_OPTIONS=--disable-sandbox\""))
    }
  }

  @Test("build-release.sh names the commit of the clone, also if DFLAT_COMMIT is empty, as it is in the image")
  func commit() throws {
    try withTemporaryFolder { folder in
      let shell = try shell(with: ["Scripts/build-release.sh"], in: folder)
      let result = try shell.run(
        """
        echo asked > .gitignore && echo .build-install >> .gitignore
        git init -q && git add . && git commit -qm A && git rev-parse --short HEAD
        DFLAT_COMMIT= Scripts/build-release.sh && DFLAT_COMMIT=abc Scripts/build-release.sh && cat asked
        """)
      let commit = try #require(result.text.split(separator: "\n").first)
      #expect(result.text.ranges(of: " [\(commit)] ").count == 2, "\(result.text)")
      #expect(result.text.ranges(of: " [abc] ").count == 2, "\(result.text)")
    }
  }

  @Test("What git ignores as built is not in the context of the image, and what git has is")
  func contextOfTheImage() throws {
    let text = try String(contentsOf: packageFolder.appending(path: ".dockerignore"), encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines == ["**/.build", "**/.build-*", "**/.swiftpm", "dist"])
  }

  @Test("Package.resolved of the package is in git, and Bazel takes the same commits of other packages")
  func versionsOfDependencies() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
    }
    #expect(try text(".gitignore").split(separator: "\n").contains("!/Package.resolved"))
    let resolved = try text("Package.resolved").matches(of: /"revision" : "(\w+)"/).map(\.1)
    let bazel = try text("deps.bzl").matches(of: /commit = "(\w+)"/).map(\.1)
    #expect(!resolved.isEmpty && resolved.sorted() == bazel.sorted())
  }

  @Test("Warnings about dependencies are left out, and those of a clone in a folder `checkouts` are not")
  func warnings() throws {
    try withTemporaryFolder { folder in
      let clone = folder.appending(path: "checkouts/dflat")
      let shell = try shell(
        with: ["Scripts/check-warnings.sh"], in: clone, programs: ["bin/swift": "#!/bin/sh\ncat warnings\n"])
      let dependency = "\(clone.path)/.build-lint/checkouts/other/a.swift:1:1: warning: never used\n"
      try clone.write(dependency, to: "warnings")
      let right = try shell.run("Scripts/check-warnings.sh")
      #expect(right.isSuccess, "\(right.text)")
      try clone.write(dependency + "\(clone.path)/Sources/b.swift:1:1: warning: never read\n", to: "warnings")
      let wrong = try shell.run("Scripts/check-warnings.sh")
      #expect(!wrong.isSuccess && wrong.text.contains("never read"), "\(wrong.text)")
      #expect(!wrong.text.contains("never used"), "\(wrong.text)")
    }
  }

  @Test("Warnings of the build from nothing are read from what it has said, until a source is newer")
  func warningsOfTheTests() throws {
    try withTemporaryFolder { folder in
      let shell = try shell(
        with: ["Scripts/build-tests.sh", "Scripts/check-warnings.sh"], in: folder,
        programs: ["bin/swift": "#!/bin/sh\necho builds; mkdir -p .build/debug; cat warnings\n"])
      let sources = ["Package.swift", "Sources/b.swift", "Tests/c.swift", "Plugins/d.swift"]
      for path in sources { try folder.write("", to: path) }
      try folder.write("/other/Sources/b.swift:1:1: warning: never read\n", to: "warnings")
      let first = try shell.run("Scripts/build-tests.sh")
      #expect(first.isSuccess, "\(first.text)")
      // The next build says nothing.
      try folder.write("", to: "warnings")
      let next = try shell.run("Scripts/build-tests.sh && Scripts/check-warnings.sh")
      #expect(!next.isSuccess && next.text.contains("never read"), "\(next.text)")
      let newer = try shell.run("touch -t 203701010000 Sources/b.swift && Scripts/check-warnings.sh")
      #expect(newer.isSuccess && newer.text.contains("No warnings."), "\(newer.text)")
    }
  }

  @Test("A dflatc that is built already is installed and packed without Swift and the libraries of a build")
  func binary() throws {
    let shell = Shell(folder: packageFolder)
    for target in ["install", "-C Packaging wheel", "-C Packaging npm"] {
      let ready = try shell.run("make -n \(target) BINARY=/tmp/dflatc")
      #expect(ready.isSuccess && !ready.text.contains("install-tools.sh"), "\(ready.text)")
      let built = try shell.run("make -n \(target) BINARY=")
      #expect(built.isSuccess && built.text.contains("install-tools.sh"), "\(built.text)")
    }
  }

  @Test("With a package, the size and median start time of dflatc are printed, and those of flatc and buf")
  func startTimes() throws {
    try withTemporaryFolder { folder in
      let program = "#!/bin/sh\n# GLIBC_2.17\necho dflatc 0.1.0\n"
      // The first run is fast, and the others take 20 ms.
      let slow = "#!/bin/sh\nif [ -e \"$0.ran\" ]; then sleep 0.02; fi; touch \"$0.ran\"\n"
      let shell = try shell(
        with: [
          "LICENSE", "Packaging/README.md", "Packaging/main.py", "Packaging/packages.py",
        ], in: folder, programs: ["built": program, "bin/flatc": slow, "bin/buf": "#!/bin/sh\nexit 1\n"])
      guard try shell.run("command -v python3").isSuccess else { return }
      let result = try shell.run("python3 Packaging/packages.py wheel built dist")
      #expect(result.isSuccess, "\(result.text)")
      let lines = result.text.split(separator: "\n")
      try #require(lines.count == 4, "\(result.text)")
      #expect(lines[0].contains(/^\/.*built \(\d+\.\d MB, starts in \d+\.\d ms\)$/), "\(lines[0])")
      let time = try #require(lines[1].firstMatch(of: /bin\/flatc \(\d+\.\d MB, starts in (\d+\.\d) ms\)$/)).1
      let milliseconds = try #require(Double(time))
      #expect(milliseconds >= 20)
      #expect(lines[2].hasSuffix("bin/buf does not start"), "\(lines[2])")
      #expect(lines[3].hasPrefix("dist/dflatc-0.1.0-py3-none-"), "\(lines[3])")
    }
  }

  @Test("install-tools.sh asks for the Swift that SWIFT names")
  func otherSwift() throws {
    try withTemporaryFolder { folder in
      let shell = try shell(with: ["Scripts/install-tools.sh"], in: folder)
      let result = try shell.run("SWIFT=$PWD/missing/swift Scripts/install-tools.sh run")
      #expect(!result.isSuccess && result.text.hasPrefix("Swift 6 or newer is needed"), "\(result.text)")
    }
  }

  @Test("The examples run in a clone whose path has a blank, and remove nothing outside of it")
  func blankInThePathOfExamples() throws {
    try withTemporaryFolder { folder in
      try folder.write("kept", to: "my")
      let program = "#!/bin/sh\necho \"ran in $PWD\"\n"
      let clone = folder.appending(path: "my clone")
      let shell = try shell(
        with: ["Examples/Makefile"], in: clone,
        programs: [
          "Scripts/install-tools.sh": "#!/bin/sh\n", ".build-packages/debug/LiveList": program,
          ".build-packages/debug/Notes": program, ".build-packages/debug/PostServer": program,
        ])
      let result = try shell.run(
        "mkdir Examples/Notes Examples/PostServer; make -C Examples SWIFT=swift live notes run-server")
      #expect(result.isSuccess, "\(result.text)")
      for place in ["Examples", "Examples/Notes", "Examples/PostServer"] {
        #expect(result.text.contains("/my clone/\(place)\n"), "\(place): \(result.text)")
      }
      #expect(try String(contentsOf: folder.appending(path: "my"), encoding: .utf8) == "kept")
    }
  }

  @Test("The sanitizers read the list of known leaks in a clone whose path has a blank")
  func blankInThePathOfSanitizers() throws {
    try withTemporaryFolder { folder in
      let clone = folder.appending(path: "my clone")
      let shell = try shell(
        with: ["Makefile"], in: clone, programs: ["Scripts/install-tools.sh": "#!/bin/sh\n"])
      let result = try shell.run("make sanitize SWIFT=swift; cat asked")
      #expect(result.isSuccess, "\(result.text)")
      // Sanitizers take a value with a blank in quotes.
      let options = /\[suppressions="[^"]*\/my clone\/Scripts\/known-leaks.txt":print_suppressions=0\]/
      #expect(result.text.matches(of: options).count == 2, "\(result.text)")
    }
  }

  #if os(Linux)
    @Test("A fuzz target that there is not is refused")
    func misspelledFuzzTarget() throws {
      try withTemporaryFolder { folder in
        let shell = try shell(
          with: ["Quality/Fuzz/fuzz.sh"], in: folder, programs: ["bin/flatc": "#!/bin/sh\n"])
        for arguments in ["1 parsr", "1 parser parsr", "1 --save parsr"] {
          let result = try shell.run("Quality/Fuzz/fuzz.sh \(arguments)")
          #expect(!result.isSuccess, "\(arguments)")
          #expect(result.text.hasPrefix("error: there is no fuzz target parsr. There are: parser "), "\(result.text)")
        }
      }
    }
  #endif
}

import Foundation
import TestSupport
import Testing

/// `make install`, with the `dflatc` of the tests.
@Suite("make install")
struct InstallTests {
  private func make(_ arguments: String...) throws -> ProcessResult {
    try run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["make", "-s", "-C", repository.path, "BINARY=" + productsFolder.appending(path: "dflatc").path] + arguments)
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
      try !folder.appending(path: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory!
    }.sorted()
  }

  @Test("It installs dflatc, its manual pages and completions, and `make uninstall` removes all of them")
  func installation() throws {
    try withInstallation { usr in
      let commands = ["check", "compile", "convert", "explain", "format", "inspect", "plugin-schema"]
      let pages = commands.map { "share/man/man1/dflatc-\($0).1" } + ["share/man/man1/dflatc.1"]
      #expect(
        try files(in: usr) == ["bin/dflatc", "share/bash-completion/completions/dflatc"]
          + ["share/fish/vendor_completions.d/dflatc.fish"] + pages + ["share/zsh/site-functions/_dflatc"])
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
        "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIoutput\\fR\n", "Values: text, json, sarif, github. Default: text.\n",
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

/// Whether a program is on PATH.
private func hasProgram(_ name: String) -> Bool {
  (try? runProgram("sh", ["-c", "command -v \(name)"]).isSuccess) == true
}

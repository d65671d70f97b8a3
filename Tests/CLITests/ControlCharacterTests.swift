import Foundation
import TestSupport
import Testing

/// Names, schemas, arguments and other programs' messages may hold characters that a terminal obeys: they would change its
/// colours and its title, or overwrite what a person is to read.
@Suite("Control characters on their way to the terminal")
struct ControlCharacterTests {
  private static let hostile = "\u{1B}]0;x\u{7}\u{1B}[31m\u{9B}2J\u{202E}"

  private func expectNone(_ text: String, _ command: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    let controls = text.unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
    }
    #expect(controls.isEmpty, "\(command): \(text.debugDescription)", sourceLocation: sourceLocation)
  }

  private func dflatc(_ arguments: [String], in folder: URL) throws -> ProcessResult {
    try run(productsFolder.appending(path: "dflatc"), arguments, in: folder)
  }

  @Test("Every command escapes control characters in names, arguments and texts")
  func commands() throws {
    let name = "a\(Self.hostile).fbs"
    try withFolder { folder in
      try folder.write("table bad { myField: int; } // \(Self.hostile)\n", to: "valid/\(name)")
      try folder.write("table T { x: \(Self.hostile) }\n", to: "wrong/\(name)")
      try folder.write("{ \"lint\": { \"rules\": { \"\(Self.hostile)\": \"on\" } } }", to: "config.json")
      try folder.write("{ \"x\": 1 }", to: "object.json")
      let commands = [
        ["compile", "-o", "out", name], ["compile", "-o", "out", "wrong/\(name)"],
        ["compile", "-o", "out", "--emit", Self.hostile, "valid/\(name)"], ["compile", "--\(Self.hostile)", "x"],
        ["compile", "-o", "out", "--emit", "accessors", "--plugin", "x=./\(Self.hostile)", "valid/\(name)"],
        [Self.hostile], ["check", "valid/\(name)", "none\(Self.hostile)"], ["check", "wrong", "valid"],
        ["check", "--config", Self.hostile, "valid", "valid"], ["check", "--against", Self.hostile, "valid/\(name)"],
        ["lint", "valid"], ["lint", "wrong"], ["lint", "--format", "github", "wrong"],
        ["lint", "--format", "json", "wrong"],
        ["lint", "--format", "sarif", "wrong"], ["lint", "--config", "config.json", "valid"], ["format", "wrong"],
        ["format", "none\(Self.hostile)"], ["explain", Self.hostile],
        ["convert", "valid/\(name)", "object.json", "--type", Self.hostile],
        ["convert", "wrong/\(name)", "object.json"], ["inspect", "none\(Self.hostile)"],
      ]
      for command in commands {
        let result = try dflatc(command, in: folder)
        #expect(result.status != 0, "\(command)")
        expectNone(result.error, command)
        expectNone(result.output, command)
      }
    }
  }

  @Test("Control characters in messages of git are escaped")
  func git() throws {
    try withFolder { folder in
      let schema = "a\(Self.hostile).fbs"
      try folder.write("table T { x: int; }\n", to: schema)
      for arguments in [
        ["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "one"],
      ] {
        #expect(try run(URL(fileURLWithPath: "/usr/bin/env"), ["git"] + arguments, in: folder).status == 0)
      }
      try folder.write("table T { x: long; }\n", to: schema)
      for command in [
        ["check", "--against", "git:HEAD", "."], ["check", "--against", "git:\(Self.hostile)", "."],
        ["check", "--against", "git:HEAD:\(Self.hostile)", schema], ["check", "--against", "git:HEAD", Self.hostile],
      ] {
        let result = try dflatc(command, in: folder)
        #expect(result.status != 0, "\(command)")
        expectNone(result.error, command)
      }
    }
  }

  @Test("Control characters in a plug-in's error, and in the names of its files, are escaped")
  func plugins() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }\n", to: "t.fbs")
      try folder.write(dflatc(["plugin-schema"], in: folder).output, to: "plugin.fbs")
      let escaped = #"\u001b[31m\u0007\u009b2J"#
      for json in [
        "{ error: \"wrong \(escaped)\" }", "{ files: [ { name: \"/\(escaped)\" } ] }",
        "{ files: [ { name: \"a\(escaped)\" }, { name: \"a\(escaped)\" } ] }",
      ] {
        try folder.write(json, to: "response.json")
        let made = try run(
          URL(fileURLWithPath: "/usr/bin/env"), ["flatc", "--binary", "plugin.fbs", "response.json"], in: folder)
        #expect(made.status == 0, "\(made.output) \(made.error)")
        let path = try folder.write("#!/bin/sh\ncat > /dev/null; cat response.bin\n", to: "plugin.sh")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        for format in ["text", "github"] {
          let command = [
            "compile", "-o", "out", "--emit", "accessors", "--format", format, "--plugin", "x=plugin.sh", "t.fbs",
          ]
          let result = try dflatc(command, in: folder)
          #expect(result.status != 0, "\(json)")
          #expect((result.error + result.output).contains("\\u{1b}[31m"), "\(json): \(result.error)")
          expectNone(result.error + result.output, command)
        }
      }
    }
  }

  @Test("Control characters that a plug-in writes to standard error are escaped, and shown while it runs")
  func pluginErrors() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }\n", to: "t.fbs")
      // More than a pipe holds, before it reads: neither waits for the other. The last line does not end.
      let path = try folder.write(
        """
        #!/bin/sh
        printf 'red \\033[31m\\302\\2332J\\a\\tü\\n\\n' >&2
        head -c 300000 /dev/zero | tr '\\0' x >&2
        cat > /dev/null
        printf '\\nlast' >&2
        exit 3
        """, to: "plugin.sh")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      let command = ["compile", "-o", "out", "--emit", "accessors", "--plugin", "x=plugin.sh", "t.fbs"]
      let result = try dflatc(command, in: folder)
      #expect(result.status != 0)
      #expect(result.error.hasPrefix("red \\u{1b}[31m\\u{9b}2J\\u{7}\tü\n\nxxx"), "\(result.error.prefix(80))")
      #expect(result.error.count { $0 == "x" } >= 300_000)
      #expect(result.error.contains("\nlast\n") && result.error.contains("it exited with 3"))
      expectNone(result.error, command)
    }
  }

  #if os(Linux)
    @Test("Control characters are escaped on a terminal, and unchanged in a file")
    func terminals() throws {
      let text = "// \u{9B}2J\ntable T {}\n"
      try withFolder { folder in
        try folder.write(text, to: "a.fbs")
        let program = productsFolder.appending(path: "dflatc").path
        let terminal = try run(
          URL(fileURLWithPath: "/usr/bin/env"), ["script", "-qec", "'\(program)' format - < a.fbs", "/dev/null"],
          in: folder)
        #expect(terminal.output.contains("// \\u{9b}2J"), "\(terminal.output.debugDescription)")
        let file = try run(
          URL(fileURLWithPath: "/bin/sh"), ["-c", "\"$0\" format - < a.fbs", program], in: folder)
        #expect(file.output == text)
      }
    }
  #endif
}

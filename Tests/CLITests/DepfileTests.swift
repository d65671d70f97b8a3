import Foundation
import TestSupport
import Testing

@Suite("Depfiles of dflatc compile")
struct DepfileTests {
  /// Paths that are written so that Make and Ninja read them back.
  private static let readable: [String] = {
    let plain = ["a-b", "a,b", "a@b", "a+b", "a{b}", "a(b)c", "a(b", "a)b", "a!b", "a~b", "é", "a]b", "日本"]
    // Each of the characters that take a backslash or a dollar sign, at all places and beside one another.
    let special = [" ", "#", ":", "$", "\\"]
    let pairs = special.flatMap { one in special.map { "a\(one)\($0)b" } }
    let triples = ["a\\\\\\ b", "a \\ b", "a$$$b", "a   b", "a#:#b", "a: #$b", "a \u{301}b", "a\\b\\c"]
    let ends = [" a", "#a", ":a", "$a", "\\a", "a#", "a$"]
    return plain + pairs.filter { name in !["\\#", "\\:", "\\$"].contains { name.contains($0) } } + triples + ends
  }()

  /// Paths that Make or Ninja would read as something else, however they are written.
  private static let unreadable = [
    "a;b", "a=b", "a%b", "a*b", "a?b", "a[b", "a|b", "a\tb", "a\nb", "a\rb", "a\u{1}b", "a`b", "a<b", "a>b", "a^b",
    "a\\#b", "a\\:b", "a\\$b", "~a", "a ", "a\\", "a:", "a&", "(a)",
  ]

  private func compile(_ schema: String, _ more: String..., in folder: URL) throws -> ProcessResult {
    try run(
      productsFolder.appending(path: "dflatc"),
      ["compile", "--emit", "accessors", "-o", "out", "--depfile", "d"] + more + ["--", schema], in: folder)
  }

  private func age(_ name: String, by seconds: Double, in folder: URL) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: folder.appending(path: name).path)
  }

  private func runs(_ tool: [String], in folder: URL) throws -> Bool {
    let result = try run(URL(fileURLWithPath: "/usr/bin/env"), tool, in: folder)
    #expect(result.status == 0, "\(tool): \(result.output) \(result.error)")
    return result.output.contains("RUN")
  }

  /// Runs a tool while the schema `name`, which a schema includes, and the stamp `target` change.
  private func follow(_ tool: [String], _ name: String, _ target: String, in folder: URL) throws {
    for file in [name, "includer.fbs"] { try age(file, by: -1000, in: folder) }
    try age(target, by: -500, in: folder)
    #expect(try !runs(tool, in: folder), "\(tool): \(name.debugDescription) has not changed")
    try age(name, by: -10, in: folder)
    #expect(try runs(tool, in: folder), "\(tool): \(name.debugDescription) is newer")
    #expect(try !runs(tool, in: folder), "\(tool): \(name.debugDescription) is as it was")
  }

  private func write(_ name: String, in folder: URL) throws {
    try folder.write("table T { x: int; }\n", to: name)
    // An include takes no backslash for part of a name, so that these are inputs.
    try folder.write("table Other { y: int; }\n", to: "includer.fbs")
  }

  @Test("A depfile replaces no schema")
  func keptSchema() throws {
    try withFolder { folder in
      let schema = "table T { x: int; }\n"
      try folder.write(schema, to: "a.fbs")
      let result = try dflatc("compile", "-o", "out", "--depfile", "./a.fbs", "a.fbs", in: folder)
      #expect(result.status == 2, "\(result.error)")
      #expect(result.error == "error: ./a.fbs is an input, and would be replaced: choose another depfile\n")
      #expect(try String(contentsOf: folder.appending(path: "a.fbs"), encoding: .utf8) == schema)
      #expect(try folder.names() == ["a.fbs"])
    }
  }

  @Test("Make reads each path back, of a schema and of the stamp", arguments: readable)
  func make(name: String) throws {
    try withFolder { folder in
      try write(name, in: folder)
      let stamp = "s" + name
      let result = try compile(name, "--stamp", stamp, "includer.fbs", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      // A recipe for every file, so that none has to be named here.
      try folder.write("%:\n\t@echo RUN\n\t@touch \"$$TARGET\"\n-include d\n", to: "Makefile")
      try follow(["TARGET=\(stamp)", "make", stamp], name, stamp, in: folder)
    }
  }

  @Test(
    "Ninja reads each path back, of a schema and of the stamp",
    .enabled(if: BuildToolTests.has("ninja"), "there is no ninja: see install-tools.sh"), arguments: readable)
  func ninja(name: String) throws {
    try withFolder { folder in
      try write(name, in: folder)
      let stamp = "s" + name
      let result = try compile(name, "--stamp", stamp, "includer.fbs", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      // By scalars: a blank may have a combining character behind it.
      let target = stamp.unicodeScalars.map { "$ :".unicodeScalars.contains($0) ? "$\($0)" : "\($0)" }.joined()
      try folder.write("echo RUN; cp d dep; touch -- \"$TARGET\"\n", to: "recipe.sh")
      try folder.write(
        "rule r\n  command = sh recipe.sh\n  depfile = dep\nbuild \(target): r includer.fbs\n", to: "build.ninja")
      let tool = ["TARGET=\(stamp)", "ninja", "-v"]
      #expect(try runs(tool, in: folder))
      try follow(tool, name, stamp, in: folder)
    }
  }

  @Test("A path that they cannot read back is refused with the reason, and nothing is written", arguments: unreadable)
  func refusal(name: String) throws {
    try withFolder { folder in
      try write(name, in: folder)
      let before = try folder.names()
      for result in [
        try compile(name, "--stamp", "s", in: folder), try compile("includer.fbs", "--stamp", name, in: folder),
      ] {
        #expect(result.status == 3)
        #expect(result.error.hasPrefix("error: cannot write d: it would have to name "), "\(result.error)")
        #expect(result.error.contains(name.debugDescription), "\(result.error)")
        #expect(result.error.hasSuffix(": give that path another name\n"), "\(result.error)")
      }
      #expect(try folder.names() == before)
      let without = try run(
        productsFolder.appending(path: "dflatc"), ["compile", "--emit", "accessors", "-o", "out", "--", name],
        in: folder)
      #expect(without.status == 0, "\(without.error)")
    }
  }

  @Test("Each character of ASCII is read back by Make or refused, at each place of a path")
  func allCharacters() throws {
    try withFolder { folder in
      var rules = ""
      var names: [String] = []
      for byte in UInt8(1)..<128 where byte != UInt8(ascii: "/") {
        let character = String(UnicodeScalar(byte))
        for name in ["a\(character)b", "\(character)b", "a\(character)"] {
          try folder.write("table T { x: int; }\n", to: name)
          let result = try compile(name, "--stamp", "stamp\(names.count)", in: folder)
          guard result.status == 0 else {
            #expect(result.error.contains("it would have to name"), "\(result.error)")
            continue
          }
          rules += String(decoding: try Data(contentsOf: folder.appending(path: "d")), as: UTF8.self)
          rules += "stamp\(names.count):\n\t@echo RUN\(names.count).\n"
          names.append(name)
        }
      }
      #expect(names.count > 200)
      try folder.write("all: \(names.indices.map { "stamp\($0)" }.joined(separator: " "))\n" + rules, to: "Makefile")
      for (index, name) in names.enumerated() {
        try age(name, by: index.isMultiple(of: 2) ? -1000 : -10, in: folder)
        try age("stamp\(index)", by: -500, in: folder)
      }
      let result = try run(URL(fileURLWithPath: "/usr/bin/env"), ["make", "all"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      for (index, name) in names.enumerated() {
        #expect(result.output.contains("RUN\(index).") == !index.isMultiple(of: 2), "\(name.debugDescription)")
      }
    }
  }

  @Test("A note names a path that older versions of Ninja misread")
  func olderNinja() throws {
    try withFolder { folder in
      for name in ["it's", "a\"b", "a&b"] {
        try folder.write("table T { x: int; }\n", to: name)
        let result = try compile(name, "--stamp", "s", in: folder)
        #expect(result.status == 0)
        #expect(result.error == "note: d names \(name), which Make reads, and Ninja from 1.13 on\n")
      }
    }
  }

  @Test("The program of a plug-in is a dependency, named by its path or found in PATH")
  func plugins() throws {
    try withFolder { folder in
      try folder.write("table T { x: int; }\n", to: "t.fbs")
      try folder.write(dflatc("plugin-schema").output, to: "plugin.fbs")
      try folder.write("{}", to: "response.json")
      let flatc = try run(
        URL(fileURLWithPath: "/usr/bin/env"), ["flatc", "--binary", "plugin.fbs", "response.json"], in: folder)
      #expect(flatc.status == 0, "\(flatc.error)")
      for program in ["tools/dflatc-gen-found", "named program"] {
        let path = try folder.write("#!/bin/sh\ncat > /dev/null; cat response.bin\n", to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      }
      let tools = folder.appending(path: "tools").path
      let path = "\(tools):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
      let result = try run(
        productsFolder.appending(path: "dflatc"),
        [
          "compile", "--emit", "accessors", "-o", "out", "--stamp", "s", "--depfile", "d", "--plugin", "found",
          "--plugin",
          "x=named program", "t.fbs",
        ], in: folder, environment: ["PATH": path])
      #expect(result.status == 0, "\(result.error)")
      #expect(
        try String(contentsOf: folder.appending(path: "d"), encoding: .utf8) == """
          s: \\
            t.fbs \\
            \(tools)/dflatc-gen-found \\
            ./named\\ program

          \(tools)/dflatc-gen-found:

          ./named\\ program:

          """)
      try folder.write("s:\n\t@echo RUN\n\t@touch s\n-include d\n", to: "Makefile")
      for file in ["t.fbs", "tools/dflatc-gen-found", "named program"] { try age(file, by: -1000, in: folder) }
      try age("s", by: -500, in: folder)
      for program in ["tools/dflatc-gen-found", "named program"] {
        #expect(try !runs(["make", "s"], in: folder))
        try age(program, by: -10, in: folder)
        try age("s", by: -500, in: folder)
        #expect(try runs(["make", "s"], in: folder), "\(program) is newer")
      }
      // It may have moved to another folder of PATH.
      try FileManager.default.removeItem(at: folder.appending(path: "tools"))
      #expect(try runs(["make", "s"], in: folder))
    }
  }
}

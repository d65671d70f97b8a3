import Foundation
import TestSupport
import Testing

@Suite("dflatc compile --plugin")
struct PluginTests {
  private let schema = "table Post { title: string (primary); }\nroot_type Post;\n"

  /// Runs the compiler with a plug-in that is a shell script.
  private func compile(
    _ script: String, _ more: [String] = [], name: String = "x", in folder: URL
  ) throws -> ProcessResult {
    try folder.write(schema, to: "post.fbs")
    let path = try folder.write("#!/bin/sh\n\(script)\n", to: "plugin.sh")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return try run(
      productsFolder.appending(path: "dflatc"),
      ["compile", "-o", "out", "--plugin", "\(name)=plugin.sh", "post.fbs"] + more, in: folder)
  }

  /// A response that flatc makes of JSON, as a shell command which writes it.
  private func response(_ json: String, in folder: URL) throws -> String {
    try folder.write(dflatc("plugin-schema").output, to: "plugin.fbs")
    try folder.write(json, to: "response.json")
    let result = try run(
      URL(fileURLWithPath: "/usr/bin/env"), ["flatc", "--binary", "plugin.fbs", "response.json"], in: folder)
    #expect(result.status == 0, "\(result.output) \(result.error)")
    return "cat > /dev/null; cat response.bin"
  }

  @Test("Files of a plug-in are written beside those of the emitters, and follow --depfile and --diff")
  func whatItAnswersIsWrittenBesideTheOthersFiles() throws {
    try withFolder { folder in
      let script = try response(
        #"{ files: [ { name: "a.txt", content: [104, 105, 10] }, { name: "deep/er/b.txt" } ] }"#, in: folder)
      let result = try compile(script, ["--depfile", "out.d"], in: folder)
      #expect(result.status == 0, "\(result.error)")
      let out = folder.appending(path: "out")
      #expect(try String(contentsOf: out.appending(path: "a.txt"), encoding: .utf8) == "hi\n")
      #expect(try Data(contentsOf: out.appending(path: "deep/er/b.txt")).isEmpty)
      #expect(try out.names().contains("post_generated.swift"))
      #expect(try String(contentsOf: folder.appending(path: "out.d"), encoding: .utf8).contains("out/deep/er/b.txt"))
      // What would not change is left alone, and --diff shows what would.
      let past = Date(timeIntervalSince1970: 1_000_000)
      try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: out.appending(path: "a.txt").path)
      #expect(try compile(script, in: folder).status == 0)
      let date = try FileManager.default.attributesOfItem(atPath: out.appending(path: "a.txt").path)[.modificationDate]
      #expect(date as? Date == past)
      #expect(try compile(script, ["--diff"], in: folder).status == 0)
      try out.write("ho\n", to: "a.txt")
      let diff = try compile(script, ["--diff"], in: folder)
      #expect(diff.status == 1)
      #expect(diff.output.contains("-ho\n+hi\n"))
    }
  }

  @Test(
    "No output of a plug-in replaces an input: a schema, an included one, a configuration or the plug-in itself",
    arguments: ["post.fbs", "common/base.fbs", ".dflatc.json", "plugin.sh"])
  func keptInputs(_ name: String) throws {
    try withFolder { folder in
      let script = try response(#"{ files: [ { name: "\#(name)", content: [104, 105, 10] } ] }"#, in: folder)
      try folder.write("enum Kind: byte { A }\n", to: "common/base.fbs")
      try folder.write("include \"common/base.fbs\";\ntable More { kind: Kind; }\n", to: "more.fbs")
      try folder.write("{}\n", to: ".dflatc.json")
      let apart = try compile(script, ["more.fbs"], in: folder)
      #expect(apart.status == 0, "\(apart.error)")
      let input = folder.appending(path: name)
      let text = try Data(contentsOf: input)
      let result = try dflatc("compile", "-o", ".", "--plugin", "x=plugin.sh", "post.fbs", "more.fbs", in: folder)
      #expect(result.status == 2, "\(result.error)")
      #expect(result.error.contains("\(name) is an input, and would be replaced"), "\(result.error)")
      #expect(try Data(contentsOf: input) == text)
      #expect(try !folder.names().contains("post_generated.swift"))
    }
  }

  @Test("A request to a plug-in holds all inputs, their names and their binary schema")
  func itIsAskedAboutAllInputs() throws {
    try withFolder { folder in
      let answer = try response("{}", in: folder)
      let script = "cat > request.bin; \(answer.dropFirst("cat > /dev/null; ".count))"
      try folder.write("include \"post.fbs\"; table More { post: Post; }", to: "more.fbs")
      let result = try compile(script, ["more.fbs", "--emit", "accessors"], name: "x", in: folder)
      #expect(result.status == 0, "\(result.error)")
      // Another reader of the format: the request has the root type of the response's schema but for this line.
      let text = try String(contentsOf: folder.appending(path: "plugin.fbs"), encoding: .utf8)
        .replacingOccurrences(of: "root_type CodeGeneratorResponse", with: "root_type CodeGeneratorRequest")
      try folder.write(text, to: "request.fbs")
      let flatc = try run(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["flatc", "--json", "--strict-json", "--raw-binary", "request.fbs", "--", "request.bin"], in: folder)
      #expect(flatc.status == 0, "\(flatc.output)")
      let data = try Data(contentsOf: folder.appending(path: "request.json"))
      let request = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(request["files_to_generate"] as? [String] == ["//post.fbs", "//more.fbs"])
      let version = try dflatc("--version").output
      #expect(
        request["compiler_version"] as? String == version.dropFirst("dflatc ".count).trimmingCharacters(in: .newlines))
      #expect(request["output_stems"] as? [String] == ["post", "more"])
      #expect(
        request["swift_types"] as? [[String: String]] == [
          ["name": "Post", "model": "Post", "accessor": "PostReader", "access": "public"],
          ["name": "More", "model": "More", "accessor": "MoreReader", "access": "public"],
        ])
      let schema = try #require(request["schema"] as? [Int])
      #expect(schema[4..<8].elementsEqual("BFBS".utf8.map { Int($0) }))
    }
  }

  @Test("With --gen-all, a plug-in gets all files that the entry file includes, and its root type")
  func includedFiles() throws {
    try withFolder { folder in
      let answer = try response("{}", in: folder)
      try folder.write("include \"post.fbs\"; table More { post: Post; } root_type More;", to: "more.fbs")
      _ = try compile("cat > request.bin; \(answer)", in: folder)
      let result = try dflatc(
        "compile", "-o", "out2", "--emit", "accessors", "--gen-all", "--plugin", "x=plugin.sh", "more.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      let request = try Data(contentsOf: folder.appending(path: "request.bin"))
      #expect(request.range(of: Data("//post.fbs\0".utf8)) != nil && request.range(of: Data("//inputs".utf8)) == nil)
      #expect(try folder.appending(path: "out2").names() == ["more_generated.swift", "post_generated.swift"])
    }
  }

  @Test(
    "A parameter is handed on as it is, whatever it holds",
    arguments: [("x=plugin.sh:a=b:c,d e", "a=b:c,d e"), ("x=plugin.sh", ""), ("x=plugin.sh:", "")])
  func parameter(argument: String, expected: String) throws {
    try withFolder { folder in
      let answer = try response("{}", in: folder)
      _ = try compile("cat > request.bin; \(answer)", in: folder)
      let result = try dflatc("compile", "-o", "out", "--plugin", argument, "post.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      let request = try Data(contentsOf: folder.appending(path: "request.bin"))
      // A string in a FlatBuffer: its length, its bytes, a zero.
      var bytes = withUnsafeBytes(of: UInt32(expected.utf8.count).littleEndian) { Data($0) }
      bytes += Data(expected.utf8) + [0]
      #expect(request.range(of: bytes) != nil)
    }
  }

  @Test("A plug-in's error becomes a diagnostic, and nothing is written")
  func whatItRefusesIsADiagnostic() throws {
    try withFolder { folder in
      let script = try response(#"{ error: "Post has no date", files: [ { name: "a" } ] }"#, in: folder)
      let result = try compile(script, in: folder)
      #expect(result.status == 1)
      #expect(result.error.contains("error[D0306]: plug-in 'x': Post has no date"), "\(result.error)")
      #expect(try !folder.names().contains("out"))
      let json = try compile(script, ["--format", "json"], in: folder)
      #expect(json.output.contains("D0306"))
    }
  }

  @Test(
    "A plug-in that fails writes nothing, and says what went wrong",
    arguments: [
      ("exit 3", "it exited with 3"), ("kill -9 $$", "it was ended by signal 9"), ("kill -SEGV $$", "signal 11"),
      (":", "it wrote nothing"), ("cat > /dev/null", "it wrote nothing"),
      ("echo hello", "is no CodeGeneratorResponse"), ("head -c 100000 /dev/urandom", "is no CodeGeneratorResponse"),
      ("printf '\\000\\000\\000\\000'", "is no CodeGeneratorResponse"),
      ("exec >&-; sleep 0.1; exit 2", "it exited with 2"), ("cat /dev/zero", "it wrote more than 256 MiB"),
      ("exec sleep 60", "it did not answer within 1 seconds"),
      ("exec cat > /dev/null < /dev/zero", "it did not answer"),
    ])
  func failures(script: String, message: String) throws {
    try withFolder { folder in
      let result = try compile(
        script, message.contains("answer") ? ["--plugin-timeout", "1"] : [], in: folder)
      #expect(result.status == 3)
      #expect(result.error.contains("error: plug-in 'x': "), "\(result.error)")
      #expect(result.error.contains(message), "\(result.error)")
      #expect(try !folder.names().contains("out"))
    }
  }

  @Test(
    "File names of a plug-in that lead outside the output folder, or to one file twice, write nothing",
    arguments: [
      (["/tmp/dflat-escaped"], "an absolute path"), (["../a"], "outside of the output folder"),
      (["a/../../b"], "outside of the output folder"), (["a/.."], "outside"), ([""], "is no name"),
      (["a//b"], "empty part"),
      // To Swift, a slash before a combining character is none.
      (["../\u{301}a"], "outside of the output folder"), (["b/../\u{301}a"], "outside of the output folder"),
      (["/\u{301}a"], "an absolute path"), (["a//\u{301}b"], "empty part"),
      ([".dflatc-\u{301}"], "unfinished files"), (["a", "a/\u{301}b"], "cannot both be written"),
      (["./a"], "empty part"), (["a/"], "empty part"), (["a\\\\b"], "a character"), (["a\\nb"], "a character"),
      ([".dflatc-1/x"], "unfinished files"), ([String(repeating: "n", count: 256)], "is longer than"),
      (["a", "a"], "two outputs are called a"),
      (["a", "A"], "a and A cannot both be written"), (["a", "a/b"], "a and a/b cannot both be written"),
      (["post_generated.swift"], "two outputs are called post_generated.swift"),
    ])
  func names(names: [String], message: String) throws {
    try withFolder { folder in
      let files = names.map { "{ name: \"\($0)\", content: [1] }" }.joined(separator: ", ")
      let result = try compile(response("{ files: [ \(files) ] }", in: folder), in: folder)
      #expect(result.status == 3)
      #expect(result.error.contains(message), "\(result.error)")
      #expect(try !folder.names().contains("out"))
      #expect(!FileManager.default.fileExists(atPath: "/tmp/dflat-escaped"))
    }
  }

  @Test("A response that is cut off at any length writes nothing")
  func aResponseThatIsCutOffAnywhereWritesNothing() throws {
    try withFolder { folder in
      _ = try response(#"{ files: [ { name: "a.txt", content: [104, 105, 10] }, { name: "b" } ] }"#, in: folder)
      let count = try Data(contentsOf: folder.appending(path: "response.bin")).count
      for length in stride(from: 1, to: count, by: 7) {
        let result = try compile("head -c \(length) response.bin", in: folder)
        // Bytes at the end may be padding that nothing refers to.
        #expect(result.status == 3 || length > count - 8, "\(length) of \(count): \(result.error)")
        if result.status != 3 { break }
        #expect(try !folder.names().contains("out"))
      }
    }
  }

  @Test("A plug-in that answers before it reads its request, or never reads it, does not block dflatc")
  func aPluginThatDoesNotReadIsNoDeadlock() throws {
    try withFolder { folder in
      // More than a pipe holds, both ways.
      let fields = (0..<20_000).map { "f\($0): string;" }.joined(separator: " ")
      let script = try response(
        "{ files: [ { name: \"a\", content: [\(repeatElement("1", count: 300_000).joined(separator: ","))] } ] }",
        in: folder)
      try folder.write("table Large { \(fields) }", to: "large.fbs")
      for read in ["", "cat response.bin; cat > /dev/null; exit 0; "] {
        let result = try compile(
          read + script.replacingOccurrences(of: "cat > /dev/null; ", with: ""), ["--emit", "accessors", "large.fbs"],
          in: folder)
        #expect(result.status == 0, "\(result.error)")
      }
      #expect(try Data(contentsOf: folder.appending(path: "out/a")).count == 300_000)
    }
  }

  @Test("A plug-in is found in the folders of PATH, and one that cannot run is named")
  func programsAreFoundInTheFoldersOfPath() throws {
    try withFolder { folder in
      _ = try compile(response(#"{ files: [ { name: "found" } ] }"#, in: folder), in: folder)
      let bin = folder.appending(path: "bin")
      try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
      let program = bin.appending(path: "dflatc-gen-y")
      try FileManager.default.copyItem(at: folder.appending(path: "plugin.sh"), to: program)
      let path = ["PATH": "\(bin.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
      let found = try dflatc("compile", "-o", "new", "--plugin", "y", "post.fbs", in: folder, environment: path)
      #expect(found.status == 0, "\(found.error)")
      #expect(try folder.appending(path: "new").names().contains("found"))
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: program.path)
      for (argument, message) in [
        ("y", "dflatc-gen-y is not executable"), ("z", "there is no dflatc-gen-z in the folders of PATH"),
        ("z=nowhere", "./nowhere cannot be run: No such file"), ("z=bin", "./bin cannot be run"),
        ("y=bin/dflatc-gen-y", "cannot be run: Permission denied"),
      ] {
        let result = try dflatc(
          "compile", "-o", "none", "--plugin", argument, "post.fbs", in: folder, environment: path)
        #expect(result.status == 3)
        #expect(result.error.contains(message), "\(result.error)")
      }
      #expect(try !folder.names().contains("none"))
    }
  }

  @Test("Wrong arguments of --plugin exit with 2")
  func wrongArgumentsAreWrongUsage() throws {
    for argument in ["", "=path", "a b", "../x", "x=", "x=:p"] {
      #expect(try dflatc("compile", "-o", "out", "--plugin", argument, "a.fbs").status == 2, "\(argument)")
    }
    #expect(try dflatc("compile", "-o", "out", "--plugin", "x", "--plugin-timeout", "0", "a.fbs").status == 2)
  }

  @Test("A schema with errors does not start the plug-in")
  func aWrongSchemaAsksNoPlugin() throws {
    try withFolder { folder in
      try folder.write("table T { x: Nothing; }", to: "bad.fbs")
      let result = try compile("touch asked", ["bad.fbs"], in: folder)
      #expect(result.status == 1)
      #expect(try !folder.names().contains("asked"))
    }
  }

  @Test("plugin-schema prints the documented schema, and the generated code follows it")
  func theSchemaOfTheExchangeIsTheDocumentedOne() throws {
    let printed = try dflatc("plugin-schema")
    #expect(printed.status == 0)
    let file = packageFolder.appending(path: "Documentation/plugin.fbs")
    #expect(try printed.output == String(contentsOf: file, encoding: .utf8))
    // And the code for it and for binary schemas is what the compiler makes of them.
    let result = try dflatc(
      "compile", "-o", packageFolder.appending(path: "Sources/SchemaPlugins").path, "--emit", "accessors", "--diff",
      file.path, packageFolder.appending(path: "Documentation/reflection.fbs").path)
    #expect(result.status == 0, "make golden rewrites it:\n\(result.output)\(result.error)")
  }
}

import Foundation
import TestSupport
import Testing

@Suite("dflatc import of random files")
struct RandomImportTests {
  @Test("The schemas that are made of valid files are valid, together and for flatc", arguments: LongForm.seeds(12))
  func valid(_ seed: Int) throws {
    let hasStringDefaults = seed.isMultiple(of: 3)
    let files = RandomProto(seed: seed, count: 6, hasStringDefaults: hasStringDefaults).files
    try withFolder { folder in
      for (path, text) in files { try folder.write(text, to: path) }
      let paths = files.map(\.path)
      let result = try run(
        productsFolder.appending(path: "dflatc"), ["import", "-o", "out", "-I", "."] + paths, in: folder)
      try #require(result.status == 0, "seed \(seed): \(result.error)\n\(files)")
      let schemas = paths.map { "out/" + $0.replacingOccurrences(of: ".proto", with: ".fbs") }
      let compiled = try run(
        productsFolder.appending(path: "dflatc"),
        ["compile", "-o", "made", "-I", "out", "--root", "out", "--emit", "bfbs"] + schemas, in: folder)
      #expect(compiled.status == 0, "seed \(seed): \(compiled.error)")
      #expect(try dflatc("format", "--check", "out", in: folder).status == 0, "seed \(seed)")
      for schema in schemas where !hasStringDefaults {
        let text = try String(contentsOf: folder.appending(path: schema), encoding: .utf8)
        let flatc = try runProgram(
          FlatcTool.system.program, ["-b", "--schema", "-I", "out", "-o", "flatc", schema], in: folder, seconds: 600)
        #expect(
          flatc.isSuccess, "seed \(seed): \(String(decoding: flatc.output + flatc.error, as: UTF8.self))\n\(text)")
      }
    }
  }

  @Test("Damaged files are refused or translated, without a crash or a hang", arguments: LongForm.seeds(4))
  func damaged(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    try withFolder { folder in
      for (index, file) in RandomProto(seed: seed, count: 6, hasStringDefaults: true).files.enumerated() {
        var bytes = Array(file.text.utf8)
        for _ in 0...random.next(3) {
          let start = random.next(bytes.count)
          let end = min(bytes.count, start + random.next(20))
          bytes.replaceSubrange(start..<end, with: Array(random.pick(["", "}", "]", "{", "\"", ";", "/*", "."]).utf8))
        }
        try Data(bytes).write(to: folder.appending(path: "x\(index).proto"))
        let result = try dflatc("import", "x\(index).proto", in: folder)
        #expect([0, 1].contains(result.status), "seed \(seed): \(result.error)")
      }
    }
  }
}

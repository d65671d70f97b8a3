import Emitters
import FBSParser
import FBSSchema
import Foundation

struct ToolFailure: Error, CustomStringConvertible {
  let description: String
}

/// One run: schemas made from a seed, both programs built, and what they say of the same objects.
struct ConformanceRun {
  /// An object, and what was made of it.
  struct Object {
    let schema: Int
    let table: Int
    /// What our accessors read of what our `create` wrote.
    let ours: String
    /// What C++ prints of the same bytes.
    let theirs: String
    /// What our accessors read of what C++ wrote from that.
    let rebuilt: String
    let mutants: [Mutant]
  }

  /// A damaged copy of an object.
  struct Mutant {
    /// Our verifier's complaint; empty when there is none.
    let mistake: String
    let verdict: Verdict
  }

  /// What C++ says of a damaged copy.
  enum Verdict: UInt8 {
    case accepted = 0x61
    case refused = 0x72
    /// It is refused for a union with the type code of a struct and no struct, and for nothing else.
    case missingStruct = 0x6D
  }

  let schemas: [RandomSchema]
  let objects: [Object]

  init(seed: Int, schemaCount: Int, objectCount: Int, mutantCount: Int, in folder: URL) throws {
    schemas = (0..<schemaCount).map { RandomSchema(seed: seed &* 1000 &+ $0, index: $0) }
    let driver = try Self.buildDriver(schemas, in: folder)
    let oracle = try Self.buildOracle(schemas, in: folder)
    let written = folder.appendingPathComponent("written")
    let judged = folder.appendingPathComponent("judged")
    try run(driver.path, ["write", String(seed), String(objectCount), String(mutantCount), written.path], in: folder)
    try run(oracle.path, [written.path, judged.path], in: folder)

    var first = Chunks(try [UInt8](Data(contentsOf: written)))
    var second = Chunks(try [UInt8](Data(contentsOf: judged)))
    var partial: [(Int, Int, String, String, [Mutant])] = []
    var rebuilt = Chunks([])
    while !first.isAtEnd {
      let (schema, table) = (first.number(), first.number())
      _ = (first.number(), first.number(), first.chunk())
      let ours = first.text()
      let theirs = withoutSpaces(second.chunk())
      rebuilt.append(schema)
      rebuilt.append(table)
      rebuilt.append(second.chunk())
      var mutants: [Mutant] = []
      let count = first.number()
      let verdicts = second.chunk()
      guard verdicts.count == count else { throw ToolFailure(description: "\(verdicts.count) verdicts on \(count)") }
      for verdict in verdicts {
        _ = first.chunk()
        guard let verdict = Verdict(rawValue: verdict) else { throw ToolFailure(description: "verdict \(verdict)") }
        mutants.append(Mutant(mistake: first.text(), verdict: verdict))
      }
      partial.append((schema, table, ours, theirs, mutants))
    }
    try Data(rebuilt.bytes).write(to: folder.appendingPathComponent("rebuilt"))
    let reread = folder.appendingPathComponent("reread")
    try run(driver.path, ["read", folder.appendingPathComponent("rebuilt").path, reread.path], in: folder)
    var third = Chunks(try [UInt8](Data(contentsOf: reread)))
    objects = partial.map { Object(schema: $0, table: $1, ours: $2, theirs: $3, rebuilt: third.text(), mutants: $4) }
  }

  // MARK: Programs

  private static func buildDriver(_ schemas: [RandomSchema], in folder: URL) throws -> URL {
    var sources: [String] = []
    var functions = "import FlatBuffersCore\n"
    var entries: [String] = []
    for (index, schema) in schemas.enumerated() {
      let provider = Files(schema)
      let compilation = SchemaCompiler.compile(
        inputs: schema.files.map(\.name), includePaths: [], provider: provider)
      let emitters = ["accessors", "editors", "namespaces"].compactMap(EmitterRegistry.emitter(named:))
      let generator = Generator(schema: compilation.schema, emitters: emitters)
      let errors = (compilation.diagnostics + generator.diagnostics).filter { $0.severity == .error }
      guard errors.isEmpty else {
        throw ToolFailure(description: "\(errors.map(\.message))\n\(schema.files.map(\.text))")
      }
      for file in try generator.files() {
        try Data(file.content).write(to: folder.appendingPathComponent(file.name))
        sources.append(file.name)
      }
      var writer = DriverWriter(compilation.schema, index: index)
      let part = writer.run(tables: (0..<schema.tableCount).map { "\(schema.namespace).T\($0)" })
      functions += part.functions
      entries.append(part.entries)
    }
    functions += "let entries: [[Entry]] = [\(entries.joined(separator: ",\n"))]\n"
    try Data(functions.utf8).write(to: folder.appendingPathComponent("objects.swift"))
    try Data(DriverSupport.source.utf8).write(to: folder.appendingPathComponent("main.swift"))
    let objects = productsFolder.appendingPathComponent("FlatBuffersCore.build")
    let core = try FileManager.default.contentsOfDirectory(atPath: objects.path).filter { $0.hasSuffix(".swift.o") }
    try run(
      "swiftc",
      [
        "-Onone", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Driver", "-o", "driver", "-I",
        productsFolder.appendingPathComponent("Modules").path,
      ]
        + ["main.swift", "objects.swift"] + sources.sorted() + core.map { objects.appendingPathComponent($0).path },
      in: folder)
    return folder.appendingPathComponent("driver")
  }

  private static func buildOracle(_ schemas: [RandomSchema], in folder: URL) throws -> URL {
    for file in schemas.flatMap(\.files) {
      try Data(file.cppText.utf8).write(to: folder.appendingPathComponent(file.name))
    }
    try run("flatc", ["--cpp", "--scoped-enums"] + schemas.flatMap(\.files).map(\.name), in: folder)
    for file in schemas.flatMap(\.files) {
      let header = folder.appendingPathComponent("\(file.name.dropLast(4))_generated.h")
      let text = try String(contentsOf: header, encoding: .utf8)
      try Data(CppProgram.mended(text).utf8).write(to: header)
    }
    try Data(CppProgram.source(schemas).utf8).write(to: folder.appendingPathComponent("oracle.cpp"))
    try run("c++", ["-O0", "-w", "-std=c++17", "-o", "oracle", "oracle.cpp", "-lflatbuffers"], in: folder)
    return folder.appendingPathComponent("oracle")
  }

  private struct Files: SourceProvider {
    let texts: [String: String]

    init(_ schema: RandomSchema) {
      texts = Dictionary(uniqueKeysWithValues: schema.files.map { ($0.name, $0.text) })
    }

    func read(_ path: String) throws(SourceReadError) -> [UInt8] {
      guard let text = texts[path] else { throw .notFound }
      return Array(text.utf8)
    }
  }
}

/// Numbers and byte strings one after the other, as both programs write them.
struct Chunks {
  private(set) var bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func number() -> Int {
    defer { position += 4 }
    return (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
  }

  mutating func chunk() -> [UInt8] {
    let count = number()
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func text() -> String { String(decoding: chunk(), as: UTF8.self) }

  mutating func append(_ number: Int) {
    for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
  }

  mutating func append(_ chunk: [UInt8]) {
    append(chunk.count)
    bytes += chunk
  }
}

/// JSON without the spaces between its parts.
private func withoutSpaces(_ json: [UInt8]) -> String {
  var result: [UInt8] = []
  var isInString = false
  var isEscaped = false
  for byte in json {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString = false
      }
      result.append(byte)
    } else if byte != 0x20, byte != 0x0A {
      isInString = byte == 0x22
      result.append(byte)
    }
  }
  return String(decoding: result, as: UTF8.self)
}

/// Where the build puts its products: beside the test bundle.
let productsFolder: URL = {
  #if os(macOS)
    return Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
      ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  #else
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  #endif
}()

/// Runs a program found on PATH, and throws what it says when it fails.
func run(_ tool: String, _ arguments: [String], in directory: URL) throws {
  // A file rather than a pipe: nothing can block, however much is written.
  let outputFile = directory.appendingPathComponent("output-\(UUID().uuidString)")
  try Data().write(to: outputFile)
  let output = try FileHandle(forWritingTo: outputFile)
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [tool] + arguments
  process.currentDirectoryURL = directory
  process.standardOutput = output
  process.standardError = output
  try process.run()
  process.waitUntilExit()
  try output.close()
  guard process.terminationStatus == 0, process.terminationReason == .exit else {
    let text = String(decoding: try Data(contentsOf: outputFile).prefix(4000), as: UTF8.self)
    throw ToolFailure(description: "\(tool) exits with \(process.terminationStatus): \(text)")
  }
}

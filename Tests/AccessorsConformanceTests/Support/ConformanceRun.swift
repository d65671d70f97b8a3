import ConformanceSupport
import Emitters
import FBSParser
import FBSSchema
import Foundation
import TestSupport

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
  /// How many vectors' elements C++ looks for by their keys.
  let searchedVectors: Int

  init(seed: Int, schemaCount: Int, objectCount: Int, mutantCount: Int, in folder: URL) throws {
    schemas = (0..<schemaCount).map { RandomSchema(seed: seed &* 1000 &+ $0, index: $0) }
    var lookUps = CppLookUps()
    let driver = try Self.buildDriver(schemas, &lookUps, in: folder)
    let oracle = try CppProgram.build(schemas, lookUps: lookUps, in: folder)
    searchedVectors = lookUps.count
    let written = folder.appendingPathComponent("written")
    let judged = folder.appendingPathComponent("judged")
    try runTool(
      driver.path, ["write", String(seed), String(objectCount), String(mutantCount), written.path], in: folder)
    try runTool(oracle.path, [written.path, judged.path], in: folder)

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
      guard verdicts.count == count else { throw ProgramFailure("\(verdicts.count) verdicts on \(count)") }
      for verdict in verdicts {
        _ = first.chunk()
        guard let verdict = Verdict(rawValue: verdict) else { throw ProgramFailure("verdict \(verdict)") }
        mutants.append(Mutant(mistake: first.text(), verdict: verdict))
      }
      partial.append((schema, table, ours, theirs, mutants))
    }
    try Data(rebuilt.bytes).write(to: folder.appendingPathComponent("rebuilt"))
    let reread = folder.appendingPathComponent("reread")
    try runTool(driver.path, ["read", folder.appendingPathComponent("rebuilt").path, reread.path], in: folder)
    var third = Chunks(try [UInt8](Data(contentsOf: reread)))
    objects = partial.map { Object(schema: $0, table: $1, ours: $2, theirs: $3, rebuilt: third.text(), mutants: $4) }
  }

  // MARK: Programs

  private static func buildDriver(
    _ schemas: [RandomSchema], _ lookUps: inout CppLookUps, in folder: URL
  ) throws -> URL {
    var sources: [String] = []
    var functions = "import FlatBuffersCore\n"
    var entries: [String] = []
    for (index, schema) in schemas.enumerated() {
      let provider = SchemaTexts(schema.files.map { ($0.name, $0.text) })
      let compilation = SchemaCompiler.compile(
        inputs: schema.files.map(\.name), includePaths: [], provider: provider)
      let emitters = ["accessors", "editors"].compactMap(EmitterRegistry.emitter(named:))
      let checked = CheckedSchema(compilation, emitters: emitters)
      guard let generator = checked.generator else {
        throw ProgramFailure("\(checked.diagnostics.map(\.message))\n\(schema.files.map(\.text))")
      }
      for file in try generator.files() {
        try Data(file.content).write(to: folder.appendingPathComponent(file.name))
        sources.append(file.name)
      }
      var writer = DriverWriter(compilation.schema, index: index)
      let tables = (0..<schema.tableCount).map { "\(schema.namespace).T\($0)" }
      lookUps.add(compilation.schema, index: index, tables: tables)
      let part = writer.run(tables: tables)
      functions += part.functions
      entries.append(part.entries)
    }
    functions += "let entries: [[Entry]] = [\(entries.joined(separator: ",\n"))]\n"
    try Data(functions.utf8).write(to: folder.appendingPathComponent("objects.swift"))
    try Data(DriverSupport.source.utf8).write(to: folder.appendingPathComponent("main.swift"))
    try buildSwift(["main.swift", "objects.swift"] + sources.sorted(), modules: ["FlatBuffersCore"], in: folder)
    return folder.appendingPathComponent("driver")
  }
}

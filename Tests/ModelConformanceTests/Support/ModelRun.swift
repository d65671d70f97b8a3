import ConformanceSupport
import Emitters
import FBSParser
import FBSSchema
import Foundation
import TestSupport

/// One run: schemas made from a seed, a Swift program of their data models, a C++ program, and what both say of the same
/// objects.
struct ModelRun {
  /// An object, and what was made of it.
  struct Object {
    let schema: Int
    let table: Int
    /// What the accessors read of what the data model wrote; or how reading it back fails.
    let ours: String
    /// What C++ prints of the same bytes.
    let theirs: String
    /// What the accessors read of what the data model wrote of the object that it read from what C++ wrote.
    let rebuilt: String
  }

  /// What was done with objects in stores, and what was not as it should be.
  struct Store {
    let created: Int
    let refused: Int
    let updated: Int
    let deleted: Int
    let queries: Int
    let found: Int
    let complaints: [String]
  }

  let objects: [Object]
  let store: Store
  /// How many indexes the roots have.
  let indexCount: Int

  init(seed: Int, schemaCount: Int, objectCount: Int, storedCount: Int, in folder: URL) throws {
    let schemas = (0..<schemaCount).map {
      RandomSchema(seed: seed &* 1000 &+ $0, index: $0, isForStore: true)
    }
    // The driver has the whole of the suite's work in one program, since building it is what takes long.
    let (driver, indexCount) = try Self.buildDriver(schemas, in: folder)
    self.indexCount = indexCount
    let oracle = try CppProgram.build(schemas, in: folder)
    let written = folder.appendingPathComponent("written")
    let judged = folder.appendingPathComponent("judged")
    try runTool(driver.path, ["write", String(seed), String(objectCount), written.path], in: folder)
    try runTool(oracle.path, [written.path, judged.path], in: folder)

    var first = Chunks([UInt8](try Data(contentsOf: written)))
    var second = Chunks([UInt8](try Data(contentsOf: judged)))
    var partial: [(schema: Int, table: Int, ours: String, theirs: String)] = []
    var rebuilt = Chunks([])
    while !first.isAtEnd {
      let (schema, table) = (first.number(), first.number())
      _ = (first.number(), first.number(), first.chunk())
      partial.append((schema, table, first.text(), withoutSpaces(second.chunk())))
      rebuilt.append(schema)
      rebuilt.append(table)
      rebuilt.append(second.chunk())
      _ = (first.number(), second.chunk())
    }
    let rebuiltFile = folder.appendingPathComponent("rebuilt")
    try Data(rebuilt.bytes).write(to: rebuiltFile)
    let reread = folder.appendingPathComponent("reread")
    try runTool(driver.path, ["read", rebuiltFile.path, reread.path], in: folder)
    var third = Chunks([UInt8](try Data(contentsOf: reread)))
    let tallies = folder.appendingPathComponent("tallies")
    try runTool(driver.path, ["store", String(seed), String(storedCount), tallies.path], in: folder)
    var tally = Chunks([UInt8](try Data(contentsOf: tallies)))
    store = Store(
      created: tally.number(), refused: tally.number(), updated: tally.number(), deleted: tally.number(),
      queries: tally.number(), found: tally.number(), complaints: tally.rest())

    objects = partial.map {
      Object(schema: $0.schema, table: $0.table, ours: $0.ours, theirs: $0.theirs, rebuilt: third.text())
    }
  }

  // MARK: Programs

  private static func buildDriver(_ schemas: [RandomSchema], in folder: URL) throws -> (program: URL, indexes: Int) {
    var sources: [String] = []
    var functions = ""
    var entries: [String] = []
    var stores: [String] = []
    var indexCount = 0
    for (index, schema) in schemas.enumerated() {
      let resolved = try compile(schema)
      let checked = CheckedSchema(schema: resolved, emitters: EmitterRegistry.defaults)
      guard let generator = checked.generator else {
        throw ProgramFailure("\(checked.diagnostics.map(\.message))\n\(schema.files.map(\.text))")
      }
      for file in try generator.files() {
        try Data(file.content).write(to: folder.appendingPathComponent(file.name))
        sources.append(file.name)
        indexCount += String(decoding: file.content, as: UTF8.self).components(separatedBy: "RecordIndex(").count - 1
      }
      var writer = ModelWriter(resolved, index: index)
      let part = writer.run(tables: (0..<schema.tableCount).map { "\(schema.namespace).T\($0)" })
      functions += part.functions
      entries.append(part.entries)
      stores += writer.stores()
    }
    functions += "let entries: [[Entry]] = [\(entries.joined(separator: ",\n"))]\n"
    functions += "let stores: [StoreEntry] = [\(stores.joined(separator: ",\n"))]\n"
    let imports = "import Dflat\nimport FlatBuffersCore\n"
    try Data((imports + functions).utf8).write(to: folder.appendingPathComponent("objects.swift"))
    let program = DriverSupport.values + "\n" + StoreDriver.source + ModelDriver.source
    try Data(program.utf8).write(to: folder.appendingPathComponent("main.swift"))
    try buildSwift(
      ["main.swift", "objects.swift"] + sources.sorted(),
      modules: ["FlatBuffersCore", "TextFolding", "Dflat", "DflatEngine", "SQLiteDflat"],
      more: ["-I", packageFolder.appendingPathComponent("Sources/CSQLite").path, "-lsqlite3"], in: folder)
    return (folder.appendingPathComponent("driver"), indexCount)
  }

  /// The resolved schema, without the indexes that a store cannot have: as the fixes of their diagnostics say.
  private static func compile(_ schema: RandomSchema) throws -> Schema {
    var texts = schema.files.map { (name: $0.name, bytes: Array($0.text.utf8)) }
    for _ in 0..<50 {
      let provider = SchemaTexts(texts.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) })
      let compilation = SchemaCompiler.compile(inputs: texts.map(\.name), includePaths: [], provider: provider)
      let checked = CheckedSchema(compilation, emitters: EmitterRegistry.defaults)
      if checked.generator != nil { return compilation.schema }
      let errors = checked.diagnostics.filter { $0.severity == .error }
      // One at a time, since they move what stands behind them.
      guard let wrong = errors.last, ["D0253", "D0222"].contains(wrong.code.id), let fix = wrong.fixes.first,
        let file = fix.edits.first?.range.file,
        let place = texts.firstIndex(where: { $0.name == compilation.schema[file].path })
      else {
        throw ProgramFailure("\(errors.map { "\($0.code.id) \($0.message)" })\n\(schema.files.map(\.text))")
      }
      for edit in fix.edits.sorted(by: { $0.range.start > $1.range.start }) {
        texts[place].bytes.replaceSubrange(edit.range.start..<edit.range.end, with: Array(edit.replacement.utf8))
      }
    }
    throw ProgramFailure("there is no end to what is wrong\n\(schema.files.map(\.text))")
  }
}

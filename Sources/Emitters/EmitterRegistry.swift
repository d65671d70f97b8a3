import Dispatch
import FBSParser
import FBSSchema

/// All emitters there are. A new one is a line here.
public enum EmitterRegistry {
  /// Every emitter, in the order in which their files are written.
  public static let all: [any Emitter] = [
    AccessorsEmitter(),
    DataModelEmitter(),
    MutatingEmitter(),
    QueryEmitter(),
    EditorsEmitter(),
    BinarySchemaEmitter(),
    SchemaJSONEmitter(),
    DiagramEmitter(),
  ]

  /// The emitters that run when none is named.
  public static var defaults: [any Emitter] { all.filter(\.isDefault) }

  /// The emitter called `name`, if there is one.
  public static func emitter(named name: String) -> (any Emitter)? {
    all.first { $0.name == name }
  }
}

/// Runs emitters over the input files of a schema.
public struct Generator: Sendable {
  /// The schema.
  public let schema: Schema
  /// The emitters to run.
  public let emitters: [any Emitter]
  private let names: Namer
  private let traits: SchemaTraits

  /// What stops the emitters, or is worth a warning: names that are others in Swift, constructs not yet emitted.
  public let diagnostics: [Diagnostic]

  /// The namespaces that the output needs.
  public var namespaces: NamespaceDeclarations {
    var declarations = NamespaceDeclarations()
    if emitters.contains(where: \.emitsSwift) { declarations.add(inputsOf: schema, names) }
    return declarations
  }

  /// A generator for the input files of a valid `schema`.
  public init(schema: Schema, emitters: [any Emitter]) {
    self.schema = schema
    self.emitters = emitters
    traits = SchemaTraits(schema, roots: schema.rootTables)
    names = Namer(schema, output: SwiftOutput(emitters), traits: traits)
    guard emitters.contains(where: \.emitsSwift) else {
      diagnostics = []
      return
    }
    var found = names.diagnostics
    found += SupportChecker(schema: schema).diagnostics()
    // What the data model cannot hold is no matter to those who read and write bytes alone.
    if SwiftOutput(emitters).hasModel {
      found += EndlessTables(schema: schema).diagnostics()
      found += LargeTables(schema: schema).diagnostics()
      found += traits.codable.diagnostics(schema)
    }
    diagnostics = found
  }

  /// The files to write for the inputs of the schema, in the order of the inputs and, for each, of the emitters. Call it
  /// only when no diagnostic is an error.
  ///
  /// The declarations of namespaces come last.
  ///
  /// The emitters run on all processors: each is a function of its input, so that the result is the same.
  /// - Parameter outputNames: What inputs are called in their outputs, by their paths, if not by the last component of them.
  ///   A slash is an underscore in the output's name.
  /// - Throws: The first emitter's error.
  public func files(
    namespaces: NamespaceDeclarations.Files = .each, outputNames: [String: String] = [:]
  ) throws(EmissionError) -> [GeneratedFile] {
    let jobs = schema.files.filter(\.isInput).flatMap { input in
      let unit = EmissionUnit(
        schema: schema, names: names, traits: traits, file: input, fileName: outputNames[input.path])
      return emitters.map { (unit, $0) }
    }
    let results = [Result<GeneratedFile, EmissionError>](unsafeUninitializedCapacity: jobs.count) { results, count in
      // Unsafe, since the iterations write side by side: but each to a place of its own, and all have returned when this
      // does, with every place initialized.
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: jobs.count) { index in
        results.initializeElement(at: index, to: Self.file(jobs[index].0, by: jobs[index].1))
      }
      count = jobs.count
    }
    var files: [GeneratedFile] = []
    files.reserveCapacity(results.count)
    for result in results {
      files.append(try result.get())
    }
    return files + self.namespaces.files(namespaces)
  }

  private static func file(_ unit: EmissionUnit, by emitter: any Emitter) -> Result<GeneratedFile, EmissionError> {
    Result { () throws(EmissionError) in
      var content = try emitter.emit(unit)
      if emitter.emitsSwift, !unit.names.hidden.isEmpty {
        content = NameQualifier(hidden: unit.names.hidden).qualify(content)
      }
      return GeneratedFile(name: emitter.outputName(forStem: stem(of: unit.fileName)), content: content)
    }
  }

  /// What the names of outputs begin with: a file name without its last extension, or a path of which each slash is an
  /// underscore.
  public static func stem(of fileName: String) -> String {
    let name = fileName.split(separator: "/").joined(separator: "_")
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}

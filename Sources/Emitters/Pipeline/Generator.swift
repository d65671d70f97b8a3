import Dispatch
import FBSSchema

/// Runs emitters over the input files of a valid schema. Only a `CheckedSchema` without errors has one.
public struct Generator: Sendable {
  /// The schema.
  public let schema: Schema
  /// The emitters to run.
  public let emitters: [any Emitter]
  let names: Namer
  private let traits: SchemaTraits
  private let levels: AccessLevels

  /// The namespaces that the output needs.
  public var namespaces: NamespaceDeclarations {
    var declarations = NamespaceDeclarations()
    if emitters.contains(where: \.emitsSwift) { declarations.add(inputsOf: schema, names, levels) }
    return declarations
  }

  /// The access level of the run, which all generated code has, except for private types.
  var access: AccessLevel { levels.run }

  /// Returns the access level of a type, and of all that is generated for it.
  func access(of definition: DefinitionID) -> AccessLevel { levels.level(of: definition) }

  /// Creates a generator. `schema` is valid, and `names`, `traits` and `levels` belong to it: `CheckedSchema` makes sure
  /// of that.
  init(schema: Schema, emitters: [any Emitter], names: Namer, traits: SchemaTraits, levels: AccessLevels) {
    self.schema = schema
    self.emitters = emitters
    self.names = names
    self.traits = traits
    self.levels = levels
  }

  /// Returns the files to write for the inputs of the schema, in the order of the inputs and, for each, of the
  /// emitters.
  ///
  /// The declarations of namespaces come last.
  ///
  /// The emitters run on all processors. Each is a function of its input, so the result is always the same.
  /// - Parameter outputNames: the names of inputs in their outputs, by the inputs' paths. Without one, it is the last
  ///   component of the path. Slashes become underscores in the output's name.
  /// - Throws: the error of the first emitter that fails.
  public func files(
    namespaces: NamespaceDeclarations.Files = .each, outputNames: [String: String] = [:]
  ) throws(EmissionError) -> [GeneratedFile] {
    let pages = emitters.first(where: \.linksTypes).map { PageNames(schema, of: $0, outputNames) }
    return try files(namespaces: namespaces, outputNames: outputNames, pages: pages)
  }

  /// Returns the files to write for the inputs of the schema, which may be one module of several.
  /// - Parameter pages: the names of the pages of all modules; nil if no emitter of the run links types.
  func files(
    namespaces: NamespaceDeclarations.Files, outputNames: [String: String], pages: PageNames?
  ) throws(EmissionError) -> [GeneratedFile] {
    let links = pages.map { SchemaLinks(schema, $0) }
    let jobs = schema.files.filter(\.isInput).flatMap { input in
      // A unit for each emitter: its fields count references to it, which threads would contend for.
      emitters.map { emitter in
        let unit = EmissionUnit(
          schema: schema, names: names, traits: traits, levels: levels, file: input,
          fileName: outputNames[input.path], links: links)
        return (unit, emitter)
      }
    }
    let order = jobs.indices.sorted { jobs[$0].1.relativeTime > jobs[$1].1.relativeTime }
    let results = [Result<GeneratedFile, EmissionError>](unsafeUninitializedCapacity: jobs.count) { results, count in
      // Unsafe, since the iterations write concurrently: but each writes to an element of its own. All have returned
      // when this call does, with every element initialized.
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: jobs.count) { place in
        let index = order[place]
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
      GeneratedFile(name: emitter.outputName(forStem: stem(of: unit.fileName)), content: try emitter.emit(unit))
    }
  }

  /// Returns the stem of output names: a file name without its last extension, or a path with underscores for slashes.
  public static func stem(of fileName: String) -> String {
    let name = GeneratedFile.parts(of: fileName).filter { !$0.isEmpty }.joined(separator: "_")
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}

import Dispatch
import FBSSchema

/// Runs emitters over the input files of a valid schema: a `CheckedSchema` has one if it is valid.
public struct Generator: Sendable {
  /// The schema.
  public let schema: Schema
  /// The emitters to run.
  public let emitters: [any Emitter]
  let names: Namer
  private let traits: SchemaTraits

  /// The namespaces that the output needs.
  public var namespaces: NamespaceDeclarations {
    var declarations = NamespaceDeclarations()
    if emitters.contains(where: \.emitsSwift) { declarations.add(inputsOf: schema, names, traits.access) }
    return declarations
  }

  /// The access level of the run: that of all that is generated, but for private types.
  var access: AccessLevel { traits.access.run }

  /// The access level of a type, and of all that is generated for it.
  func access(of definition: DefinitionID) -> AccessLevel { traits.access.level(of: definition) }

  /// `names` and `traits` are of `schema`, which is valid: `CheckedSchema` holds that.
  init(schema: Schema, emitters: [any Emitter], names: Namer, traits: SchemaTraits) {
    self.schema = schema
    self.emitters = emitters
    self.names = names
    self.traits = traits
  }

  /// The files to write for the inputs of the schema, in the order of the inputs and, for each, of the emitters.
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
    let links = links(outputNames)
    let jobs = schema.files.filter(\.isInput).flatMap { input in
      // A unit for each emitter: its fields count references to it, and threads would wait for each other's counting.
      emitters.map { emitter in
        let unit = EmissionUnit(
          schema: schema, names: names, traits: traits, file: input, fileName: outputNames[input.path],
          links: links)
        return (unit, emitter)
      }
    }
    let order = jobs.indices.sorted { jobs[$0].1.relativeTime > jobs[$1].1.relativeTime }
    let results = [Result<GeneratedFile, EmissionError>](unsafeUninitializedCapacity: jobs.count) { results, count in
      // Unsafe, since the iterations write side by side: but each to a place of its own, and all have returned when this
      // does, with every place initialized.
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

  /// How the pages of the inputs lead to one another, where an emitter makes some.
  private func links(_ outputNames: [String: String]) -> SchemaLinks? {
    emitters.first(where: \.linksTypes).map { SchemaLinks(schema, of: $0, outputNames) }
  }

  private static func file(_ unit: EmissionUnit, by emitter: any Emitter) -> Result<GeneratedFile, EmissionError> {
    Result { () throws(EmissionError) in
      GeneratedFile(name: emitter.outputName(forStem: stem(of: unit.fileName)), content: try emitter.emit(unit))
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

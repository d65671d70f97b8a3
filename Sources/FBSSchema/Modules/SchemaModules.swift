import FBSDiagnostics
import FBSParser

/// The inputs of a run as modules: one schema, or several where two files define one name and no input includes both.
public struct SchemaModules: Sendable {
  /// The modules, each compiled on its own. An input belongs to one of them.
  public let modules: [Compilation]
  /// All inputs compiled together.
  public let whole: Compilation
  /// A warning for each name that two modules define, about the files of `whole`.
  public let clashes: [Diagnostic]

  /// Reads, parses and resolves files and all that they include.
  /// - Parameters:
  ///   - inputs: The paths of the files.
  ///   - includePaths: The folders in which includes are looked for, after the including file's own.
  ///   - included: How files that the inputs include are treated.
  ///   - provider: Where files come from.
  public init(
    inputs: [String], includePaths: [String] = [], included: IncludedFiles = .read, provider: some SourceProvider
  ) {
    self.init(inputs: inputs, included: included, provider: provider) { inputs, included in
      SchemaCompiler.compile(inputs: inputs, includePaths: includePaths, included: included, provider: provider)
    }
  }

  /// Returns the modules without the warnings and notes about some files, such as vendored ones. Errors stay, since
  /// they keep an input from being read.
  /// - Parameter isSilent: whether nothing is reported about a file, by its path.
  public func withoutWarnings(about isSilent: (String) -> Bool) -> SchemaModules {
    let silent = Set(whole.schema.files.map(\.path).filter(isSilent))
    guard !silent.isEmpty else { return self }
    func filtered(_ compilation: Compilation) -> Compilation { compilation.withoutWarnings(about: silent.contains) }
    return SchemaModules(
      modules: modules.map(filtered), whole: filtered(whole), clashes: whole.reported(clashes, besides: silent.contains)
    )
  }

  private init(modules: [Compilation], whole: Compilation, clashes: [Diagnostic]) {
    self.modules = modules
    self.whole = whole
    self.clashes = clashes
  }

  /// Compiles the inputs together. If two files define one name, and no input includes both, divides the inputs into
  /// modules and compiles each on its own.
  /// - Parameters:
  ///   - inputs: The paths of the files.
  ///   - included: How files that the inputs include are treated.
  ///   - provider: Where files come from. Here it only tells whether two paths lead to one file.
  ///   - compile: Reads, parses and resolves some of the inputs.
  init(
    inputs: [String], included: IncludedFiles, provider: some SourceProvider,
    compile: (_ inputs: [String], IncludedFiles) -> Compilation
  ) {
    whole = compile(inputs, included)
    let files = whole.schema.files.filter(\.isEntry)
    guard whole.hasNameInTwoFiles, whole.unreadableInputs.isEmpty else {
      (modules, clashes) = ([whole], [])
      return
    }
    let keys = Dictionary(uniqueKeysWithValues: files.map { ($0.id, $0.path) })
    let parts = ModulePartition([.init(whole, keys: keys)]).modules
    guard parts.count > 1 else {
      (modules, clashes) = ([whole], [])
      return
    }
    // An included file that several modules reach is an input of the first of them.
    var rest = Set(whole.schema.files.filter(\.isInput).map { provider.identity(of: $0.path) })
    modules = parts.map { part in
      let paths = files.map(\.path).filter(part.contains)
      guard case .compiled = included else {
        return compile(paths, .read)
      }
      let module = compile(paths, .compiled { [rest] in !rest.contains($0) })
      rest.subtract(module.schema.files.filter(\.isInput).map { provider.identity(of: $0.path) })
      return module
    }
    clashes = whole.diagnostics.filter { $0.code == .duplicateDefinition && $0.isAboutTwoFiles }.map { diagnostic in
      Diagnostic(
        diagnostic.code, .warning, diagnostic.message, at: diagnostic.range, advice: "in one Swift module, rename one",
        labels: diagnostic.labels,
        notes: ["no file includes both, so that each is compiled for itself: give them two output folders"])
    }
  }
}

extension Diagnostic {
  /// Whether a label is in another file.
  var isAboutTwoFiles: Bool { labels.contains { $0.range.file != range.file } }
}

extension Compilation {
  /// Returns the compilation without the warnings and notes about some files. Errors stay, since they keep an input from
  /// being read.
  /// - Parameter isSilent: Whether nothing is to be said of a file, by its path.
  public func withoutWarnings(about isSilent: (String) -> Bool) -> Compilation {
    Compilation(
      schema: schema, sources: sources, diagnostics: reported(diagnostics, besides: isSilent),
      unreadableInputs: unreadableInputs)
  }

  /// Returns the diagnostics that are errors, or about a file of which something is to be said.
  fileprivate func reported(_ diagnostics: [Diagnostic], besides isSilent: (String) -> Bool) -> [Diagnostic] {
    diagnostics.filter { $0.severity == .error || !isSilent(schema[$0.range.file].path) }
  }
}

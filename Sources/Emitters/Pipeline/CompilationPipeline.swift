import FBSDiagnostics
import FBSSchema

/// The pipeline from schemas to files: sources, trees, schema, checks, files. Everything that compiles schemas uses it.
///
///     let pipeline = CompilationPipeline(emitters: EmitterRegistry.defaults)
///     let outcome = pipeline.run(inputs: ["post.fbs"], provider: files)
///     for file in try outcome.files.get() { ... }
public struct CompilationPipeline: Sendable {
  /// The emitters to run. They decide which rules a schema must follow.
  public var emitters: [any Emitter]
  /// Emitters that are no part of the compiler. They run last.
  public var outsideEmitters: [any OutsideEmitter] = []
  /// The folders in which includes are looked for, after the including file's own.
  public var includePaths: [String]
  /// The treatment of files that inputs include.
  public var included: IncludedFiles = .read
  /// The files that declare namespaces.
  public var namespaces: NamespaceDeclarations.Files = .each
  /// The access level of generated code for types that are not private.
  public var access: AccessLevel = .public
  /// Whether warnings prevent output, as errors do.
  public var isStrict = false

  /// Creates a pipeline that runs `emitters`.
  public init(emitters: [any Emitter] = EmitterRegistry.defaults, includePaths: [String] = []) {
    self.emitters = emitters
    self.includePaths = includePaths
  }

  /// Compiles schemas. The outcome depends on the arguments alone.
  /// - Parameters:
  ///   - inputs: the paths of the schemas.
  ///   - provider: the source of files.
  public func run(inputs: [String], provider: some SourceProvider) -> CompilationOutcome {
    emit(read(inputs: inputs, provider: provider))
  }

  /// Reads, parses and resolves schemas: the first half of the pipeline.
  public func read(inputs: [String], provider: some SourceProvider) -> SchemaModules {
    SchemaModules(inputs: inputs, includePaths: includePaths, included: included, provider: provider)
  }

  /// Checks and emits what was read: the second half of the pipeline.
  /// - Parameters:
  ///   - outputNames: the names of inputs in their outputs, by the inputs' paths. Without one, it is the last component
  ///     of the path.
  ///   - isGenerated: whether the Swift of a file that is no input exists already. Each file without it gets a note.
  public func emit(
    _ schemas: SchemaModules, outputNames: [String: String] = [:], isGenerated: (SchemaFile) -> Bool = { _ in true }
  ) -> CompilationOutcome {
    guard schemas.whole.unreadableInputs.isEmpty else {
      return CompilationOutcome(
        sources: schemas.whole.sources, diagnostics: schemas.whole.diagnostics,
        files: .failure(.unreadableInputs(schemas.whole.unreadableInputs)))
    }
    var sources = SourceJoin()
    let whole = sources.add(schemas.whole.sources)
    var diagnostics: [Diagnostic] = []
    var files: [GeneratedFile] = []
    var failure: CompilationFailure?
    var declarations = NamespaceDeclarations()
    let pages = emitters.first(where: \.linksTypes).map { PageNames(schemas.whole.schema, of: $0, outputNames) }
    for compilation in schemas.modules {
      let module = emit(compilation, outputNames, pages, isGenerated)
      let place = sources.add(compilation.sources)
      diagnostics += module.diagnostics.map { place($0) }
      files += module.files
      failure = failure ?? module.failure
      declarations.add(module.namespaces)
    }
    // One page leads to those of all modules.
    if let pages {
      files.append(GeneratedFile(name: pages.index, content: SchemaIndexPage.bytes(schemas.whole.schema, pages)))
    }
    // Several modules may have one namespace.
    files += declarations.files(namespaces)
    if emitters.contains(where: \.emitsSwift) { diagnostics += schemas.clashes.map { whole($0) } }
    return CompilationOutcome(
      sources: sources.sources, diagnostics: diagnostics,
      files: result(files, failure ?? self.failure(for: diagnostics)))
  }

  /// The output of one module's schema.
  private struct ModuleOutput {
    var diagnostics: [Diagnostic]
    /// The files to write; incomplete if there is an error among the diagnostics, or a failure.
    var files: [GeneratedFile] = []
    var namespaces = NamespaceDeclarations()
    var failure: CompilationFailure?
  }

  private func emit(
    _ compilation: Compilation, _ outputNames: [String: String], _ pages: PageNames?,
    _ isGenerated: (SchemaFile) -> Bool
  ) -> ModuleOutput {
    let checked = CheckedSchema(
      compilation, emitters: emitters, isStrict: isStrict, access: access, isGenerated: isGenerated)
    var output = ModuleOutput(diagnostics: checked.diagnostics)
    guard let generator = checked.generator else { return output }
    do {
      output.files = try generator.files(namespaces: .none, outputNames: outputNames, pages: pages)
    } catch {
      output.failure = .emission(error)
      return output
    }
    output.namespaces = generator.namespaces
    for emitter in outsideEmitters {
      do {
        output.files += try emitter.files(for: generator, outputNames: outputNames)
      } catch {
        switch error {
        case .refused(let message): output.diagnostics.append(refusal(message, by: emitter, of: compilation.schema))
        case .failed(let reason): output.failure = .outsideEmitter(name: emitter.name, reason: reason)
        }
        return output
      }
    }
    return output
  }

  /// Returns the diagnostic of an outside emitter's refusal. An outside emitter gives no location, so the diagnostic is
  /// about the first input as a whole.
  private func refusal(_ message: String, by emitter: any OutsideEmitter, of schema: Schema) -> Diagnostic {
    let file = schema.files.first(where: \.isInput)?.id ?? FileID(0)
    return Diagnostic(
      EmitterCode.refusedByPlugin, .error, "plug-in '\(emitter.name)': \(message)",
      at: SourceRange(file: file, start: 0, end: 0), advice: "the plug-in gives no place")
  }

  /// Returns why nothing may be written; nil if the diagnostics allow output.
  private func failure(for diagnostics: [Diagnostic]) -> CompilationFailure? {
    if diagnostics.contains(where: { $0.severity == .error }) { return .errors }
    return diagnostics.contains { $0.stopsEmission(isStrict: isStrict) } ? .warnings : nil
  }

  private func result(
    _ files: [GeneratedFile], _ failure: CompilationFailure?
  ) -> Result<[GeneratedFile], CompilationFailure> {
    if let failure { return .failure(failure) }
    if let (one, other) = GeneratedFile.collision(in: files) { return .failure(.collision(one.name, other.name)) }
    return .success(files)
  }
}

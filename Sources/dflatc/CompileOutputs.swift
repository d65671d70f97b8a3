import Emitters
import FBSParser
import FBSSchema
import Foundation

extension Compile {
  /// Shows every diagnostic there is, and gives the files to write when none of them is an error.
  func outputs(of schemas: SchemaModules, names: OutputNames) throws -> [GeneratedFile] {
    var sources = SourceJoin()
    let whole = sources.add(schemas.whole.sources)
    var diagnostics: [Diagnostic] = []
    var files: [GeneratedFile] = []
    var failure: (message: String, status: ExitStatus)?
    var declarations = NamespaceDeclarations()
    for compilation in schemas.modules {
      let module = try outputs(of: compilation, names: names)
      let place = sources.add(compilation.sources)
      diagnostics += module.diagnostics.map { place($0) }
      files += module.files
      failure = failure ?? module.failure
      declarations.add(module.namespaces)
    }
    // Several modules may have one namespace.
    files += declarations.files(namespaces ?? .each)
    if emitters.contains(where: \.emitsSwift) { diagnostics += schemas.clashes.map { whole($0) } }
    func isSound() -> Bool { failure == nil && !diagnostics.contains(where: isHarmful) }
    if isSound(), let (one, other) = GeneratedFile.collision(in: files) {
      failure = (
        (one.name == other.name
          ? "two outputs are called \(one.name)" : "\(one.name) and \(other.name) cannot both be written")
          + ": write them to two folders, or give one of the schemas another name",
        .inputOutput
      )
    }
    format.show(diagnostics, in: sources.sources, all: all)
    if let failure {
      Terminal.printError("error: \(failure.message)")
      throw failure.status.exitCode
    }
    guard isSound() else {
      if !diagnostics.contains(where: { $0.severity == .error }) {
        Terminal.printError("error: there are warnings, which --strict takes for errors")
      }
      throw ExitStatus.wrongSchema.exitCode
    }
    return files
  }

  /// Whether nothing is to be written for a diagnostic.
  private func isHarmful(_ diagnostic: Diagnostic) -> Bool {
    diagnostic.severity == .error || strict && diagnostic.severity == .warning
  }

  /// What comes of one schema.
  private struct ModuleOutput {
    var diagnostics: [Diagnostic]
    /// To be written if nothing that is said is an error.
    var files: [GeneratedFile] = []
    var namespaces = NamespaceDeclarations()
    var failure: (message: String, status: ExitStatus)?
  }

  private func outputs(of compilation: Compilation, names: OutputNames) throws -> ModuleOutput {
    var output = ModuleOutput(diagnostics: compilation.diagnostics)
    func isSound() -> Bool { output.failure == nil && !output.diagnostics.contains(where: isHarmful) }

    if emitters.contains(where: \.needsStore) {
      output.diagnostics += StoreValidator.validate(
        schema: compilation.schema, files: compilation.schema.files.filter(\.isInput).map(\.id),
        knowing: output.diagnostics)
    }
    // The further checks take a schema that is resolved.
    if isSound() {
      let generator = Generator(schema: compilation.schema, emitters: emitters)
      output.diagnostics += generator.diagnostics
      output.diagnostics += UngeneratedIncludes(schema: compilation.schema, emitters: emitters)
        .diagnostics(isGenerated: isGenerated)
      if isSound() {
        do {
          output.files = try generator.files(namespaces: .none, outputNames: names.names)
          output.namespaces = generator.namespaces
        } catch {
          output.failure = ("\(error.path): \(error.reason)", .wrongSchema)
        }
      }
    }
    for plugin in plugins where isSound() {
      do throws(Plugin.Failure) {
        output.files += try plugin.files(for: compilation.schema, timeout: pluginTimeout)
      } catch {
        switch error {
        case .refused(let message): output.diagnostics.append(plugin.diagnostic(message, compilation.schema))
        case .failed(let reason): output.failure = ("plug-in '\(plugin.name)': \(reason)", .inputOutput)
        }
      }
    }
    return output
  }

  /// Whether the output folder has what the emitters make of a schema that is no input of this run. It may have been called
  /// by as much of its path as told it apart from others.
  private func isGenerated(_ schema: SchemaFile) -> Bool {
    let path = schema.path.split(separator: "/").filter { $0 != "." && $0 != ".." }
    return path.indices.contains { start in
      let stem = Generator.stem(of: path[start...].joined(separator: "/"))
      return emitters.filter(\.emitsSwift).allSatisfy { emitter in
        FileManager.default.fileExists(
          atPath: (output as NSString).appendingPathComponent(emitter.outputName(forStem: stem)))
      }
    }
  }
}

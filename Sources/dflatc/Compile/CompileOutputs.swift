import Emitters
import FBSDiagnostics
import FBSSchema
import Foundation

extension Compile {
  /// The pipeline with the options of the run.
  var pipeline: CompilationPipeline {
    var pipeline = CompilationPipeline(emitters: emitters, includePaths: includePaths)
    pipeline.outsideEmitters = plugins.map { $0.limited(toSeconds: pluginTimeout) }
    pipeline.namespaces = namespaces ?? .each
    pipeline.isStrict = strict
    pipeline.access = access ?? .public
    return pipeline
  }

  /// Shows every diagnostic, and returns the files to write.
  /// - Throws: The exit code, having said why there is nothing to write.
  func outputs(
    of schemas: SchemaModules, names: OutputNames, _ binaries: BinaryInputs
  ) throws -> [GeneratedFile] {
    let outcome = pipeline.emit(schemas, outputNames: names.names, isGenerated: isGenerated)
    if case .failure(.unreadableInputs(let inputs)) = outcome.files {
      for input in inputs { Terminal.printError("error: cannot read \(input.path): \(input.error.description)") }
      // A program that reads the report gets one about the files that could be read.
      if format != .text { format.show(outcome.diagnostics, in: outcome.sources, all: all) }
      throw ExitStatus.inputOutput.exitCode
    }
    format.show(outcome.diagnostics, in: outcome.sources, all: all)
    do {
      let files = try outcome.files.get()
      binaries.nameWhatIsUnknown()
      binaries.nameLostDefaults()
      return files
    } catch {
      binaries.sayWhatToMend()
      if let message = message(for: error) { Terminal.printError("error: \(message)") }
      throw status(for: error).exitCode
    }
  }

  /// Returns the message for a failure; nil if the diagnostics show the reason already.
  private func message(for failure: CompilationFailure) -> String? {
    switch failure {
    case .errors, .unreadableInputs: nil
    case .warnings: "there are warnings, which --strict takes for errors"
    case .emission(let error): "\(error.path): \(error.reason)"
    case .outsideEmitter(let name, let reason): "plug-in '\(name)': \(reason)"
    case .collision(let one, let other):
      (one == other ? "two outputs are called \(one)" : "\(one) and \(other) cannot both be written")
        + ": write them to two folders, or give one of the schemas another name"
    }
  }

  private func status(for failure: CompilationFailure) -> ExitStatus {
    switch failure {
    case .errors, .warnings, .emission: .wrongSchema
    case .unreadableInputs, .outsideEmitter, .collision: .inputOutput
    }
  }

  /// Returns whether the outputs of a schema that is no input of this run exist already: `--compiled` names the schema, or the
  /// output folder has its outputs. Their names there may include as much of the schema's path as tells it apart from
  /// others.
  private func isGenerated(_ schema: SchemaFile) -> Bool {
    func standardized(_ path: String) -> URL { URL(fileURLWithPath: path).standardizedFileURL }
    let place = standardized(schema.path)
    if compiled.contains(where: { standardized($0) == place }) { return true }
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

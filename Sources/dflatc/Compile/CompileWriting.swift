import Emitters
import FBSSchema
import Foundation

extension Compile {
  /// Writes the outputs, and the file with the dependencies. All of them are written in full before the first replaces
  /// an existing file, so that a full disk leaves the existing files unchanged.
  /// - Parameter configurations: the paths of the configurations that were read.
  func write(
    _ outputs: [GeneratedFile], to folder: OutputFolder, _ compilation: Compilation, configurations: [String]
  ) throws(OutputFolder.WriteError) {
    let dependencies = try dependencies(of: outputs, compilation, configurations)
    // Ctrl-C waits until there is nothing unfinished.
    let signals = HeldSignals()
    defer { signals.release() }
    let files = try folder.prepare(outputs)
    defer { files?.discard() }
    let depfile = try prepareDepfile(dependencies)
    defer { depfile?.discard() }
    let replaced = files.map { folder.schemasReplaced(by: $0.files) } ?? []
    // The depfile comes first: with new dependencies and old outputs, Make compiles once too often; the other way
    // round, once too few.
    try depfile?.commit()
    try files?.commit()
    let streams = [depfile, files].compactMap { $0 }.filter(\.hasStreams)
    if !streams.isEmpty {
      // All files are finished. The reader of a pipe may come late, or never: Ctrl-C has to end the wait for it.
      signals.release()
      for stream in streams { try stream.writeStreams() }
    }
    if let stamp { try OutputFolder(path: stamp.parentFolder).touch(stamp) }
    for output in replaced {
      Terminal.printError(
        "note: \(output.path) held \(output.type), and is replaced: schemas of one name need --root, or one run, to share a folder"
      )
    }
  }

  /// Returns the paths of the files that the outputs depend on: schemas, options, configurations and plug-ins. Standard
  /// input is none of them: Make could not check its time.
  func inputFiles(of compilation: Compilation, _ configurations: [String]) -> [String] {
    compilation.schema.files.map(\.path).filter { !paths.contains("-") || $0 != standardInputPath }
      + (options.map { [$0] } ?? []) + configurations + programs
  }

  /// The programs of the plug-ins. One that was not found has failed before.
  private var programs: [String] { plugins.compactMap { try? $0.program() } }

  /// Ends the run if an output or the depfile would replace an input. A plug-in chooses the names of its outputs.
  func keepInputs(_ inputs: [String], from outputs: [GeneratedFile]) throws {
    let inputs = Set(inputs.compactMap { FileNumber($0) })
    let written = outputs.map { ((output as NSString).appendingPathComponent($0.name), "folder") }
    for (path, kind) in written + (depfile.map { [($0, "depfile")] } ?? []) {
      // What is written to a device replaces nothing.
      guard !FileSystem.isStream(path), let file = FileNumber(path), inputs.contains(file) else { continue }
      Terminal.printError("error: \(path) is an input, and would be replaced: choose another \(kind)")
      throw ExitStatus.usage.exitCode
    }
  }

  /// Returns the text of the depfile; nil if none was asked for. It is made before anything is written, since it cannot
  /// hold every path.
  private func dependencies(
    of outputs: [GeneratedFile], _ compilation: Compilation, _ configurations: [String]
  ) throws(OutputFolder.WriteError) -> String? {
    guard let depfile else { return nil }
    let dependencies = Dependencies(
      outputs: stamp.map { [$0] } ?? outputs.map { output.hasSuffix("/") ? output + $0.name : "\(output)/\($0.name)" },
      inputs: inputFiles(of: compilation, configurations),
      found: compilation.schema.files.filter { !$0.isEntry }.map(\.path) + configurations + programs)
    do {
      let text = try dependencies.text()
      if let path = dependencies.pathForNewNinja {
        Terminal.printError("note: \(depfile) names \(path), which Make reads, and Ninja from 1.13 on")
      }
      return text
    } catch {
      throw OutputFolder.WriteError(
        path: depfile,
        reason: "it would have to name \(error.path.debugDescription), and \(error.reason): give that path another name"
      )
    }
  }

  private func prepareDepfile(_ text: String?) throws(OutputFolder.WriteError) -> PreparedFiles? {
    guard let depfile, let text else { return nil }
    let file = URL(fileURLWithPath: depfile)
    // Written like the outputs: in full, in the depfile's own folder, and then renamed.
    return try OutputFolder(path: file.deletingLastPathComponent().path).prepare([
      GeneratedFile(name: file.lastPathComponent, content: Array(text.utf8))
    ])
  }
}

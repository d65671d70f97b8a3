import Emitters
import FBSSchema
import Foundation

extension Compile {
  /// Writes the outputs, and what they depend on. Each is written in full before the first is put in its place, so that a
  /// full disk leaves what was there.
  func write(
    _ outputs: [GeneratedFile], to folder: OutputFolder, _ compilation: Compilation
  ) throws(OutputFolder.WriteError) {
    // Ctrl-C waits until there is nothing unfinished.
    let signals = HeldSignals()
    defer { signals.release() }
    let files = try folder.prepare(outputs)
    defer { files?.discard() }
    let dependencies = try prepareDependencies(of: outputs, compilation)
    defer { dependencies?.discard() }
    let replaced = files.map { folder.schemasReplaced(by: $0.files) } ?? []
    // First: with new dependencies and old outputs, Make compiles once too often, and the other way round once too few.
    try dependencies?.commit()
    try files?.commit()
    if let stamp { try OutputFolder(path: stamp.parentFolder).touch(stamp) }
    for output in replaced {
      Terminal.printError(
        "note: \(output.path) held \(output.type), and is replaced: schemas of one name need --root, or one run, to share a folder"
      )
    }
  }

  private func prepareDependencies(
    of outputs: [GeneratedFile], _ compilation: Compilation
  ) throws(OutputFolder.WriteError) -> PreparedFiles? {
    guard let depfile else { return nil }
    let dependencies = Dependencies(
      outputs: stamp.map { [$0] } ?? outputs.map { output.hasSuffix("/") ? output + $0.name : "\(output)/\($0.name)" },
      // Standard input is no file that Make could look at.
      inputs: compilation.schema.files.map(\.path).filter { !paths.contains("-") || $0 != standardInputPath }
        + (options.map { [$0] } ?? []),
      includes: compilation.schema.files.filter { !$0.isInput }.map(\.path))
    let file = URL(fileURLWithPath: depfile)
    // The same care as for the outputs, in the depfile's own folder.
    return try OutputFolder(path: file.deletingLastPathComponent().path).prepare([
      GeneratedFile(name: file.lastPathComponent, content: Array(dependencies.text.utf8))
    ])
  }
}

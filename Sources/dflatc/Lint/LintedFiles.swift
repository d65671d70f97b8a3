import FBSDiagnostics
import FBSParser
import FBSSchema

/// The files that `dflatc lint` reads, with the changes that it is going to write.
struct LintedFiles: SourceProvider, Sendable {
  /// The paths of the inputs.
  let paths: [String]
  private var base = InputFileSystem()
  /// The texts that changed, with the paths to write them to, by the identity of the files.
  private var changes: [String: (path: String, text: [UInt8])] = [:]

  /// Finds the inputs. Prints the error and ends the command if there is one.
  init(
    _ arguments: [String], excluding excluded: [String], _ configurations: Configurations, stdinName: String?
  ) throws {
    let standardInput = stdinName ?? "<stdin>"
    // As the file itself is, which a hook or an editor names.
    let isLeftOut = stdinName.map { configurations.isExcluded($0) } ?? false
    do throws(InputError) {
      paths = try SchemaPaths.files(arguments, excluding: excluded, configurations, keepsNamed: false)
        .filter { $0 != "-" || !isLeftOut }.map { $0 == "-" ? standardInput : $0 }
    } catch {
      Terminal.printError("error: \(error.message)")
      throw ExitStatus.inputOutput.exitCode
    }
    guard arguments.contains("-") else { return }
    do {
      base.replace(standardInput, with: try FileSystem.readStandardInput())
    } catch {
      Terminal.printError("error: cannot read -: \(error.description)")
      throw ExitStatus.inputOutput.exitCode
    }
  }

  /// Replaces the text of a file. `writeChanges` writes it.
  mutating func replace(_ path: String, with text: [UInt8]) { changes[identity(of: path)] = (path, text) }

  /// Writes the changed files, each as a whole.
  func writeChanges() throws(OutputFolder.WriteError) {
    for change in changes.values.sorted(by: { $0.path < $1.path }) {
      try FileSystem.rewrite(change.path, with: change.text)
    }
  }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    if !changes.isEmpty, let change = changes[identity(of: path)] { return change.text }
    let bytes = try base.bytes(path)
    guard !SchemaText.isBinary(bytes, path: path) else { throw .unreadable(reason: SchemaText.hasNoText) }
    return bytes
  }

  func identity(of path: String) -> String { base.identity(of: path) }

  func includePaths(of path: String) -> [String] { base.includePaths(of: path) }

  /// Returns these files, whose includes are looked for in some folders.
  func including(from folders: IncludeFolders) -> LintedFiles {
    var files = self
    files.base = base.including(from: folders)
    return files
  }
}

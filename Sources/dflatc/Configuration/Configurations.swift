import FBSDiagnostics
import FBSSchema
import Foundation

/// The configurations of the schemas of a run. Each schema has the nearest configuration from its own folder upwards,
/// or else from the current folder upwards.
///
/// Each configuration is read once. Its mistakes are kept until `throwMistakes` reports them and ends the command.
final class Configurations: @unchecked Sendable {
  // Unchecked, since the lock guards all that changes: two versions of a check are read at the same time.
  private let lock = NSLock()
  private let explicit: String?
  private var byFolder: [String: TeamConfiguration] = [:]
  private var byFile: [String: TeamConfiguration] = [:]
  private var order: [String] = []
  private var unreadable: [(path: String, error: SourceReadError)] = []
  private var diagnostics: [(diagnostics: [Diagnostic], sources: SourceMap)] = []

  /// Creates the configurations.
  /// - Parameter explicit: the path of a configuration for all schemas, which replaces their nearest ones.
  init(_ explicit: String? = nil) { self.explicit = explicit }

  /// The configuration of a schema or another file; the defaults if there is none.
  subscript(path: String) -> TeamConfiguration {
    lock.withLock { configuration(in: path.parentFolder) }
  }

  /// Returns the configuration of the files in a folder.
  func nearest(to folder: String) -> TeamConfiguration {
    lock.withLock { configuration(in: folder == "." ? "" : folder) }
  }

  /// The configurations that were read so far, each once, in the order of the schemas.
  var all: [TeamConfiguration] { lock.withLock { order.compactMap { byFile[$0] } } }

  /// Whether one configuration was named for all schemas.
  var isExplicit: Bool { explicit != nil }

  /// Returns whether a file is vendored, by its own configuration or by that of a schema that includes it.
  func isVendored(_ path: String) -> Bool { isVendored(path, orBy: all) }

  /// Returns whether a file is vendored, by its own configuration or by one of others. While files are read, `all` grows,
  /// in an order that is not the same in every run.
  func isVendored(_ path: String, orBy others: [TeamConfiguration]) -> Bool {
    self[path].isVendored(path) || others.contains { $0.isVendored(path) }
  }

  /// Reads the configurations of files, and of all schemas below folders, and returns all that are known then. A folder
  /// that cannot be read is reported when its schemas are.
  func reading(_ paths: [String]) -> [TeamConfiguration] {
    let files = InputFileSystem()
    for path in paths {
      guard files.isFolderOnDisk(path) else {
        _ = self[path]
        continue
      }
      _ = nearest(to: path)
      for schema in (try? files.schemas(below: path)) ?? [] { _ = self[schema] }
    }
    return all
  }

  /// Returns whether a file is left out when a folder that holds it is named.
  func isExcluded(_ path: String) -> Bool { self[path].isExcluded(path) }

  /// Reports the mistakes in the configurations that were read.
  /// - Throws: the exit code, if there are any.
  func throwMistakes(_ format: ReportFormat, all: Bool = false) throws {
    lock.lock()
    let (unreadable, found) = (unreadable, diagnostics)
    lock.unlock()
    for (path, error) in unreadable { Terminal.printError("error: cannot read \(path): \(error.description)") }
    if !unreadable.isEmpty { throw ExitStatus.inputOutput.exitCode }
    // Programs get one report.
    for (diagnostics, sources) in format == .text ? found : Array(found.prefix(1)) {
      format.show(diagnostics, in: sources, all: all)
    }
    if !found.isEmpty { throw ExitStatus.usage.exitCode }
  }

  /// The first mistake, in one line, for callers that show only one; nil if there is none.
  var mistake: String? {
    lock.lock()
    let (unreadable, found) = (unreadable, diagnostics)
    lock.unlock()
    if let (path, error) = unreadable.first { return "cannot read \(path): \(error.description)" }
    guard let (diagnostics, sources) = found.first, let first = diagnostics.first else { return nil }
    let place = sources.position(of: first.range.start, in: first.range.file)
    let advice = first.advice.isEmpty ? "" : ": \(first.advice)"
    return "\(sources[first.range.file].path):\(place.line):\(place.column): \(first.message)\(advice)"
  }

  // MARK: Looking for them

  /// Returns the nearest configuration from a folder upwards. The caller holds the lock.
  private func configuration(in folder: String) -> TeamConfiguration {
    if let explicit { return read(explicit) }
    var folders: [String] = []
    var found = TeamConfiguration()
    var folder: String? = folder
    while let place = folder {
      if let known = byFolder[place] {
        found = known
        break
      }
      folders.append(place)
      let path = place.isEmpty ? TeamConfiguration.fileName : Self.joined(place, TeamConfiguration.fileName)
      if access(path, F_OK) == 0 {
        found = read(path)
        break
      }
      folder = Self.parent(of: place)
    }
    // A schema elsewhere has what holds where the command is run.
    if found.files.isEmpty, let start = folders.first, start != "", !folders.contains("") {
      found = configuration(in: "")
    }
    for folder in folders { byFolder[folder] = found }
    return found
  }

  private func read(_ path: String) -> TeamConfiguration {
    if let known = byFile[path] { return known }
    var reader = ConfigurationReader()
    var configuration = TeamConfiguration()
    do {
      configuration = try reader.read(path)
    } catch {
      unreadable.append((path, error))
    }
    if !reader.diagnostics.isEmpty { diagnostics.append((reader.diagnostics, reader.sources)) }
    byFile[path] = configuration
    order.append(path)
    return configuration
  }

  private static func joined(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// Returns the folder that holds a folder; nil for the root. The current folder is the empty path, and the folders
  /// above it are `..`, `../..` and so on.
  private static func parent(of folder: String) -> String? {
    guard !AbsolutePath(folder).components.isEmpty else { return nil }
    if folder.isEmpty || folder == "." { return ".." }
    let name = folder.split(separator: "/").last
    return name == ".." || name == "." ? joined(folder, "..") : folder.parentFolder
  }
}

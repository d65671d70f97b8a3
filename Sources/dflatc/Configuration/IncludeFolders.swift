import Foundation

/// The folders in which a run looks for includes, after the including file's own.
struct IncludeFolders: Sendable {
  /// The folders for all files: those of the command line, then those of the configurations, in an order that does not
  /// depend on that of the arguments.
  let common: [String]
  /// Returns the folders that come first for the includes of one file. Nil if they are those of all files.
  private let own: (@Sendable (_ path: String) -> [String])?

  /// A configuration that has some of the schemas.
  private struct Configured: Sendable {
    /// The path of the configuration.
    let path: AbsolutePath
    let includePaths: [String]

    /// The components of the folder in which the configuration stands.
    var folder: ArraySlice<String> { path.components.dropLast() }
  }

  /// Finds the folders.
  /// - Parameters:
  ///   - inputs: the paths of the schemas.
  ///   - first: folders that come before all others.
  ///   - roots: the folders that arguments name, if includes are looked for in them. A file's own comes first.
  ///   - given: further folders of the command line.
  init(
    for inputs: [String], _ configurations: Configurations, first: [String] = [], roots: [String] = [],
    after given: [String]
  ) {
    var known: [String: [String]] = [:]
    var byInput: [String: [String]] = [:]
    for input in inputs {
      let configuration = configurations[input]
      byInput[input] = configuration.includePaths
      if let file = configuration.files.first { known[file] = configuration.includePaths }
    }
    // One configuration may have been found by two paths.
    let configured = known.map { Configured(path: AbsolutePath($0.key), includePaths: $0.value) }.sorted {
      $0.path == $1.path
        ? $0.includePaths.lexicographicallyPrecedes($1.includePaths)
        : $0.path.components.lexicographicallyPrecedes($1.path.components)
    }
    let roots = roots.sorted()
    var common = first + roots + given
    for folder in configured.flatMap(\.includePaths) where !common.contains(folder) { common.append(folder) }
    self.common = common
    guard configured.count > 1 || roots.count > 1 else {
      own = nil
      return
    }
    let places = roots.map { (path: $0, components: AbsolutePath($0).components) }
    own = { [byInput] path in
      let components = AbsolutePath(path).components
      let around = places.filter { components.starts(with: $0.components) }
      let nearest = around.sorted { $0.components.count > $1.components.count }.map { $0.path }
      return first + nearest + roots + given + (byInput[path] ?? Self.folders(for: components, configured))
    }
  }

  /// Returns the folders of an included file, which has the nearest of these configurations. No other one is read for it.
  private static func folders(for path: [String], _ configured: [Configured]) -> [String] {
    let around = configured.filter { path.starts(with: $0.folder) }
    return around.max { $0.folder.count < $1.folder.count }?.includePaths ?? []
  }

  /// Returns the folders that come before the common ones for the includes of a file.
  func before(common path: String) -> [String] { own?(path) ?? [] }
}

import FBSSchema

// The configurations of schemas, applied to files as the commands apply them.

extension LanguageServerSession {
  /// Returns the team's configuration for a schema.
  func configuration(for path: String) -> HostConfiguration { host.configuration(for: absolute(path)) }

  /// Returns whether `dflatc lint` and `dflatc format` leave a schema alone.
  func isExcluded(_ path: String) -> Bool {
    let (configuration, path) = (configuration(for: path), absolute(path))
    return configuration.isExcluded(path) || configuration.isVendored(path)
  }

  /// Returns the paths of the files of a compilation whose warnings `dflatc compile` drops: those that are vendored by their
  /// own configuration, or by that of the input or of a file that was read before.
  func vendoredFiles(of compilation: Compilation, input: String) -> Set<String> {
    // As a rule there are no warnings, and then no configuration has to be looked up.
    let warned = Set(compilation.diagnostics.filter { $0.severity != .error }.map(\.range.file))
    guard !warned.isEmpty else { return [] }
    var configurations = [configuration(for: input)]
    var folders: Set<Substring> = []
    var vendored: Set<String> = []
    for file in compilation.schema.files {
      // The schemas of a folder have one configuration.
      if folders.insert(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)]).inserted {
        configurations.append(configuration(for: file.path))
      }
      guard warned.contains(file.id) else { continue }
      let path = absolute(file.path)
      if configurations.contains(where: { $0.isVendored(path) }) { vendored.insert(file.path) }
    }
    return vendored
  }

  /// Returns the absolute path of a schema. The path of a document that was never saved is taken from the workspace's
  /// first folder.
  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : (folders.first ?? "") + "/" + path
  }
}

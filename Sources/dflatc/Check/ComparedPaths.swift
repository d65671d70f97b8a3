/// The files and folders that a run reads as a whole. Only about these, a run can tell that something is not found any
/// more.
struct ComparedPaths {
  private let paths: [AbsolutePath]

  /// Creates the paths.
  /// - Parameter arguments: the files and folders that the arguments name.
  init(_ arguments: [String]) { paths = arguments.map { AbsolutePath($0) } }

  /// Returns whether a file, or everything below a folder, is read.
  func contains(_ path: AbsolutePath) -> Bool { paths.contains { path.components.starts(with: $0.components) } }

  /// Returns whether everything is read that an entry of `allow` may be about.
  /// - Parameters:
  ///   - configuration: the configuration that has the entry, in its own file or in one that it extends.
  ///   - isExplicit: whether the configuration was named for all schemas, wherever they are.
  func holdAll(
    of allowance: TeamConfiguration.Allowance, in configuration: TeamConfiguration, isExplicit: Bool
  ) -> Bool {
    if let starts = allowance.paths?.starts { return starts.allSatisfy(contains) }
    // A name may be that of any schema of the configuration, and of others if the configuration is not theirs alone.
    guard !isExplicit, let own = configuration.files.first.map({ AbsolutePath($0) }),
      own == AbsolutePath(allowance.file.path)
    else { return false }
    return contains(AbsolutePath("/" + own.components.dropLast().joined(separator: "/")))
  }
}

/// The files and folders that a run reads as a whole: only of these can be said that something is not found any more.
struct ComparedPaths {
  private let paths: [AbsolutePath]

  /// - Parameter arguments: The files and folders that were named.
  init(_ arguments: [String]) { paths = arguments.map { AbsolutePath($0) } }

  /// Whether a file, or all below a folder, is read.
  func contains(_ path: AbsolutePath) -> Bool { paths.contains { path.components.starts(with: $0.components) } }

  /// Whether everything is read that an entry of `allow` may be about.
  /// - Parameters:
  ///   - configuration: The configuration that holds the entry, by itself or by one that it extends.
  ///   - isExplicit: Whether the configuration holds for all schemas, wherever they are.
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

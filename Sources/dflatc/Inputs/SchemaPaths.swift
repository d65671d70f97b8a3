import FBSSchema
import Foundation

/// The schemas that a command's arguments name: files, and all schemas below folders.
enum SchemaPaths {
  /// What `--exclude` does in a command without `--gen-all`.
  static let excludeHelp = "With folders: \(exclusion)"

  /// What `--exclude` does in a command with `--gen-all`.
  static let excludeIncludedHelp = "With folders and --gen-all: \(exclusion)"

  private static let exclusion = """
    a file or folder to leave out, by its path (./drafts) or its name at any depth (drafts). May be given several times.
    """

  /// Returns how `--gen-all` treats the files that inputs include.
  /// - Parameters:
  ///   - excluded: the paths or names of files and folders to leave out.
  ///   - compiled: the paths of further files to leave out.
  ///   - configurations: the configurations, which may leave out further files.
  ///   - vendoring: the configurations that vendor files besides a file's own; nil for all that were read before.
  ///   - arguments: the files and folders that the arguments name.
  ///   - folders: further folders in which files are found.
  ///   - files: the place where the files are.
  ///   - path: returns the path of a file, by which configurations know it, given its identity.
  static func included(
    excluding excluded: [String], compiled: [String] = [], configurations: Configurations,
    vendoring: [TeamConfiguration]? = nil, arguments: [String], folders: [String], _ files: some SourceProvider,
    path: @escaping @Sendable (_ identity: String) -> String = { $0 }
  ) -> IncludedFiles {
    // A name is looked for only in the part of a path below a given folder: not in the path of the package, say.
    let folders = Set(
      (arguments.flatMap { [$0, $0.parentFolder.isEmpty ? "." : $0.parentFolder] } + folders).map(files.identity))
    let names = ExcludedPaths(excluded).names
    let paths = excluded.filter { !$0.isEmpty }.map(files.identity)
    let compiled = Set(compiled.map(files.identity))
    let vendoring = vendoring ?? configurations.all
    return .compiled { identity in
      compiled.contains(identity) || configurations.isExcluded(path(identity))
        || configurations.isVendored(path(identity), orBy: vendoring)
        || paths.contains { rest(of: identity, below: $0) != nil }
        || folders.contains { folder in
          rest(of: identity, below: folder)?.split(separator: "/").contains { names.contains(String($0)) } == true
        }
    }
  }

  /// Returns the path from a folder to a file, by the identities of both; nil if the file is not there. The root of a
  /// commit is the empty path.
  private static func rest(of file: String, below folder: String) -> Substring? {
    if file == folder { return "" }
    if folder.isEmpty { return file.hasPrefix("/") ? nil : file[...] }
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    return file.hasPrefix(start) ? file.dropFirst(start.count) : nil
  }

  /// Finds the schemas that arguments name.
  /// - Parameters:
  ///   - excluded: the paths or names of files and folders to leave out, unless they are arguments themselves.
  ///   - configurations: the configurations, which may leave out further files.
  ///   - keepsNamed: whether a file that is an argument itself is taken even if its configuration leaves it out. Hooks
  ///     and editors name each file that was changed.
  /// - Returns: the files, each once, in the order of the arguments; the files below a folder in the order of their
  ///   paths.
  /// - Throws: `InputError` if a folder cannot be read, or has no schema.
  static func files(
    _ arguments: [String], excluding excluded: [String], _ configurations: Configurations, keepsNamed: Bool = true
  ) throws(InputError) -> [String] {
    try find(arguments, excluding: excluded, configurations, keepsNamed: keepsNamed).files
  }

  /// Finds the schemas that arguments name, as `files(_:excluding:_:keepsNamed:)` does. Also returns, for each schema
  /// found below a folder, the folder that was named.
  static func find(
    _ arguments: [String], excluding excluded: [String], _ configurations: Configurations, keepsNamed: Bool = true
  ) throws(InputError) -> (files: [String], folders: [String: String]) {
    let system = InputFileSystem()
    let excluded = ExcludedPaths(excluded)
    var files: [String] = []
    var folders: [String: String] = [:]
    var known: Set<String> = []
    for argument in arguments {
      // A file that is missing is reported when it is read.
      guard argument != "-", try system.isFolder(argument) == true else {
        if !keepsNamed, argument != "-", configurations.isExcluded(argument) { continue }
        if known.insert(argument).inserted { files.append(argument) }
        continue
      }
      let found = try system.schemas(below: argument)
      guard !found.isEmpty else { throw InputError(message: "there is no schema (.fbs) in \(argument)") }
      for file in found where !excluded.contains(file, below: argument) && !configurations.isExcluded(file) {
        if known.insert(file).inserted {
          files.append(file)
          folders[file] = argument
        }
      }
    }
    return (files, folders)
  }
}

import FBSSchema
import Foundation

/// The schemas that a command's arguments name: files, and all schemas below folders.
enum SchemaPaths {
  static let excludeHelp = """
    With folders and --gen-all: a file or folder to leave out, by its path or its name alone. May be given several times.
    """

  /// Returns how `--gen-all` treats the files that inputs include.
  /// - Parameters:
  ///   - excluded: Paths or names of files and folders that are left out.
  ///   - compiled: The paths of further files that are left out.
  ///   - arguments: The files and folders that were named.
  ///   - folders: Further folders in which files are found.
  ///   - files: The place where the files are.
  static func included(
    excluding excluded: [String], compiled: [String] = [], arguments: [String], folders: [String],
    _ files: some SourceProvider
  ) -> IncludedFiles {
    // A name is looked for only in the part of a path below a given folder: not in the path of the package, say.
    let folders = Set(
      (arguments.flatMap { [$0, $0.parentFolder.isEmpty ? "." : $0.parentFolder] } + folders).map(files.identity))
    let paths = excluded.map(files.identity)
    let compiled = Set(compiled.map(files.identity))
    return .compiled { identity in
      compiled.contains(identity)
        || paths.contains { identity == $0 || identity.hasPrefix($0 + "/") }
        || folders.contains { folder in
          identity.hasPrefix(folder + "/")
            && identity.dropFirst(folder.count).split(separator: "/").contains { excluded.contains(String($0)) }
        }
    }
  }

  /// - Parameter excluded: paths or names of files and folders that are left out, unless they are arguments themselves.
  /// - Returns: the files, each once, in the order of the arguments, and below a folder in the order of their paths.
  /// - Throws: `InputError` if a folder cannot be read, or has no schema.
  static func files(_ arguments: [String], excluding excluded: [String]) throws(InputError) -> [String] {
    try find(arguments, excluding: excluded).files
  }

  /// Finds the same files as `files`, and for each that was found below a folder, the folder that was named.
  static func find(
    _ arguments: [String], excluding excluded: [String]
  ) throws(InputError) -> (files: [String], folders: [String: String]) {
    let system = InputFileSystem()
    var files: [String] = []
    var folders: [String: String] = [:]
    var known: Set<String> = []
    for argument in arguments {
      // A file that is missing is reported when it is read.
      guard argument != "-", try system.isFolder(argument) == true else {
        if known.insert(argument).inserted { files.append(argument) }
        continue
      }
      for file in try system.schemas(below: argument) where !isExcluded(file, below: argument, excluded) {
        if known.insert(file).inserted {
          files.append(file)
          folders[file] = argument
        }
      }
    }
    return (files, folders)
  }

  /// Whether a file that was found below a folder is left out by its path, by the path of a folder around it, or by a
  /// name.
  static func isExcluded(_ file: String, below folder: String, _ excluded: [String]) -> Bool {
    let path = trimmed(file)
    let inner = file.dropFirst(folder.count).split(separator: "/").map(String.init)
    return excluded.contains {
      let excluded = trimmed($0)
      return excluded == path || path.hasPrefix(excluded + "/") || inner.contains(excluded)
    }
  }

  /// Returns a path without `./` before it and a slash behind it, which make no difference.
  private static func trimmed(_ path: String) -> String {
    var path = path[...]
    while path.hasPrefix("./") { path = path.dropFirst(2) }
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }
}

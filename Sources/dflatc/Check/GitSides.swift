import FBSSchema
import Foundation
import SchemaEvolution

/// The two sides of a check of files against a commit: the files as they were, and as they are.
struct GitSides {
  let old: Result<VersionFiles, InputError>
  let new: Result<VersionFiles, InputError>
  /// Named files that the commit does not have. New files below a named folder are not among them: they belong to the
  /// new version of the folder.
  let added: [String]

  /// The files to check, and the commit to check them against.
  struct Request {
    let reference: GitReference
    /// The files and folders.
    let paths: [String]
    /// The old paths of renamed files, by their new paths.
    let renames: [String: String]
    /// The folders in which both sides look for includes, and those in which only one does.
    let includePaths: [String]
    let oldIncludePaths: [String]
    let newIncludePaths: [String]
    /// The paths or names of files and folders that are left out of folders.
    let excluded: [String]
    /// Whether included files are compared like named ones.
    let takesIncludes: Bool
    /// Whether NEW is the index of git, rather than the work tree.
    let isStaged: Bool
  }

  static func read(_ request: Request) throws(InputError) -> GitSides {
    let place = try GitPlace()
    let before = try GitTree(commit: request.reference, place)
    guard request.isStaged else { return try read(request, before, InputFileSystem()) }
    return try read(request, before, try GitTree(index: place))
  }

  private static func read(
    _ request: Request, _ repository: GitTree, _ files: some InputFiles
  ) throws(InputError) -> GitSides {
    var oldPaths: [String] = []
    var newPaths: [String] = []
    var oldNames: [String: String] = [:]
    var newNames: [String: String] = [:]
    var missing: [String] = []
    var folders: [String] = []
    for path in request.paths {
      guard let isFolder = try files.isFolder(path) else {
        throw InputError(
          message: request.isStaged
            ? "cannot read \(path): git's index has no such file or folder (`git add` puts it there)"
            : "cannot read \(path): there is no such file or folder", version: .new)
      }
      guard isFolder else {
        newPaths.append(path)
        continue
      }
      folders.append(path)
      func isIncluded(_ file: String) -> Bool { !SchemaPaths.isExcluded(file, below: path, request.excluded) }
      newPaths += try files.schemas(below: path).filter(isIncluded)
      let before = try repository.schemas(below: path).filter(isIncluded)
      for path in before where oldNames.updateValue(path, forKey: path) == nil { oldPaths.append(path) }
    }
    for path in newPaths {
      let before = request.renames[path] ?? path
      newNames[path] = before
      if oldNames[before] != nil { continue }
      if try repository.exists(before) {
        oldNames[before] = before
        oldPaths.append(before)
      } else {
        missing.append(path)
      }
    }
    // An included file may have been renamed, too.
    for (path, before) in request.renames where newNames[path] == nil { newNames[path] = before }
    let name = request.reference.name
    guard !oldPaths.isEmpty else {
      if let other = try missing.first.map({ path throws(InputError) in try repository.place.otherRoot(of: path) }
      ),
        let other
      {
        throw InputError(
          message: "\(missing[0]) is in another git repository, \(other), a submodule perhaps: run dflatc there")
      }
      throw InputError(
        message: "none of the files is in \(name): \(missing.joined(separator: ", ")) (--rename tells an old path)")
    }
    let includes = folders + request.includePaths
    // A type may have moved to a file that was not named. Folders need no search, since they are read whole.
    let isOpen = folders.count < request.paths.count
    return GitSides(
      old: side(oldPaths, oldNames, request.oldIncludePaths + includes, request, repository, isOpen: isOpen),
      new: side(newPaths, newNames, request.newIncludePaths + includes, request, files, isOpen: isOpen),
      added: missing.filter(request.paths.contains))
  }

  private static func side(
    _ paths: [String], _ names: [String: String], _ includePaths: [String], _ request: Request,
    _ files: some InputFiles,
    isOpen: Bool
  ) -> Result<VersionFiles, InputError> {
    let included: IncludedFiles =
      request.takesIncludes
      ? SchemaPaths.included(
        excluding: request.excluded, arguments: request.paths, folders: includePaths, files) : .read
    return Result { () throws(InputError) in
      try CheckInput(paths, names: names, includePaths: includePaths, included: included, files).version {
        guard isOpen else { return [] }
        // Empty if the current folder cannot be listed.
        return ((try? files.schemas(below: ".")) ?? []).map { ($0, String($0.dropFirst(2))) }
      }
    }
  }
}

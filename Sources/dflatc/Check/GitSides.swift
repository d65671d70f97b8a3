import FBSSchema
import Foundation
import SchemaEvolution

/// The two sides of a check of files against a commit: the files in the commit, and the files as they are now.
struct GitSides {
  let old: Result<VersionFiles, InputError>
  let new: Result<VersionFiles, InputError>
  /// Named files that the commit does not have. New files below a named folder are not among them: they belong to the
  /// new version of the folder.
  let added: [String]
  /// The commit, as people write its name.
  let name: String
  /// The files of the commit.
  let tree: GitTree

  /// The files to check, and the commit to check them against.
  struct Request {
    let version: OldVersion
    /// The files and folders to check.
    let paths: [String]
    /// The old paths of renamed files, by their new paths.
    let renames: [String: String]
    /// The folders in which both sides look for includes. `oldIncludePaths` and `newIncludePaths` are for one side
    /// only.
    let includePaths: [String]
    let oldIncludePaths: [String]
    let newIncludePaths: [String]
    /// The files and folders to leave out of folders, besides those that configurations leave out.
    let excluded: [String]
    let configurations: Configurations
    /// Whether included files are compared like the named ones.
    let takesIncludes: Bool
    /// Whether NEW is the index of git, rather than the work tree.
    let isStaged: Bool
    /// The folder of the files to which types may have moved; nil for the whole repository.
    var neighbours: String?
  }

  static func read(_ request: Request) throws(InputError) -> GitSides {
    let place = try GitPlace()
    let reference = try request.version.reference()
    let before: GitTree
    if request.isStaged, reference.name == "HEAD", try place.isBeforeFirstCommit() {
      before = try GitTree(emptyIn: place)
    } else {
      before = try GitTree(commit: reference, place)
    }
    if request.isStaged { return try read(request, reference.name, before, try GitTree(index: place)) }
    if let files = try SparseWorkTree(place) { return try read(request, reference.name, before, files) }
    return try read(request, reference.name, before, InputFileSystem())
  }

  /// Reads both sides.
  /// - Parameters:
  ///   - name: the commit, as people write its name.
  ///   - repository: the files of the commit.
  ///   - files: the files as they are now.
  static func read(
    _ request: Request, _ name: String, _ repository: GitTree, _ files: some InputFiles
  ) throws(InputError) -> GitSides {
    var oldPaths: [String] = []
    var newPaths: [String] = []
    var oldNames: [String: String] = [:]
    var newNames: [String: String] = [:]
    var missing: [String] = []
    var folders: [String] = []
    let excluded = ExcludedPaths(request.excluded)
    for path in request.paths {
      // What is gone is compared with nothing.
      let isFolderNow = try files.isFolder(path)
      let isFolderBefore = isFolderNow == nil ? try repository.isFolder(path) : nil
      guard let isFolder = isFolderNow ?? isFolderBefore else {
        throw InputError(
          message: request.isStaged
            ? "cannot read \(path): git's index has no such file or folder (`git add` puts it there)"
            : "cannot read \(path): there is no such file or folder, and none in \(name)", version: .new)
      }
      guard isFolder else {
        // A configuration leaves a file out also where a hook names it.
        if request.configurations.isExcluded(path) { continue }
        if isFolderNow != nil {
          newPaths.append(path)
        } else if !request.renames.values.contains(path), oldNames.updateValue(path, forKey: path) == nil {
          oldPaths.append(path)
        }
        continue
      }
      folders.append(path)
      func isIncluded(_ file: String) -> Bool {
        !excluded.contains(file, below: path) && !request.configurations.isExcluded(file)
      }
      let now = isFolderNow == nil ? [] : try files.schemas(below: path)
      let before = try repository.schemas(below: path)
      guard !now.isEmpty || !before.isEmpty else {
        throw InputError(
          message: "there is no schema (.fbs) in \(path)" + (request.isStaged ? " of git's index" : ""), version: .new)
      }
      if !now.isEmpty { newPaths += try files.committable(now, below: path).filter(isIncluded) }
      for path in before.filter(isIncluded) where oldNames.updateValue(path, forKey: path) == nil {
        oldPaths.append(path)
      }
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
    // In a folder, all may have come since.
    guard !oldPaths.isEmpty || folders.count == request.paths.count || missing.isEmpty else {
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
    let schemas = newPaths + oldPaths
    // The files that OLD includes add no configuration for NEW.
    let vendoring = request.takesIncludes ? request.configurations.reading(schemas) : []
    func includeFolders(of own: [String]) -> IncludeFolders {
      IncludeFolders(
        for: schemas, request.configurations, first: own, roots: folders, after: request.includePaths)
    }
    // A type may have moved to a file that was not named. Folders are read whole.
    let neighbours = folders.count < request.paths.count ? request.neighbours ?? repository.wholeFolder : nil
    return GitSides(
      old: side(
        oldPaths, oldNames, includeFolders(of: request.oldIncludePaths), request, vendoring, repository, neighbours),
      new: side(newPaths, newNames, includeFolders(of: request.newIncludePaths), request, vendoring, files, neighbours),
      added: missing.filter { request.paths.contains($0) || oldPaths.isEmpty }, name: name, tree: repository)
  }

  private static func side(
    _ paths: [String], _ names: [String: String], _ folders: IncludeFolders, _ request: Request,
    _ vendoring: [TeamConfiguration], _ files: some InputFiles, _ neighbours: String?
  ) -> Result<VersionFiles, InputError> {
    let files = files.including(from: folders)
    let included: IncludedFiles =
      request.takesIncludes
      ? SchemaPaths.included(
        excluding: request.excluded, configurations: request.configurations, vendoring: vendoring,
        arguments: request.paths, folders: folders.common, files, path: files.pathByIdentity) : .read
    return Result { () throws(InputError) in
      try CheckInput(paths, names: names, includePaths: folders.common, included: included, files).version {
        // Without a folder that can be listed, no file is looked into: a type that has moved counts as gone, which is
        // reported.
        let found = neighbours.flatMap { try? files.committable(files.schemas(below: $0), below: $0) } ?? []
        return found.map { path in (path, path.hasPrefix("/") ? path : AbsolutePath(path).fromCurrentFolder) }
          .filter { !request.configurations.isExcluded($0.0) }
      }
    }
  }
}

import FBSSchema
import Foundation
import SchemaEvolution

/// What `--against git:REF[:DIR]` names.
struct GitReference {
  /// The commit, as it was written.
  let name: String
  /// The folder, from the repository's root, below which files stood.
  let folder: String?

  /// Nothing if it is none.
  init?(_ text: String) {
    guard text.hasPrefix("git:") else { return nil }
    let parts = text.dropFirst(4).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else { return nil }
    self.name = String(name)
    folder = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
  }
}

/// Where the files of a side are, for those who name them by path.
protocol CheckFiles: SourceProvider {
  /// The content of a file. `read` gives its text, which is another one for a binary schema.
  func bytes(_ path: String) throws(SourceReadError) -> [UInt8]
  /// Whether a path is a folder. Nothing if there is no such file or folder.
  func isFolder(_ path: String) throws(CheckInputError) -> Bool?
  /// The paths of the schemas below a folder, in an order that is the same on every machine.
  func schemas(below folder: String) throws(CheckInputError) -> [String]
}

/// A check of files against what they were.
struct GitSides {
  let old: Result<VersionFiles, CheckInputError>
  let new: Result<VersionFiles, CheckInputError>
  /// Files that were named, and were not there. Those of a folder are part of what it has become.
  let added: [String]

  /// What to check against what.
  struct Request {
    let reference: GitReference
    /// The files and folders.
    let paths: [String]
    /// By new path, the old one.
    let renames: [String: String]
    /// The folders in which both sides look for includes, and those in which only one does.
    let includePaths: [String]
    let oldIncludePaths: [String]
    let newIncludePaths: [String]
    /// What is left out of folders.
    let excluded: [String]
    /// Whether what is included is compared as what is named.
    let takesIncludes: Bool
    /// Whether NEW is what is going to be committed, rather than what is in the work tree.
    let isStaged: Bool
  }

  static func read(_ request: Request) throws(CheckInputError) -> GitSides {
    let place = try GitPlace()
    let before = try GitTree(commit: request.reference, place)
    guard request.isStaged else { return try read(request, before, CheckFileSystem()) }
    return try read(request, before, try GitTree(index: place))
  }

  private static func read(
    _ request: Request, _ repository: GitTree, _ files: some CheckFiles
  ) throws(CheckInputError) -> GitSides {
    var oldPaths: [String] = []
    var newPaths: [String] = []
    var oldNames: [String: String] = [:]
    var newNames: [String: String] = [:]
    var missing: [String] = []
    var folders: [String] = []
    for path in request.paths {
      guard let isFolder = try files.isFolder(path) else {
        throw CheckInputError(
          message: request.isStaged
            ? "cannot read \(path): git's index has no such file or folder (`git add` puts it there)"
            : "cannot read \(path): there is no such file or folder", side: .new)
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
    // An included file may have got another name, too.
    for (path, before) in request.renames where newNames[path] == nil { newNames[path] = before }
    let name = request.reference.name
    guard !oldPaths.isEmpty else {
      if let other = try missing.first.map({ path throws(CheckInputError) in try repository.place.otherRoot(of: path) }
      ),
        let other
      {
        throw CheckInputError(
          message: "\(missing[0]) is in another git repository, \(other), a submodule perhaps: run dflatc there")
      }
      throw CheckInputError(
        message: "none of the files is in \(name): \(missing.joined(separator: ", ")) (--rename tells an old path)")
    }
    let includes = folders + request.includePaths
    // A type may have moved to a file that was not named. Folders are read whole.
    let isOpen = folders.count < request.paths.count
    return GitSides(
      old: side(oldPaths, oldNames, request.oldIncludePaths + includes, request, repository, isOpen: isOpen),
      new: side(newPaths, newNames, request.newIncludePaths + includes, request, files, isOpen: isOpen),
      added: missing.filter(request.paths.contains))
  }

  private static func side(
    _ paths: [String], _ names: [String: String], _ includePaths: [String], _ request: Request,
    _ files: some CheckFiles,
    isOpen: Bool
  ) -> Result<VersionFiles, CheckInputError> {
    let included: IncludedFiles =
      request.takesIncludes
      ? SchemaPaths.included(
        excluding: request.excluded, arguments: request.paths, folders: includePaths, files) : .read
    return Result { () throws(CheckInputError) in
      try CheckInput(paths, names: names, includePaths: includePaths, included: included, files).version {
        guard isOpen else { return [] }
        // None if the current folder cannot be listed.
        return ((try? files.schemas(below: ".")) ?? []).map { ($0, String($0.dropFirst(2))) }
      }
    }
  }
}

/// The repository that the current folder is in.
struct GitPlace {
  let root: String
  /// The path of the current folder in the repository, ending with a slash, or nothing.
  let prefix: String

  init() throws(CheckInputError) {
    let place = try Git.run(["rev-parse", "--show-toplevel", "--show-prefix"])
    guard place.isSuccess else {
      let isBare = try Git.run(["rev-parse", "--is-bare-repository"]).output.hasPrefix("true")
      throw CheckInputError(
        message: isBare
          ? "this git repository is bare, so that there are no files to check: run dflatc in a clone of it"
          : "git does not take the current folder for a repository: \(place.complaint)")
    }
    let lines = place.output.split(separator: "\n", omittingEmptySubsequences: false)
    root = String(lines.first ?? "")
    prefix = lines.count > 1 ? String(lines[1]) : ""
  }

  /// The root of the repository that a file is in, if that is another one than the current folder's.
  func otherRoot(of path: String) throws(CheckInputError) -> String? {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let answer = try Git.run(["-C", folder, "rev-parse", "--show-toplevel"])
    let other = answer.output.trimmingCharacters(in: .newlines)
    return answer.isSuccess && other != root ? other : nil
  }
}

/// The files of a commit, or of the index, by their paths from the current folder. It reads git's objects: the work tree is
/// left alone, and nothing is written.
struct GitTree: CheckFiles {
  let place: GitPlace
  /// The commit; empty for the index, as git writes it: `:a/b.fbs`.
  private let commit: String
  private let folder: String?
  private let objects: GitObjects
  /// The files of the index, by their paths from the repository's root. Empty for a commit.
  private let staged: Set<String>

  /// The files of a commit.
  init(commit reference: GitReference, _ place: GitPlace) throws(CheckInputError) {
    self.place = place
    let name = "\(reference.name)^{commit}"
    let commit = try Git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", name])
    guard commit.isSuccess else {
      let isShallow = try Git.run(["rev-parse", "--is-shallow-repository"]).output.hasPrefix("true")
      throw CheckInputError(
        message: "there is no git commit \(reference.name)"
          + (isShallow
            ? ": this clone is shallow; `git fetch --unshallow`, or `fetch-depth: 0` of actions/checkout, gets the rest"
            : "; `git fetch` gets what is elsewhere"))
    }
    self.commit = commit.output.trimmingCharacters(in: .whitespacesAndNewlines)
    folder = reference.folder
    staged = []
    objects = try GitObjects(followsLinks: true)
  }

  /// What is going to be committed.
  init(index place: GitPlace) throws(CheckInputError) {
    self.place = place
    commit = ""
    folder = nil
    staged = try Self.staged(in: place)
    objects = try GitObjects(followsLinks: false)
  }

  /// What git would commit. `git add -N` puts a file into the index that has no content yet, and that no commit has.
  private static func staged(in place: GitPlace) throws(CheckInputError) -> Set<String> {
    // Standard input is empty.
    let emptyTree = try Git.run(["hash-object", "-t", "tree", "--stdin"]).output.trimmingCharacters(in: .newlines)
    // From the root, since git names files from the current folder.
    let answer = try Git.run(
      ["-C", place.root, "diff-index", "--cached", "--ita-invisible-in-index", "--name-only", "-z", emptyTree])
    guard answer.isSuccess else {
      throw CheckInputError(message: "cannot read git's index: \(answer.complaint)", side: .new)
    }
    return Set(answer.output.split(separator: "\0").map(String.init))
  }

  /// A path from the repository's root. Nothing for one outside of it.
  private func path(of path: String) -> String? {
    guard !path.hasPrefix("/") else { return resolvedPath(of: path) }
    let inside = (folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? place.prefix) + path
    var components: [Substring] = []
    for component in inside.split(separator: "/") where component != "." {
      if component == ".." {
        // It leads out of the repository, and may lead back into it: by the repository's name, or by a link.
        guard components.popLast() != nil else { return resolvedPath(of: path) }
      } else {
        components.append(component)
      }
    }
    return components.joined(separator: "/")
  }

  /// The path from the repository's root of a file of the work tree, with links resolved. Nothing for one outside of it.
  private func resolvedPath(of path: String) -> String? {
    let resolved = FileSystem().identity(of: path)
    if resolved == place.root { return "" }
    guard resolved.hasPrefix(place.root + "/") else { return nil }
    return String(resolved.dropFirst(place.root.count + 1))
  }

  func identity(of path: String) -> String {
    self.path(of: path) ?? FileSystem().identity(of: path)
  }

  func bytes(_ path: String) throws(SourceReadError) -> [UInt8] {
    // What is in no repository has no other version.
    guard let inside = self.path(of: path) else { return try FileSystem().read(path) }
    guard !commit.isEmpty || staged.contains(inside) else { throw .notFound }
    return try objects.read("\(commit):\(inside)")
  }

  func exists(_ path: String) throws(CheckInputError) -> Bool {
    do {
      _ = try bytes(path)
      return true
    } catch {
      if case .unreadable(let reason) = error { throw CheckInputError(message: "cannot read \(path): \(reason)") }
      return false
    }
  }

  func isFolder(_ path: String) throws(CheckInputError) -> Bool? {
    do {
      _ = try bytes(path)
      return false
    } catch {
      return try list(below: path).isEmpty ? nil : true
    }
  }

  func schemas(below path: String) throws(CheckInputError) -> [String] {
    let start = path.hasSuffix("/") ? path : path + "/"
    let found = try list(below: path).filter(Self.isSchema).map { start + $0 }
    guard commit.isEmpty, found.isEmpty else { return found }
    throw CheckInputError(message: "there is no schema (.fbs) in \(path) of git's index", side: .new)
  }

  /// All files below a folder, as paths from it. A commit that does not have the folder has none.
  private func list(below path: String) throws(CheckInputError) -> [String] {
    guard let inside = self.path(of: path) else {
      throw CheckInputError(message: "\(path) is not in the git repository \(place.root)")
    }
    let files: [String]
    if commit.isEmpty {
      let start = inside.isEmpty ? "" : inside + "/"
      files = staged.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    } else {
      let tree = inside.isEmpty ? commit : "\(commit):\(inside)"
      let answer = try Git.run(["ls-tree", "-r", "-z", "--name-only", "--end-of-options", tree])
      guard answer.isSuccess else { return [] }
      files = answer.output.split(separator: "\0").map(String.init)
    }
    return files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

import FBSSchema
import Foundation

/// The repository that the current folder is in.
struct GitPlace {
  let root: String
  /// The path of the current folder from the repository's root, ending with a slash; empty for the root itself.
  let prefix: String
  /// The path of the file with the patterns of a sparse checkout, from the folder in which git runs.
  private let sparsePatterns: String

  init() throws(InputError) {
    let place = try Git.run(["rev-parse", "--show-toplevel", "--show-prefix", "--git-path", "info/sparse-checkout"])
    guard place.isSuccess else {
      let isBare = try Git.run(["rev-parse", "--is-bare-repository"]).output.hasPrefix("true")
      throw InputError(
        message: isBare
          ? "this git repository is bare, so that there are no files to check: run dflatc in a clone of it"
          : "git does not take the current folder for a repository: \(place.complaint)")
    }
    let lines = place.output.split(separator: "\n", omittingEmptySubsequences: false)
    root = String(lines.first ?? "")
    prefix = lines.count > 1 ? String(lines[1]) : ""
    sparsePatterns = lines.count > 2 ? String(lines[2]) : ""
  }

  /// Whether the repository has the patterns of a sparse checkout. Without them, git leaves no file out of the work
  /// tree. Git keeps them after the sparse checkout was ended.
  var hasSparsePatterns: Bool {
    guard !sparsePatterns.isEmpty else { return false }
    let folder = Git.folder ?? FileManager.default.currentDirectoryPath
    let path = sparsePatterns.hasPrefix("/") ? sparsePatterns : folder + "/" + sparsePatterns
    return FileManager.default.fileExists(atPath: path)
  }

  /// Returns whether HEAD is a branch without a commit.
  func isBeforeFirstCommit() throws(InputError) -> Bool {
    if try Git.run(["rev-parse", "--verify", "--quiet", "HEAD"]).isSuccess { return false }
    return try Git.run(["symbolic-ref", "--quiet", "HEAD"]).isSuccess
  }

  /// Returns the root of the repository that a file is in; nil if there is none, or if it is the current folder's
  /// repository.
  func otherRoot(of path: String) throws(InputError) -> String? {
    try otherRoot(ofFolder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Returns the root of the repository that a folder is in; nil if there is none, or if it is the current folder's
  /// repository.
  func otherRoot(ofFolder folder: String) throws(InputError) -> String? {
    let answer = try Git.run(["rev-parse", "--show-toplevel"], in: folder)
    let other = answer.output.trimmingCharacters(in: .newlines)
    return answer.isSuccess && other != root ? other : nil
  }
}

/// The files of a commit, or of the index, by their paths from the current folder. They are read from git's objects:
/// the work tree is neither read nor changed.
struct GitTree: InputFiles {
  let place: GitPlace
  var includeFolders: IncludeFolders?
  /// The commit; empty for the index, which git writes as `:a/b.fbs`.
  private let commit: String
  private let folder: String?
  private let objects: GitObjects
  private let submodules: GitSubmodules
  /// The links of the index. Of a commit, those in the folders that were listed.
  private let links: GitLinks
  /// The files of the index, by their paths from the repository's root. Empty for a commit.
  private let staged: Set<String>
  /// The files of the index with a merge conflict, by their paths from the repository's root. The index has up to three
  /// versions of such a file, and none to commit.
  private let conflicted: Set<String>

  /// Reads the files of a commit.
  init(commit reference: GitReference, _ place: GitPlace) throws(InputError) {
    self.place = place
    guard let commit = try Git.commit(reference.name) else {
      let isShallow = try Git.run(["rev-parse", "--is-shallow-repository"]).output.hasPrefix("true")
      throw InputError(
        message: "there is no git commit \(reference.name)"
          + (isShallow
            ? ": this clone is shallow; `git fetch --unshallow`, or `fetch-depth: 0` of actions/checkout, gets the rest"
            : "; `git fetch` gets what is elsewhere"))
    }
    self.commit = commit
    folder = reference.folder
    staged = []
    conflicted = []
    objects = try GitObjects(followsLinks: true)
    links = GitLinks(objects)
    submodules = GitSubmodules(root: place.root, commit: self.commit, objects)
  }

  /// Stands for HEAD before the first commit: it has no files.
  init(emptyIn place: GitPlace) throws(InputError) {
    self.place = place
    commit = try Self.emptyTree()
    folder = nil
    staged = []
    conflicted = []
    objects = try GitObjects(followsLinks: true)
    links = GitLinks(objects)
    submodules = GitSubmodules(root: place.root, commit: self.commit, objects)
  }

  /// Reads the index: the files of the next commit.
  init(index place: GitPlace) throws(InputError) {
    self.place = place
    commit = ""
    folder = nil
    objects = try GitObjects(followsLinks: false)
    links = GitLinks(objects)
    submodules = GitSubmodules(root: place.root, commit: "", objects)
    let entries = try Self.staged(in: place)
    staged = Set(entries.map(\.path))
    conflicted = Set(entries.filter(\.isConflicted).map(\.path))
    addLinks(among: entries)
  }

  /// A file of a commit or of the index, by its path from the repository's root or from the listed folder.
  private struct Entry {
    let path: String
    let id: String
    let isLink: Bool
    var isConflicted = false
  }

  /// Returns the files that git would commit. `git add -N` adds a file to the index without content, which no commit
  /// has.
  private static func staged(in place: GitPlace) throws(InputError) -> [Entry] {
    // From the root, since git names files from the current folder.
    let answer = try Git.run(
      ["-C", place.root, "diff-index", "--cached", "--ita-invisible-in-index", "--raw", "-z", emptyTree()])
    guard answer.isSuccess else {
      throw InputError(message: "cannot read git's index: \(answer.complaint)", version: .new)
    }
    // An entry is `:000000 100644 ID ID A` with the modes and ids of both sides, and then the path. `U` instead of `A`
    // stands for a merge conflict.
    let parts = answer.output.split(separator: "\0")
    return stride(from: 0, to: parts.count - 1, by: 2).map { index in
      let words = parts[index].split(separator: " ")
      return Entry(
        path: String(parts[index + 1]), id: words.count > 3 ? String(words[3]) : "",
        isLink: words.count > 1 && words[1] == linkMode, isConflicted: words.last == "U")
    }
  }

  private static let linkMode = "120000"

  /// Adds the links among the files, without reading them.
  /// - Parameter folder: the folder that the paths start from, with a slash behind it; empty for the repository's root.
  private func addLinks(among entries: [Entry], below folder: String = "") {
    for entry in entries where entry.isLink { links.add(folder + entry.path, id: entry.id) }
  }

  /// Returns the id of the tree without files, which every repository has.
  private static func emptyTree() throws(InputError) -> String {
    // Standard input is empty.
    try Git.run(["hash-object", "-t", "tree", "--stdin"]).output.trimmingCharacters(in: .newlines)
  }

  /// The folder that contains all files, as a path from the current folder: the root of the repository. If a folder of
  /// the commit was named, its files are all below the current folder.
  var wholeFolder: String {
    let steps = place.prefix.split(separator: "/").map { _ in ".." }
    return folder != nil || steps.isEmpty ? "." : steps.joined(separator: "/")
  }

  /// Returns the name to show for a file of the commit: `main:a/b.fbs`, which `git show` takes in any folder. A file
  /// outside of the repository keeps its path.
  /// - Parameter name: the commit, as people write its name.
  func shownPath(of path: String, in name: String) -> String {
    self.path(of: path).map { "\(name):\($0)" } ?? path
  }

  /// Returns the path of a file from the repository's root; nil for a file outside of it.
  private func path(of path: String) -> String? {
    guard !path.hasPrefix("/") else {
      let resolved = resolvedPath(of: path)
      // What lies in the current folder lies in the named folder of the commit, also by its absolute path.
      guard folder != nil, let resolved, resolved.hasPrefix(place.prefix) else { return resolved }
      return self.path(of: String(resolved.dropFirst(place.prefix.count)))
    }
    let inside = (folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? place.prefix) + path
    var components: [Substring] = []
    for component in inside.split(separator: "/") where component != "." {
      if component == ".." {
        // The path leads out of the repository, and may lead back into it: by the repository's name, or by a link.
        guard components.popLast() != nil else { return resolvedPath(of: path) }
      } else {
        components.append(component)
      }
    }
    return components.joined(separator: "/")
  }

  /// Returns the path of a file in the work tree from the repository's root, with links resolved; nil for a file
  /// outside of the repository.
  private func resolvedPath(of path: String) -> String? {
    let resolved = FileSystem().identity(of: path)
    if resolved == place.root { return "" }
    guard resolved.hasPrefix(place.root + "/") else { return nil }
    return String(resolved.dropFirst(place.root.count + 1))
  }

  /// The identity of a file in the repository is its path from the root, wherever the current folder is.
  var pathByIdentity: @Sendable (_ identity: String) -> String {
    let base = AbsolutePath("/" + (folder ?? place.prefix))
    return { identity in
      identity.hasPrefix("/")
        ? identity : AbsolutePath("/" + identity).relative(to: base).joined(separator: "/")
    }
  }

  func identity(of path: String) -> String {
    guard let inside = self.path(of: path) else { return FileSystem().identity(of: path) }
    do {
      return try links.resolved(inside) ?? inside
    } catch {
      // The file cannot be read either, and the error is reported then.
      return inside
    }
  }

  func bytes(_ path: String) throws(SourceReadError) -> [UInt8] {
    // A file in no repository has no other version.
    guard let inside = self.path(of: path) else { return try FileSystem().read(path) }
    return try content(of: inside)
  }

  /// Returns a path from the repository's root with the known links on it followed. Nil if they lead out of the
  /// repository, or in a circle.
  func resolved(_ inside: String) throws(SourceReadError) -> String? { try links.resolved(inside) }

  /// Returns the content of a file, given its path from the repository's root.
  func content(of inside: String) throws(SourceReadError) -> [UInt8] {
    // Git follows the links of a commit itself, and not those of the index.
    guard let target = commit.isEmpty ? try links.resolved(inside) : inside else {
      throw .unreadable(reason: "it is a link that leads to no file of the index")
    }
    if conflicted.contains(target) {
      throw .unreadable(reason: "it has a merge conflict: resolve it, and `git add` the file")
    }
    if !commit.isEmpty || staged.contains(target) {
      do {
        return try objects.read("\(commit):\(target)")
      } catch {
        guard error == .notFound else { throw error }
      }
    }
    guard let content = try submodules.read(target) else { throw .notFound }
    return content
  }

  func exists(_ path: String) throws(InputError) -> Bool {
    do {
      _ = try bytes(path)
      return true
    } catch {
      guard case .unreadable(let reason) = error else { return false }
      // A folder that a file has replaced since is no earlier version of the file. If it cannot be listed, the path cannot be read.
      if let files = try? list(below: path), !files.isEmpty { return false }
      throw InputError(message: "cannot read \(path): \(reason)")
    }
  }

  func isFolder(_ path: String) throws(InputError) -> Bool? {
    // Such a file cannot be read. It is there, and not removed.
    if let inside = self.path(of: path), conflicted.contains(inside) { return false }
    do {
      _ = try bytes(path)
      return false
    } catch {
      return try list(below: path).isEmpty ? nil : true
    }
  }

  func schemas(below path: String) throws(InputError) -> [String] {
    let start = path.hasSuffix("/") ? path : path + "/"
    return try list(below: path).filter(Self.isSchema).map { start + $0 }
  }

  /// Returns the paths of all files below a folder, relative to it. Empty if the commit does not have the folder.
  private func list(below path: String) throws(InputError) -> [String] {
    guard let inside = self.path(of: path) else {
      throw InputError(message: "\(path) is not in the git repository \(place.root)")
    }
    // A folder may be named by a link.
    let target: String
    do throws(SourceReadError) {
      target = try links.resolved(inside) ?? inside
    } catch {
      throw InputError(message: "cannot list \(path): \(error.description)")
    }
    var files: [String]
    if commit.isEmpty {
      let start = target.isEmpty ? "" : target + "/"
      files = staged.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    } else {
      let entries = try entries(below: inside)
      addLinks(among: entries, below: inside.isEmpty ? "" : inside + "/")
      files = entries.map(\.path)
    }
    files += try submodules.files(below: target)
    return files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the files of the commit below a folder, which a link may name. None if the commit does not have the folder.
  private func entries(below folder: String) throws(InputError) -> [Entry] {
    let tree: String?
    do throws(SourceReadError) {
      tree = try objects.folder("\(commit):\(folder)")
    } catch {
      throw InputError(message: "cannot list \(folder.isEmpty ? "." : folder): \(error.description)")
    }
    guard let tree else { return [] }
    // Without --full-tree, git would look for the current folder in the tree, and list nothing from a folder inside.
    let answer = try Git.run(["ls-tree", "-r", "-z", "--full-tree", tree])
    guard answer.isSuccess else {
      throw InputError(message: "cannot list \(folder.isEmpty ? "." : folder): \(answer.complaint)")
    }
    // An entry is `100644 blob ID`, a tab and the path.
    return answer.output.split(separator: "\0").compactMap { entry in
      let parts = entry.split(separator: "\t", maxSplits: 1)
      let words = parts[0].split(separator: " ")
      guard parts.count == 2, words.count == 3 else { return nil }
      return Entry(path: String(parts[1]), id: String(words[2]), isLink: words[0] == Self.linkMode)
    }
  }
}

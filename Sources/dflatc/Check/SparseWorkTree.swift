import FBSSchema
import Foundation

/// The work tree of a sparse checkout: the files on disk, and those that git leaves out of the work tree. Git takes a
/// file that it leaves out for unchanged, so that its content is read from the index.
struct SparseWorkTree: InputFiles {
  var includeFolders: IncludeFolders?
  private let disk = InputFileSystem()
  private let index: GitTree
  /// The files that are left out, by their paths from the repository's root.
  private let omitted: Set<String>
  /// The repository's root with links resolved, and a slash behind it.
  private let root: String

  /// Reads which files git leaves out of the work tree. Nil if it leaves none out.
  init?(_ place: GitPlace) throws(InputError) {
    guard place.hasSparsePatterns else { return nil }
    // From the root, since git lists the files below the folder in which it runs.
    let answer = try Git.run(["-C", place.root, "ls-files", "-t", "-s", "-z"])
    guard answer.isSuccess else {
      throw InputError(message: "cannot read git's index: \(answer.complaint)", version: .new)
    }
    // An entry is `S 100644 ID 0`, a tab and the path. `S` stands for the skip-worktree bit. A submodule may
    // have it, too: its mode is 160000, and the index has no content of it.
    let skipped = answer.output.split(separator: "\0").compactMap { entry -> String? in
      let parts = entry.split(separator: "\t", maxSplits: 1)
      guard parts.count == 2, parts[0].hasPrefix("S "), !parts[0].hasPrefix("S 160000 ") else { return nil }
      return String(parts[1])
    }
    guard !skipped.isEmpty else { return nil }
    omitted = Set(skipped)
    root = FileSystem().identity(of: place.root) + "/"
    index = try GitTree(index: place)
  }

  /// Returns the path with all links followed: a link on disk may lead to a file that is left out, and a link that is left
  /// out to a file on disk.
  func identity(of path: String) -> String {
    let identity = disk.identity(of: path)
    guard identity.hasPrefix(root), access(identity, F_OK) != 0 else { return identity }
    let inside = String(identity.dropFirst(root.count))
    // A link that was removed from disk leads nowhere, although the index has it. If a link cannot be read, the path
    // stays as it is, and reading the file reports the error.
    guard mayHaveLink(inside), let target = try? index.resolved(inside) else { return identity }
    return root + target
  }

  /// Returns whether a path from the repository's root leads through a link on disk, or through what is left out.
  private func mayHaveLink(_ inside: String) -> Bool {
    var path = Substring(inside)
    while true {
      let name = String(path)
      if omitted.contains(name) { return true }
      // An error tells that this is no link.
      if (try? FileManager.default.destinationOfSymbolicLink(atPath: root + name)) != nil { return true }
      guard let slash = path.lastIndex(of: "/") else { return false }
      path = path[..<slash]
    }
  }

  func bytes(_ path: String) throws(SourceReadError) -> [UInt8] {
    do {
      return try disk.bytes(path)
    } catch {
      guard error == .notFound, let inside = pathFromRoot(of: path) else { throw error }
      // An included path may lead through a folder that is left out, as `omitted/../a.fbs` does, or through a link that
      // is left out. The system finds no file there.
      if access(root + inside, F_OK) == 0 { return try disk.bytes(root + inside) }
      guard omitted.contains(inside) else { throw error }
      return try index.content(of: inside)
    }
  }

  func isFolder(_ path: String) throws(InputError) -> Bool? {
    if let isFolderOnDisk = try disk.isFolder(path) { return isFolderOnDisk }
    guard let inside = pathFromRoot(of: path) else { return nil }
    if let isFolderOnDisk = try disk.isFolder(root + inside) { return isFolderOnDisk }
    if omitted.contains(inside) { return false }
    return omitted.contains { $0.hasPrefix(inside + "/") } ? true : nil
  }

  func schemas(below folder: String) throws(InputError) -> [String] {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    let target = identity(of: folder)
    var found: [String] = []
    if disk.isFolderOnDisk(folder) {
      found = try disk.schemas(below: folder)
    } else if disk.isFolderOnDisk(target) {
      found = try disk.schemas(below: target).map { "\(start)\($0.dropFirst(target.count + 1))" }
    }
    guard let inside = pathFromRoot(of: folder) else { return found }
    let prefix = inside.isEmpty ? "" : inside + "/"
    let names = omitted.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    let known = Set(found)
    let others = names.filter(Self.isSchema).map { start + $0 }.filter { !known.contains($0) }
    return (found + others).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func committable(_ files: [String], below folder: String) throws(InputError) -> [String] {
    try disk.committable(files, below: folder)
  }

  /// Returns the path of a file or folder from the repository's root; nil if it is outside of the repository. Empty for
  /// the root itself.
  private func pathFromRoot(of path: String) -> String? {
    let identity = self.identity(of: path) + "/"
    guard identity.hasPrefix(root) else { return nil }
    return String(identity.dropFirst(root.count).dropLast())
  }
}

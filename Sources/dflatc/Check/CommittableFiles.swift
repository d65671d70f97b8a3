import FBSSchema

extension InputFileSystem {
  /// Returns those of the files below a folder that git tracks, or would add: none that it ignores, such as copies that
  /// a build has made, and none of another repository, such as a linked worktree. Files of submodules are kept. If git
  /// ignores the folder itself, all of its files are kept: whoever names it means them.
  func committable(_ files: [String], below folder: String) throws(InputError) -> [String] {
    let repository = try FolderInRepository(folder)
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    let ignored = try repository.ignoredPaths()
    let kept = files.filter { file in
      var path = "\(repository.inside)/\(file.dropFirst(start.count))".drop { $0 == "/" }
      while !ignored.contains(path) {
        guard let slash = path.lastIndex(of: "/") else { return true }
        path = path[..<slash]
      }
      return false
    }
    guard kept.isEmpty else { return kept }
    return try repository.isIgnored() ? files : kept
  }
}

/// A folder of the work tree, and the repository that it is in: that of the current folder, or another one, such as a
/// submodule.
private struct FolderInRepository {
  /// The folder, as the user has written it.
  private let folder: String
  private let root: String
  /// Whether the repository is another one than that of the current folder.
  private let isOther: Bool
  /// The path of the folder from the repository's root; empty for the root itself.
  let inside: String

  init(_ folder: String) throws(InputError) {
    self.folder = folder
    let place = try GitPlace()
    let files = FileSystem()
    let path = files.identity(of: folder)
    let other = try place.otherRoot(ofFolder: path)
    root = other ?? place.root
    isOther = other != nil
    let start = files.identity(of: root)
    guard path == start || path.hasPrefix(start + "/") else {
      throw InputError(message: "cannot list \(folder): it is not in the git repository \(root)", version: .new)
    }
    inside = String(path.dropFirst(start.count + 1))
  }

  /// Runs git in the repository's root. In a hook, GIT_DIR and GIT_INDEX_FILE may be paths from there, and with GIT_DIR
  /// alone, git would take any other folder for the root.
  private func git(_ arguments: [String]) throws(InputError) -> Git.Answer {
    try isOther ? Git.run(arguments, in: root) : Git.run(["-C", root] + arguments)
  }

  /// Returns the files of the folder that git ignores, and the folders of other repositories, as paths from the
  /// repository's root.
  ///
  /// Git is not asked for the files that it has: where the file system ignores case, it may write their names otherwise.
  func ignoredPaths() throws(InputError) -> Set<Substring> {
    let ignored = try untracked("--ignored")
    // A folder of another repository ends with a slash, and stands for all that it holds.
    let repositories = try untracked().filter { $0.hasSuffix("/") }
    return Set((ignored + repositories).map { $0.hasSuffix("/") ? $0.dropLast() : $0 })
  }

  private func untracked(_ options: String...) throws(InputError) -> [Substring] {
    let paths = inside.isEmpty ? [] : [":(literal)" + inside]
    let answer = try git(["ls-files", "-z", "--others", "--exclude-standard"] + options + ["--"] + paths)
    guard answer.isSuccess else {
      throw InputError(message: "cannot list \(folder): \(answer.complaint)", version: .new)
    }
    return answer.output.split(separator: "\0")
  }

  /// Returns whether git ignores the folder itself.
  func isIgnored() throws(InputError) -> Bool {
    guard !inside.isEmpty else { return false }
    // This command does not take `:(literal)`. It knows no wildcards, and no `:` is special after `./`.
    return try git(["check-ignore", "--quiet", "--no-index", "--", "./" + inside]).isSuccess
  }
}

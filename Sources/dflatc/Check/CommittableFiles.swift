extension InputFileSystem {
  /// Returns those of the files below a folder that git tracks, or would add: none that it ignores, such as copies that
  /// a build has made, and none of another repository, such as a linked worktree. Files of submodules are kept.
  func committable(_ files: [String], below folder: String) throws(InputError) -> [String] {
    let answer = try Git.run(["-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    guard answer.isSuccess else {
      throw InputError(message: "cannot list \(folder): \(answer.complaint)", version: .new)
    }
    // Git lists a submodule by its path. The path of another repository ends with a slash.
    let listed = Set(answer.output.split(separator: "\0"))
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    return files.filter { file in
      var path = file.dropFirst(start.count)
      while !listed.contains(path) {
        guard let slash = path.lastIndex(of: "/") else { return false }
        path = path[..<slash]
      }
      return true
    }
  }
}

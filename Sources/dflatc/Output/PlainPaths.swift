import FBSDiagnostics
import FBSSchema

extension SourceMap {
  /// Returns the files by other paths, with the same ids.
  func renamed(_ path: (String) -> String) -> SourceMap {
    var map = SourceMap()
    for file in files {
      _ = map.add(path: path(file.path), bytes: file.bytes, isOfBinarySchema: file.isOfBinarySchema)
    }
    return map
  }

  /// Returns the files by paths without folders that `..` leaves again. The include of `../a.fbs` makes such paths.
  /// Services that show findings beside the lines of a change know a file by its shortest path alone.
  func withPlainPaths() -> SourceMap { renamed(Self.plainPath) }

  private static func plainPath(_ path: String) -> String {
    guard path.split(separator: "/").contains("..") else { return path }
    let plain = SourcePath.normalized(path)
    // After a link, `..` leads elsewhere than the text says. A file of a commit alone has no number by either path.
    return FileNumber(path) == FileNumber(plain) ? plain : path
  }
}

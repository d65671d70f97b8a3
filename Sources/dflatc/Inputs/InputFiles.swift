import FBSSchema

/// A place where a command finds the files that it was given: this machine, a commit, or the index of git.
protocol InputFiles: SourceProvider {
  /// Returns the bytes of a file. For a binary schema, `read` returns its text instead.
  func bytes(_ path: String) throws(SourceReadError) -> [UInt8]
  /// Whether a path is a folder. Nil if there is no such file or folder.
  func isFolder(_ path: String) throws(InputError) -> Bool?
  /// The paths of the schemas below a folder, in an order that is the same on every machine. None if the folder has none.
  func schemas(below folder: String) throws(InputError) -> [String]
}

extension InputFiles {
  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    try SchemaText.text(of: try bytes(path), path: path)
  }

  /// Whether a file below a folder is one of its schemas. Hidden files and folders are skipped.
  static func isSchema(_ path: String) -> Bool {
    path.hasSuffix(".fbs") && !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }
}

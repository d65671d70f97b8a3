import FBSSchema

/// Where the files that a command names by path are: on this machine, in a commit, or in the index of git.
protocol InputFiles: SourceProvider {
  /// The content of a file. `read` gives its text, which is another one for a binary schema.
  func bytes(_ path: String) throws(SourceReadError) -> [UInt8]
  /// Whether a path is a folder. Nothing if there is no such file or folder.
  func isFolder(_ path: String) throws(InputError) -> Bool?
  /// The paths of the schemas below a folder, in an order that is the same on every machine. None if the folder has none.
  func schemas(below folder: String) throws(InputError) -> [String]
}

extension InputFiles {
  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    try SchemaText.text(of: try bytes(path), path: path)
  }

  /// Whether a file below a folder is one of its schemas: hidden files and folders are left alone.
  static func isSchema(_ path: String) -> Bool {
    path.hasSuffix(".fbs") && !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }
}

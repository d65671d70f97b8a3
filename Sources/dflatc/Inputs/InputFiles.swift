import FBSSchema

/// A place where a command finds the files that it was given: this machine, a commit, or the index of git.
protocol InputFiles: SourceProvider {
  /// The folders in which includes are looked for; nil if they are the same for every including file.
  var includeFolders: IncludeFolders? { get set }
  /// Returns the path of a file from the current folder, or its absolute path, given its identity.
  var pathByIdentity: @Sendable (_ identity: String) -> String { get }
  /// Returns the bytes of a file. For a binary schema, `read` returns its text instead.
  func bytes(_ path: String) throws(SourceReadError) -> [UInt8]
  /// Returns whether a path is a folder; nil if there is no such file or folder.
  func isFolder(_ path: String) throws(InputError) -> Bool?
  /// Returns the paths of the schemas below a folder, in an order that is the same on every machine.
  func schemas(below folder: String) throws(InputError) -> [String]
  /// Returns those of the files below a folder of a git repository that are in its next commit, or may be added to it.
  func committable(_ files: [String], below folder: String) throws(InputError) -> [String]
}

extension InputFiles {
  /// The identity of a file of this machine is a path.
  var pathByIdentity: @Sendable (_ identity: String) -> String {
    return { identity in identity }
  }

  /// Returns all of the files: a commit or the index has no others.
  func committable(_ files: [String], below folder: String) throws(InputError) -> [String] { files }

  func includePaths(of path: String) -> [String] { includeFolders?.before(common: path) ?? [] }

  /// Returns these files, whose includes are looked for in some folders.
  func including(from folders: IncludeFolders) -> Self {
    var files = self
    files.includeFolders = folders
    return files
  }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] { try readText(path).bytes }

  func readText(_ path: String) throws(SourceReadError) -> SourceText {
    let bytes = try bytes(path)
    return SchemaText.text(of: bytes, try SchemaText.binaryContent(of: bytes, path: path))
  }

  /// Returns whether a file below a folder counts as one of the folder's schemas. Files in hidden folders and hidden
  /// files do not.
  static func isSchema(_ path: String) -> Bool {
    path.hasSuffix(".fbs") && !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }
}

import FBSSchema
import Foundation

/// The files of this machine. Some may have other texts than on disk: the text of standard input, or texts that an
/// editor has not saved.
struct InputFileSystem: InputFiles, Sendable {
  /// The texts that replace those on disk, by the identities of files.
  private var texts: [String: [UInt8]]
  var includeFolders: IncludeFolders?
  /// The binary schemas that were read, of all copies of this value.
  let binarySchemas = ReadBinarySchemas()

  /// Creates the files of this machine.
  ///
  /// - Parameter texts: the texts that replace those on disk, by the identities of files.
  init(texts: [String: [UInt8]] = [:]) { self.texts = texts }

  /// Replaces the text of a file, which need not exist.
  mutating func replace(_ path: String, with text: [UInt8]) { texts[identity(of: path)] = text }

  private func text(of path: String) -> [UInt8]? { texts.isEmpty ? nil : texts[identity(of: path)] }

  func bytes(_ path: String) throws(SourceReadError) -> [UInt8] {
    if let text = text(of: path) { return text }
    return try FileSystem().read(path)
  }

  func readText(_ path: String) throws(SourceReadError) -> SourceText {
    let bytes = try bytes(path)
    let content = try SchemaText.binaryContent(of: bytes, path: path)
    if let content { binarySchemas[path] = content }
    return SchemaText.text(of: bytes, content)
  }

  func identity(of path: String) -> String { FileSystem().identity(of: path) }

  func isFolder(_ path: String) throws(InputError) -> Bool? {
    if text(of: path) != nil { return false }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    return isFolder.boolValue
  }

  /// Returns whether a path is a folder.
  func isFolderOnDisk(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  func schemas(below folder: String) throws(InputError) -> [String] {
    // The enumerator does not enter a folder that is a link itself.
    guard let enumerator = FileManager.default.enumerator(atPath: identity(of: folder)) else {
      throw InputError(message: "cannot read \(folder)")
    }
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    var found: [String] = []
    while let path = enumerator.nextObject() as? String {
      // Git's own folder may hold many files.
      if path.hasSuffix("/.git") || path == ".git" { enumerator.skipDescendants() }
      guard Self.isSchema(path) else { continue }
      // A folder or a pipe may have such a name, too, and reading a pipe would block. A broken link is reported when it
      // is read.
      var status = stat()
      if stat(start + path, &status) == 0 {
        guard status.st_mode & S_IFMT == S_IFREG else { continue }
      } else if path.unicodeScalars.contains("\u{FFFD}") {
        throw InputError(message: "cannot read \(start)\(path): its name is not UTF-8; give it another one")
      }
      found.append(start + path)
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

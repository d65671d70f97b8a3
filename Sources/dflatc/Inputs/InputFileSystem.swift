import FBSSchema
import Foundation

/// The files of this machine. The text of one file may be given instead: the text of standard input under a file's
/// name.
struct InputFileSystem: InputFiles, Sendable {
  var text: (path: String, bytes: [UInt8])?

  func bytes(_ path: String) throws(SourceReadError) -> [UInt8] {
    if let text, text.path == path || identity(of: text.path) == identity(of: path) { return text.bytes }
    return try FileSystem().read(path)
  }

  func identity(of path: String) -> String { FileSystem().identity(of: path) }

  func isFolder(_ path: String) throws(InputError) -> Bool? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    return isFolder.boolValue
  }

  /// Whether a path is a folder.
  func isFolderOnDisk(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  func schemas(below folder: String) throws(InputError) -> [String] {
    guard let enumerator = FileManager.default.enumerator(atPath: folder) else {
      throw InputError(message: "cannot read \(folder)")
    }
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    var found: [String] = []
    while let path = enumerator.nextObject() as? String {
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

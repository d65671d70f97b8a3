import FBSSchema
import Foundation

/// The files of this machine. The text of one may be given, as that of standard input is under the name of a file.
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
      // Folders may be called so, too, and pipes, which would have us wait. What leads nowhere is named when it is read.
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

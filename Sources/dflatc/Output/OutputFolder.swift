import Emitters
import Foundation

/// The folder into which generated files are written.
struct OutputFolder {
  /// The reason why a file could not be written.
  struct WriteError: Error {
    let path: String
    let reason: String
  }

  let path: String

  /// Prepares the files that differ from the existing ones. The others are not touched, so that builds stay
  /// incremental. Nothing changes yet.
  ///
  /// - Returns: nil when no file differs.
  func prepare(_ files: [GeneratedFile]) throws(WriteError) -> PreparedFiles? {
    let manager = FileManager.default
    var isFolder: ObjCBool = false
    if manager.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
      throw WriteError(path: path, reason: "it is a file, and the output goes to a folder")
    }
    try attempt(path) { try manager.createDirectory(atPath: path, withIntermediateDirectories: true) }
    // Done even if nothing differs: a run may have been killed before it changed anything.
    let paths = files.map { (path as NSString).appendingPathComponent($0.name) }
    for folder in Set(paths.map { $0.parentFolder }) {
      FileReplacement.removeAbandoned(in: folder)
    }
    let changed = files.filter { !FileSystem.holds($0.content, (path as NSString).appendingPathComponent($0.name)) }
    return changed.isEmpty ? nil : try PreparedFiles(changed, in: path)
  }

  /// Makes a folder with those around it, for a file at `path`.
  static func make(_ folder: String, for path: String) throws(WriteError) {
    if folder.isEmpty || access(folder, F_OK) == 0 { return }
    try make(folder.parentFolder, for: path)
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
      throw WriteError(path: path, reason: String(cString: strerror(errno)))
    }
  }

  /// Updates a file's time, for build tools that compare times. Creates the file if it is missing, and keeps its
  /// content.
  func touch(_ file: String) throws(WriteError) {
    if !path.isEmpty {
      try attempt(path) { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    }
    let descriptor = open(file, O_WRONLY | O_CREAT, 0o666)
    guard descriptor >= 0 else { throw WriteError(path: file, reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    guard futimens(descriptor, nil) == 0 else { throw WriteError(path: file, reason: String(cString: strerror(errno))) }
  }

  /// Calls `body`, and reports its error as one about `path`.
  func attempt<Result>(_ path: String, _ body: () throws -> Result) throws(WriteError) -> Result {
    do {
      return try body()
    } catch {
      throw WriteError(path: path, reason: Self.reason(for: error))
    }
  }

  /// Returns the system's own message for an error, which Foundation wraps, or else Foundation's.
  private static func reason(for error: any Error) -> String {
    let error = error as NSError
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(cause.code)))
    }
    return error.localizedDescription
  }
}

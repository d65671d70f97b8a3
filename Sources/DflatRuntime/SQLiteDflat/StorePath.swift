import CSQLite
import Foundation

/// Where the database file is, in the forms in which SQLite and the system ask for it.
struct StorePath {
  /// From the root of the file system, so that it goes on meaning the same file when the process changes its folder.
  let text: String

  init(_ path: String) {
    let isRelative = !path.isEmpty && path.utf8.first != UInt8(ascii: "/")
    let current = isRelative ? FileManager.default.currentDirectoryPath : ""
    text = current.isEmpty ? path : current + "/" + path
  }

  /// Whether SQLite would open another file: one that goes away when it is closed, or one whose name ends at the NUL.
  var isMisleading: Bool { text.isEmpty || text.utf8.contains(0) }

  /// The path such that SQLite takes it for one: names such as `:memory:` and `file:a` mean something else to it.
  var name: String { text.utf8.first == UInt8(ascii: "/") ? text : "./" + text }

  /// The file as one that nobody writes.
  var immutableURI: String {
    // An absolute path comes after an authority, of no bytes: or that would be in a path that begins with two slashes.
    var uri = name.utf8.first == UInt8(ascii: "/") ? "file://" : "file:"
    for byte in name.utf8 {
      switch byte {
      // All of these have two digits.
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        uri += "%" + String(byte, radix: 16, uppercase: true)
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri + "?immutable=1"
  }

  /// Whether nothing is at the path, in a folder that is there and may be looked into.
  var isMissing: Bool {
    var status = stat()
    guard stat(text, &status) != 0, errno == ENOENT else { return false }
    return stat(StorePath.folder(of: text), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether the file cannot be read because its folder cannot be written. If the path is a symbolic link, that is the
  /// folder of what it leads to: SQLite keeps its other files there.
  func isUnwritable(_ error: SQLiteError) -> Bool {
    guard error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY else { return false }
    let path = withoutLinks
    return !FileManager.default.isWritableFile(atPath: StorePath.folder(of: path))
      && !FileManager.default.fileExists(atPath: path + "-wal")
  }

  /// The file as it is now, to be opened as one that nobody writes.
  var unwrittenFile: UnwrittenFile { UnwrittenFile(withoutLinks) }

  private var withoutLinks: String {
    guard let resolved = realpath(text, nil) else { return text }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Foundation's own way to it traps on a path of slashes.
  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
  }
}

/// A file that SQLite is told nobody writes, since this process could not take part. Somebody else may, after all, and
/// then SQLite would go on showing what it has read before.
struct UnwrittenFile: Equatable {
  private let path: String
  private let version: Version

  private struct Version: Equatable {
    var device: UInt64 = 0
    var number: UInt64 = 0
    var size: Int64 = 0
    var seconds = 0
    var nanoseconds = 0
    /// Whether there is a log, which whoever writes makes.
    var hasLog = false
  }

  /// - Parameter path: the path, which leads to no symbolic link.
  init(_ path: String) {
    self.path = path
    version = UnwrittenFile.version(of: path)
  }

  /// Whether somebody has written the file, or is about to.
  var hasChanged: Bool { UnwrittenFile.version(of: path) != version }

  private static func version(of path: String) -> Version {
    var version = Version()
    var status = stat()
    if stat(path, &status) == 0 {
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      version.device = UInt64(truncatingIfNeeded: status.st_dev)
      version.number = UInt64(truncatingIfNeeded: status.st_ino)
      version.size = Int64(status.st_size)
      version.seconds = Int(time.tv_sec)
      version.nanoseconds = Int(time.tv_nsec)
    }
    version.hasLog = stat(path + "-wal", &status) == 0
    return version
  }
}

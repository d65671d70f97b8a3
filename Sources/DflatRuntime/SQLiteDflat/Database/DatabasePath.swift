import CSQLite
import Foundation

/// The path of the database file, in the forms that SQLite and the system need.
struct DatabasePath {
  /// The absolute path, so that it keeps its meaning when the process changes its working directory.
  let text: String

  init(_ path: String) {
    let isRelative = !path.isEmpty && path.utf8.first != UInt8(ascii: "/")
    let current = isRelative ? FileManager.default.currentDirectoryPath : ""
    text = current.isEmpty ? path : current + "/" + path
  }

  /// Whether SQLite would open another file than the path names: a temporary one, or one whose name ends at the NUL.
  var isMisleading: Bool { text.isEmpty || text.utf8.contains(0) }

  /// The path in a form that SQLite takes for a path: names such as `:memory:` and `file:a` have another meaning.
  var name: String { text.utf8.first == UInt8(ascii: "/") ? text : "./" + text }

  /// A URI that tells SQLite that no process writes the file.
  var immutableURI: String { uri("immutable=1") }

  /// A URI that tells SQLite to read the WAL index but not to write it.
  var readerURI: String { uri("readonly_shm=1") }

  private func uri(_ parameter: String) -> String {
    // An absolute path follows an empty authority. Without one, a path that begins with two slashes would be read as an
    // authority.
    var uri = name.utf8.first == UInt8(ascii: "/") ? "file://" : "file:"
    for byte in name.utf8 {
      switch byte {
      // All of these have two hexadecimal digits.
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        uri += "%" + String(byte, radix: 16, uppercase: true)
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri + "?" + parameter
  }

  /// Whether nothing is at the path, in a folder that exists and can be searched.
  var isMissing: Bool {
    var status = stat()
    guard stat(text, &status) != 0, errno == ENOENT else { return false }
    return stat(DatabasePath.folder(of: text), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns whether `error` means that the file cannot be read because this process cannot write its folder. If the
  /// path is a symbolic link, this is the folder of the link's target, where SQLite keeps the `-wal` and `-shm` files.
  func isUnwritable(_ error: SQLiteError) -> Bool {
    guard error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY else { return false }
    let path = withoutLinks
    return !FileManager.default.isWritableFile(atPath: DatabasePath.folder(of: path))
      && !FileManager.default.fileExists(atPath: path + "-wal")
  }

  /// Returns whether `error` means that the file has no log, which a reader does not create. Then everything is stored
  /// in the file itself.
  func lacksLog(_ error: SQLiteError) -> Bool {
    guard error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY else { return false }
    let path = withoutLinks
    return ["-wal", "-journal"].allSatisfy { !FileManager.default.fileExists(atPath: path + $0) }
  }

  /// The longest path, in bytes, that SQLite opens.
  private static let longestPath = 512

  /// Returns why SQLite cannot open the file, and what to do, which SQLite does not say; nil if the reason is unknown.
  func reason(for error: SQLiteError, isReader: Bool) -> String? {
    guard error.code == SQLITE_CANTOPEN else { return nil }
    let length = name.utf8.count
    if length > DatabasePath.longestPath {
      return "its path has \(length) bytes, and SQLite opens paths of up to \(DatabasePath.longestPath)"
    }
    let path = withoutLinks
    let files = FileManager.default
    let folder = DatabasePath.folder(of: path)
    if files.fileExists(atPath: path + "-wal"), !files.fileExists(atPath: path + "-shm"),
      isReader || !files.isWritableFile(atPath: folder)
    {
      return "to read the log \(path)-wal, SQLite makes \(path)-shm beside it, "
        + (isReader
          ? "and a reader makes no file: open and close the file once with a workspace that is a writer"
          : "in a folder that cannot be written: open and close the file once where its folder can be written")
    }
    return files.fileExists(atPath: folder) ? nil : "there is no folder \(folder)"
  }

  /// The current state of the file, to be opened as immutable.
  var immutableFile: ImmutableFile { ImmutableFile(withoutLinks) }

  /// The log and the WAL index beside the file, which a connection has opened.
  var openLogFiles: OpenLogFiles { OpenLogFiles(besides: withoutLinks) }

  /// The log beside the file.
  var logFile: LogFile { LogFile(besides: withoutLinks) }

  /// The paths of all files that the store may have.
  var storeFiles: [String] { DatabasePath.storeFiles(of: withoutLinks) }

  /// Returns the paths of all files that a store at a path without symbolic links may have.
  static func storeFiles(of path: String) -> [String] { ["", "-wal", "-shm", "-journal"].map { path + $0 } }

  /// Returns whether two paths lead to one file, or, as long as there is none, would do so.
  static func leadToOneFile(_ path: String, _ other: String) -> Bool {
    if let identity = FileIdentity(at: path), let otherIdentity = FileIdentity(at: other) {
      return identity == otherIdentity
    }
    func name(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }
    guard name(path).utf8.elementsEqual(name(other).utf8), let identity = FileIdentity(at: folder(of: path)) else {
      return false
    }
    return identity == FileIdentity(at: folder(of: other))
  }

  /// The identity of the file that is at the path now; nil if there is none.
  var identity: FileIdentity? { FileIdentity(at: text) }

  /// The path to which symbolic links lead, where SQLite keeps the `-wal` and `-shm` files. Where there is no file yet,
  /// SQLite makes it there.
  var withoutLinks: String {
    var path = text
    for _ in 0..<DatabasePath.mostLinks {
      if let resolved = realpath(path, nil) {
        defer { free(resolved) }
        return String(cString: resolved)
      }
      guard let target = DatabasePath.target(ofLink: path) else { return path }
      path = target.utf8.first == UInt8(ascii: "/") ? target : DatabasePath.folder(of: path) + target
    }
    return text
  }

  /// How many links to links the system follows.
  private static let mostLinks = 40

  /// Returns what a symbolic link holds; nil if there is none at the path.
  private static func target(ofLink path: String) -> String? {
    // The system's longest path has 4,096 bytes.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
    }
  }

  /// Returns the folder of a path. Foundation's function for it traps on a path of slashes.
  private static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
  }
}

/// The write-ahead log and its index, which SQLite keeps open as long as the database. If they are removed, SQLite does
/// not notice, and goes on writing to files that nobody will find.
struct OpenLogFiles {
  private let files: [(path: String, identity: FileIdentity)]

  /// Finds the log and the WAL index that are there now.
  /// - Parameter path: the path of the database file, without symbolic links.
  init(besides path: String) {
    files = ["-wal", "-shm"].compactMap { suffix in
      FileIdentity(at: path + suffix).map { (path + suffix, $0) }
    }
  }

  /// The path of the first of the two files that is no longer there; nil if both are.
  var movedFile: String? { files.first { FileIdentity(at: $0.path) != $0.identity }?.path }

  /// Whether another file has replaced one of the two.
  var areReplaced: Bool {
    files.contains { path, identity in FileIdentity(at: path).map { $0 != identity } ?? false }
  }
}

/// The identity of a file. It stays the same when the file is renamed.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Makes the identity of the file at a path; nil if there is none.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

import Foundation

/// How readers open a database file.
enum ReadAccess: Equatable {
  case readWrite(FileIdentity?)
  /// This process cannot write the file; another process may.
  case readOnly(FileIdentity?, LogFile)
  /// The folder cannot be written, so SQLite cannot make the files that coordinate readers and writers. If another process
  /// writes the file nevertheless, it is opened anew.
  case immutable(FileIdentity?, ImmutableFile)

  var immutableFile: ImmutableFile? {
    if case .immutable(_, let file) = self { file } else { nil }
  }

  /// The file that was opened.
  var file: FileIdentity? {
    switch self {
    case .readWrite(let file), .readOnly(let file, _), .immutable(let file, _): file
    }
  }

  /// Whether the file has to be opened anew to see what other processes have written, or are about to.
  var hasChanged: Bool {
    switch self {
    case .readWrite: false
    case .readOnly(_, let log): log.hasChanged
    case .immutable(_, let file): file.hasChanged
    }
  }
}

/// The write-ahead log beside a file that this process cannot write. The file's owner removes it when it closes the file, and
/// makes another one later, of which SQLite does not learn.
struct LogFile: Equatable {
  private let path: String
  private let identity: FileIdentity?
  /// The file itself, if there is no log.
  private let file: ImmutableFile?

  /// - Parameter path: the path of the database file, which leads to no symbolic link.
  init(besides path: String) {
    self.path = path + "-wal"
    identity = FileIdentity(at: self.path)
    file = identity == nil ? ImmutableFile(path) : nil
  }

  var hasChanged: Bool { file?.hasChanged ?? (FileIdentity(at: path) != identity) }
}

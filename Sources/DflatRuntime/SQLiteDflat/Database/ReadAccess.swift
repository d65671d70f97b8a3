import Foundation

/// How readers open a database file that has been opened. Readers that were opened by another one are closed: each time that
/// the file is opened makes an object of its own.
final class ReadAccess: Sendable {
  enum Mode {
    case readWrite(OpenLogFiles)
    /// This process cannot write the file; another process may.
    case readOnly(LogFile)
    /// The folder cannot be written, so SQLite cannot make the files that coordinate readers and writers. If another process
    /// writes the file nevertheless, it is opened anew.
    case immutable(ImmutableFile)
  }

  let mode: Mode
  /// The file that was opened.
  let file: FileIdentity?
  /// Whether other processes may do what is seen only when the file is opened anew.
  private let mayChange: Bool

  init(_ mode: Mode, of file: FileIdentity?) {
    self.mode = mode
    self.file = file
    if case .readWrite = mode { mayChange = false } else { mayChange = true }
  }

  /// The log and its index, where this process writes them.
  var logFiles: OpenLogFiles? {
    if case .readWrite(let files) = mode { files } else { nil }
  }

  var immutableFile: ImmutableFile? {
    if case .immutable(let file) = mode { file } else { nil }
  }

  /// Whether the file has to be opened anew to see what other processes have written, or are about to.
  var hasChanged: Bool { mayChange && isOutdated }

  private var isOutdated: Bool {
    switch mode {
    case .readWrite: false
    case .readOnly(let log): log.hasChanged
    case .immutable(let file): file.hasChanged
    }
  }
}

/// The write-ahead log beside a file that this process cannot write. The file's owner removes it when it closes the file, and
/// makes another one later, of which SQLite does not learn.
struct LogFile {
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

import Foundation

/// How readers open a database file that has been opened. Each opening makes a new object. Readers with an older object
/// are closed when they are returned.
final class ReadAccess: Sendable {
  enum Mode {
    case readWrite(OpenLogFiles)
    /// This process cannot write the file, but another process may.
    case readOnly(LogFile)
    /// The folder cannot be written, so SQLite cannot create the files that coordinate readers and writers. If another
    /// process still writes the file, it is opened anew.
    case immutable(ImmutableFile)
  }

  let mode: Mode
  /// The file that was opened.
  let file: FileIdentity?
  /// Whether other processes can make changes that show only when the file is opened anew.
  private let mayChange: Bool

  init(_ mode: Mode, of file: FileIdentity?) {
    self.mode = mode
    self.file = file
    if case .readWrite = mode { mayChange = false } else { mayChange = true }
  }

  /// The log and its index, if this process writes them; otherwise nil.
  var logFiles: OpenLogFiles? {
    if case .readWrite(let files) = mode { files } else { nil }
  }

  var immutableFile: ImmutableFile? {
    if case .immutable(let file) = mode { file } else { nil }
  }

  /// Whether a file that is opened as immutable has been written since, or is about to be.
  var isTorn: Bool { immutableFile?.hasChanged ?? false }

  /// Whether the file has to be opened anew, to show what other processes have written or are about to write.
  var hasChanged: Bool { mayChange && isOutdated }

  private var isOutdated: Bool {
    switch mode {
    case .readWrite: false
    case .readOnly(let log): log.hasChanged
    case .immutable(let file): file.hasChanged
    }
  }
}

/// The write-ahead log beside a file that this process cannot write. The owner of the file removes it when it closes
/// the file, and creates another one later. SQLite does not notice that.
struct LogFile {
  private let path: String
  private let identity: FileIdentity?
  /// The state of the file itself, if there is no log.
  private let file: ImmutableFile?

  /// Records which log is beside the file now.
  /// - Parameter path: the path of the database file, without symbolic links.
  init(besides path: String) {
    self.path = path + "-wal"
    identity = FileIdentity(at: self.path)
    file = identity == nil ? ImmutableFile(path) : nil
  }

  var hasChanged: Bool { file?.hasChanged ?? (FileIdentity(at: path) != identity) }
}

/// Why a backup, or a restoration, was refused or has failed. What the file system or SQLite refuses is a `SQLiteError`.
public enum BackupError: Error, Hashable, Sendable {
  /// There is a file at the destination, and it was not to be replaced.
  case destinationExists(path: String)
  /// The destination is one of the files of the store itself, maybe by a link.
  case destinationIsSource(path: String)
  /// The destination is a store that somebody has open; or another backup is being written to it.
  case destinationInUse(path: String)
  /// The file at the destination is no store, and is not replaced.
  case destinationIsNoStore(path: String)
  /// The file to copy was written while it was copied, and nothing keeps others from doing so.
  case sourceChanged(path: String)
  /// There is no folder for the destination.
  case noFolder(path: String)
  /// Nothing is stored: there is no file to copy.
  case nothingStored(path: String)
  /// The copy is damaged, and so is the file that was copied. With what SQLite has found.
  case damaged(path: String, finding: String)
}

extension BackupError: CustomStringConvertible {
  /// The error as an English text.
  public var description: String {
    switch self {
    case .destinationExists(let path): "There is a file at \(path): pass replacing: true to have it replaced."
    case .destinationIsSource(let path): "\(path) is a file of the store itself."
    case .destinationInUse(let path):
      "\(path) is open somewhere, or another backup is being written to it: close it, and try again."
    case .destinationIsNoStore(let path): "The file \(path) is no SQLite database, and is not replaced."
    case .sourceChanged(let path): "\(path) was written while it was copied: close it everywhere, and try again."
    case .noFolder(let path): "There is no folder \(path)."
    case .nothingStored(let path): "Nothing is stored in \(path)."
    case .damaged(let path, let finding): "\(path) is damaged, and was not copied: \(finding)"
    }
  }
}

/// How far a backup or a restoration has come.
public struct BackupProgress: Hashable, Sendable {
  /// The bytes that have been copied. When these are all, the copy is verified.
  public let copiedBytes: Int64
  /// The size of the store at the moment of the backup, in bytes.
  public let totalBytes: Int64

  /// From 0 to 1.
  public var fraction: Double { totalBytes > 0 ? Double(copiedBytes) / Double(totalBytes) : 1 }
}

/// Why a backup or a restoration was refused or has failed. Errors of the file system or of SQLite are a `SQLiteError`
/// instead.
///
/// ```swift
/// do {
///   try await workspace.backup(to: "Backup.sqlite3")
/// } catch BackupError.destinationExists(let path) {
///   print("\(path) is there already")
/// } catch BackupError.nothingStored {
///   print("there is nothing to back up")
/// }
/// ```
///
/// In every case, a store at the destination holds what it held before the call.
///
/// See also: ``SQLiteError``, Documentation/backup.md (What is refused?).
public enum BackupError: Error, Hashable, Sendable {
  /// There is a file at the destination, and `replacing` was false.
  case destinationExists(path: String)
  /// The destination is one of the files of the store itself, perhaps through a link, or the copy would be made in one of
  /// them.
  case destinationIsSource(path: String)
  /// The destination is a store that is open somewhere, or another backup is being written to it.
  case destinationInUse(path: String)
  /// The file at the destination is no SQLite database. It is not replaced.
  case destinationIsNoStore(path: String)
  /// The source was written while it was copied, and nothing can prevent other processes from doing so.
  case sourceChanged(path: String)
  /// The folder of the destination does not exist.
  case noFolder(path: String)
  /// Nothing is stored: there is no file to copy.
  case nothingStored(path: String)
  /// The copy is damaged, and so is the source. `finding` is what SQLite has found.
  case damaged(path: String, finding: String)
}

extension BackupError: CustomStringConvertible {
  /// The error as an English text.
  public var description: String {
    switch self {
    case .destinationExists(let path): "There is a file at \(path): pass replacing: true to have it replaced."
    case .destinationIsSource(let path):
      "\(path) is a file of the store itself, or needs one: choose another name or folder."
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

/// The progress of a backup or a restoration.
///
/// ```swift
/// try await workspace.backup(to: "Backup.sqlite3") { progress in
///   print("\(progress.copiedBytes) of \(progress.totalBytes) bytes")
/// }
/// ```
public struct BackupProgress: Hashable, Sendable {
  /// The bytes that have been copied. When all have been copied, the copy is verified.
  public let copiedBytes: Int64
  /// The size of the state of the store that is copied, in bytes.
  public let totalBytes: Int64

  /// The copied part of the total, from 0 to 1.
  public var fraction: Double { totalBytes > 0 ? Double(copiedBytes) / Double(totalBytes) : 1 }
}

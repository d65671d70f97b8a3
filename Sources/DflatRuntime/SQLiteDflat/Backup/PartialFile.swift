import CSQLite
import Foundation

/// The file in which a copy of a store is made. It gets its final name when it is complete and verified; otherwise it
/// is removed.
///
/// It is locked, so that only one copy at a time is made in it. The next copy overwrites what an interrupted process
/// has left. No other program makes files of this name, so that nothing else is overwritten.
final class PartialFile {
  let path: String
  private let destination: String
  private var descriptor: Int32 = -1

  /// Creates and locks the file.
  ///
  /// - Throws: `BackupError`, or `SQLiteError` if the file cannot be created.
  init(for destination: String) throws {
    self.destination = destination
    path = PartialFile.path(for: destination)
    guard FileManager.default.fileExists(atPath: PartialFile.folder(of: path)) else {
      throw BackupError.noFolder(path: PartialFile.folder(of: path))
    }
    while true {
      descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw failure(errno, "Making the copy") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw BackupError.destinationInUse(path: destination) }
      // Another copy may just have been given its final name.
      if isAtPath {
        guard hasOtherName else { break }
        // The file is a finished copy, and must not be emptied.
        guard unlink(path) == 0 else { throw failure(errno, "Making the copy") }
      }
      close(descriptor)
    }
    guard ftruncate(descriptor, 0) == 0 else { throw failure(errno, "Making the copy") }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // Another copy may be made at the path if somebody has moved this file away. What cannot be removed is overwritten
    // by the next copy.
    if isAtPath, flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
      for file in DatabasePath.storeFiles(of: path) { unlink(file) }
    }
    close(descriptor)
  }

  /// Whether the file that this object has opened is still the one at the path.
  private var isAtPath: Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else { return false }
    return FileIdentity(at: path) == FileIdentity(status)
  }

  /// Whether the file has another name, too: a process has given its copy the final name, and was killed before it
  /// removed this one.
  private var hasOtherName: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink > 1
  }

  /// Returns the path of the file in which a copy is made.
  static func path(for destination: String) -> String { destination + ".dflat-partial" }

  /// Writes the file to the disk, and gives it its final name. After that, `deinit` no longer removes it.
  ///
  /// - Parameter replacing: whether a file of this name is replaced.
  func finish(replacing: Bool) throws {
    guard fsync(descriptor) == 0 else { throw failure(errno, "Writing the copy") }
    // Otherwise the unfinished copy of another process would get the final name.
    guard isAtPath else { throw failure(ENOENT, "Naming the copy") }
    if replacing {
      guard rename(path, destination) == 0 else { throw failure(errno, "Naming the copy") }
    } else if link(path, destination) == 0 {
      unlink(path)
    } else {
      if errno == EEXIST { throw BackupError.destinationExists(path: destination) }
      // A file system without hard links.
      guard FileIdentity(at: destination) == nil else { throw BackupError.destinationExists(path: destination) }
      guard rename(path, destination) == 0 else { throw failure(errno, "Naming the copy") }
    }
    // Not before it has its name: another copy could lock the file, and empty it.
    close(descriptor)
    descriptor = -1
    let folder = open(PartialFile.folder(of: destination), O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    // Not all file systems can sync a folder. The name is then durable once the system writes it.
    fsync(folder)
    close(folder)
  }

  private func failure(_ number: Int32, _ purpose: String) -> SQLiteError {
    SQLiteError(
      extendedCode: number == ENOSPC ? SQLITE_FULL : SQLITE_CANTOPEN, message: String(cString: strerror(number)),
      purpose: purpose, path: path)
  }

  static func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }
}

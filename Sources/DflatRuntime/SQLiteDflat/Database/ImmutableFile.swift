import Foundation

/// The state of a file that SQLite was told is immutable, since this process cannot write the files that coordinate
/// readers and writers. Another process may still write it, and SQLite would then go on showing what it has read
/// before.
struct ImmutableFile: Equatable {
  private let path: String
  private let version: Version

  private struct Version: Equatable {
    var device: UInt64 = 0
    var number: UInt64 = 0
    var size: Int64 = 0
    var seconds = 0
    var nanoseconds = 0
    /// Whether there is a write-ahead log, which a writer creates.
    var hasLog = false
  }

  /// Records the present state of a file.
  /// - Parameter path: the path, without symbolic links.
  init(_ path: String) {
    self.path = path
    version = ImmutableFile.version(of: path)
  }

  /// Whether the file has been written since, or is about to be.
  var hasChanged: Bool { ImmutableFile.version(of: path) != version }

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

import Emitters
import Foundation

/// A hidden folder within the output folder, for files that are not finished: on the same file system, so that they can be
/// moved to their places.
///
/// It is locked as long as its process lives. So another run knows what a killed one left, and removes it, while two that run
/// side by side leave each other alone.
struct StagingFolder {
  private let path: String
  private let lock: Int32

  /// Makes the folder, and locks it.
  init(in output: String) throws(OutputFolder.WriteError) {
    for _ in 0..<Self.attempts {
      let name = "\(GeneratedFile.stagingPrefix)\(UUID().uuidString)"
      let path = (output as NSString).appendingPathComponent(name)
      guard mkdir(path, 0o700) == 0 else { throw Self.error(path) }
      let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard lock >= 0 else {
        // Another run may have found it before it was locked.
        if errno == ENOENT { continue }
        let error = Self.error(path)
        rmdir(path)
        throw error
      }
      if flock(lock, LOCK_EX) == 0, access(path, F_OK) == 0 {
        self.path = path
        self.lock = lock
        return
      }
      close(lock)
    }
    throw OutputFolder.WriteError(path: output, reason: "another process removes what is written there")
  }

  /// Where the new content of the file numbered `index` goes.
  func new(_ index: Int) -> String { "\(path)/new-\(index)" }

  /// Where its old content is kept until all is done.
  func old(_ index: Int) -> String { "\(path)/old-\(index)" }

  /// Removes the folder with all that is in it.
  func remove() {
    Self.remove(path)
    close(lock)
  }

  /// Removes the folders in `output` whose processes have ended.
  static func sweep(_ output: String) {
    // A folder that cannot be read is a matter for those who write to it.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: output)) ?? []
    where name.hasPrefix(GeneratedFile.stagingPrefix) {
      let path = (output as NSString).appendingPathComponent(name)
      let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard folder >= 0 else { continue }
      if flock(folder, LOCK_EX | LOCK_NB) == 0 { remove(path) }
      close(folder)
    }
  }

  private static func remove(_ path: String) {
    // What cannot be removed now is hidden, and the next run tries again.
    try? FileManager.default.removeItem(atPath: path)
  }

  private static func error(_ path: String) -> OutputFolder.WriteError {
    OutputFolder.WriteError(path: path, reason: String(cString: strerror(errno)))
  }

  /// How often another run may get in between making a folder and locking it.
  private static let attempts = 100
}

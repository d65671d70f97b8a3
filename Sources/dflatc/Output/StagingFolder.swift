import Emitters
import Foundation

/// A hidden folder within the output folder, for files that are not finished: on the same file system, so that they can be
/// moved to their places.
///
/// It is locked as long as its process lives. So another run knows what a killed one left, finishes that and removes it,
/// while two that run side by side leave each other alone.
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

  /// What else is kept in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes the folder with all that is in it.
  func remove() {
    // First what says that there is something to do.
    for direction in MoveJournal.Direction.allCases { unlink(file(direction.rawValue)) }
    // What cannot be removed now is hidden, and the next run tries again.
    try? FileManager.default.removeItem(atPath: path)
    close(lock)
  }

  /// Finishes what was begun in the folders in `output` whose processes have ended, and removes them.
  static func recover(in output: String) {
    // A folder that cannot be read is a matter for those who write to it.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: output)) ?? []
    where name.hasPrefix(GeneratedFile.stagingPrefix) {
      guard let folder = StagingFolder(abandoned: (output as NSString).appendingPathComponent(name)) else { continue }
      MoveJournal.finish(folder, in: output)
      folder.remove()
    }
  }

  /// Takes over a folder whose process has ended; nil when it has not, or the folder is somebody else's.
  private init?(abandoned path: String) {
    let lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard lock >= 0 else { return nil }
    self.path = path
    self.lock = lock
    var status = stat()
    guard fstat(lock, &status) == 0, status.st_uid == geteuid(), takeOver() else {
      close(lock)
      return nil
    }
  }

  /// Waits for a process that moves its files right now: two that move one file would leave either's.
  private func takeOver() -> Bool {
    for _ in 0..<Self.attempts {
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return access(path, F_OK) == 0 }
      guard MoveJournal.Direction.allCases.contains(where: { access(file($0.rawValue), F_OK) == 0 }) else {
        return false
      }
      usleep(20_000)
    }
    return false
  }

  private static func error(_ path: String) -> OutputFolder.WriteError {
    OutputFolder.WriteError(path: path, reason: String(cString: strerror(errno)))
  }

  /// How often another run may get in between making a folder and locking it, and how often one is waited for.
  private static let attempts = 100
}

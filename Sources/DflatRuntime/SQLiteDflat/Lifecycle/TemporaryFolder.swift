import DflatEngine
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder for one workspace. It is removed with the workspace, or when the process ends. If the process crashes, the
/// first process that creates another such folder removes it.
///
/// While its process lives, a file in the folder is locked. The system releases the lock in any case when the process
/// ends, so other processes can tell which folders are in use.
final class TemporaryFolder: Sendable {
  let path: String
  /// The descriptor of the locked file; -1 if the folder could not be created.
  private let lock: Int32

  private static let prefix = "dflat-temporary-"
  /// The prefix of the folder's name until the folder is locked.
  private static let unlockedPrefix = "making-"
  /// The age in seconds at which a folder without a lock counts as forgotten. The process that makes a folder locks it
  /// within milliseconds.
  private static let unlockedAge: Double = 3600

  /// The folders of this process. Unchecked because `lock` guards the variables.
  private final class Registry: @unchecked Sendable {
    private let lock = NSLock()
    /// The folders, with the processes that have created them: a forked child does not remove those of its parent.
    private var makers: [String: ForkDetector] = [:]
    private var isPrepared = false

    /// Adds a folder.
    ///
    /// - Returns: whether it is the first one.
    func insert(_ path: String) -> Bool {
      lock.withLock {
        defer { isPrepared = true }
        makers[path] = ForkDetector()
        return !isPrepared
      }
    }

    /// Removes a folder from the registry, but not from the disk.
    ///
    /// - Returns: whether the folder was registered, and was created by this process, not by the parent of a fork.
    func remove(_ path: String) -> Bool {
      guard let maker = lock.withLock({ makers.removeValue(forKey: path) }) else { return false }
      return !maker.isInChild
    }

    func removeAll() {
      for path in lock.withLock({ Array(makers.keys) }) where remove(path) { TemporaryFolder.delete(path) }
    }
  }

  private static let registry = Registry()

  /// Creates a folder. If that fails, there is none at `path`, and opening a file in it fails.
  init() {
    let root = FileManager.default.temporaryDirectory.path
    let name = TemporaryFolder.prefix + UUID().uuidString
    path = root + "/" + name
    // It has another name until it is locked, or another process might remove it.
    let unlocked = root + "/" + TemporaryFolder.unlockedPrefix + name
    var lock: Int32 = -1
    if mkdir(unlocked, 0o700) == 0 {
      lock = open(unlocked + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      if lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0 || rename(unlocked, path) != 0 {
        TemporaryFolder.delete(unlocked)
      }
    }
    self.lock = lock
    if TemporaryFolder.registry.insert(path) {
      atexit { TemporaryFolder.registry.removeAll() }
      TemporaryFolder.removeForgotten(in: root)
    }
  }

  deinit {
    remove()
    if lock >= 0 { close(lock) }
  }

  /// Removes the folder with all its contents, unless this was done before.
  func remove() {
    if TemporaryFolder.registry.remove(path) { TemporaryFolder.delete(path) }
  }

  // The next process tries again to remove what is left. The error is ignored, since nobody can be told.
  private static func delete(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// Removes the folders of crashed processes. If the system cannot list them, they stay until it can: a temporary
  /// store must not fail because of another one that is left over.
  private static func removeForgotten(in root: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in names where name.hasPrefix(unlockedPrefix + prefix) {
      // Without a date, the folder has just been removed by another process, or stays for the next one to look at.
      let attributes = try? FileManager.default.attributesOfItem(atPath: root + "/" + name)
      guard let date = attributes?[.modificationDate] as? Date else { continue }
      if -date.timeIntervalSinceNow > unlockedAge { delete(root + "/" + name) }
    }
    for name in names where name.hasPrefix(prefix) {
      let file = open(root + "/" + name + "/lock", O_RDWR | O_CLOEXEC)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { delete(root + "/" + name) }
      close(file)
    }
  }
}

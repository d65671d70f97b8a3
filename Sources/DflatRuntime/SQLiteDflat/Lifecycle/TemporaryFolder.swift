import DflatEngine
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder for one workspace, which goes away with it, or when the process ends. If the process crashes, the folder is removed by the
/// first process that makes another one.
///
/// While its process lives, a file in the folder is locked: the system gives the lock up in any case, so that nobody removes a folder that
/// is in use, and everybody can tell which is not.
final class TemporaryFolder: Sendable {
  let path: String
  /// The locked file; -1 if the folder could not be made.
  private let lock: Int32

  private static let prefix = "dflat-temporary-"

  /// The folders of this process. Unchecked because the variables are guarded by the lock.
  private final class Registry: @unchecked Sendable {
    private let lock = NSLock()
    /// With the processes that have made them: children do not remove what is their parent's.
    private var makers: [String: ForkDetector] = [:]
    private var isPrepared = false

    /// - Returns: whether it is the first folder.
    func insert(_ path: String) -> Bool {
      lock.withLock {
        defer { isPrepared = true }
        makers[path] = ForkDetector()
        return !isPrepared
      }
    }

    /// - Returns: whether the folder was there, and made by this process.
    func remove(_ path: String) -> Bool {
      guard let maker = lock.withLock({ makers.removeValue(forKey: path) }) else { return false }
      return !maker.isInChild
    }

    func removeAll() {
      for path in lock.withLock({ Array(makers.keys) }) where remove(path) { TemporaryFolder.delete(path) }
    }
  }

  private static let registry = Registry()

  /// Makes a folder. If that fails, there is none at `path`, and whoever opens a file in it gets an error.
  init() {
    let root = FileManager.default.temporaryDirectory.path
    let name = TemporaryFolder.prefix + UUID().uuidString
    path = root + "/" + name
    // Under another name until it is locked, or somebody else might remove it.
    let unlocked = root + "/making-" + name
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

  /// Removes the folder with all that is in it.
  func remove() {
    if TemporaryFolder.registry.remove(path) { TemporaryFolder.delete(path) }
  }

  // What cannot be removed is tried again by the next process; there is nobody to tell.
  private static func delete(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// Removes the folders of processes that have crashed. If the system does not list them, they stay until it does: a temporary store
  /// does not fail because of another one that is left over.
  private static func removeForgotten(in root: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let file = open(root + "/" + name + "/lock", O_RDWR | O_CLOEXEC)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { delete(root + "/" + name) }
      close(file)
    }
  }
}

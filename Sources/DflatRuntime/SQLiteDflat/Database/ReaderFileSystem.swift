import CSQLite
import Foundation

/// A copy of SQLite's interface to the file system (VFS) that cannot create, write or remove the files of a store.
/// Workspaces that are readers use it.
///
/// It is needed since SQLite creates a log where there is none, even for a connection that only reads.
enum ReaderFileSystem {
  /// The name by which SQLite finds the VFS; nil if SQLite has no memory to register it.
  static let name: String? = register() ? registeredName : nil

  private static let registeredName = "dflat-reader"

  /// The system's own VFS.
  // Unsafe to the compiler: SQLite never frees what it has registered, and nothing changes it.
  nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

  /// SQLite's flags of the files that belong to a store. Other files are temporary.
  private static let storeFiles =
    SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL

  private static func register() -> Bool {
    guard let system else { return false }
    // Never freed, since it stays registered.
    let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    copy.initialize(to: system.pointee)
    copy.pointee.zName = UnsafePointer(strdup(registeredName))
    copy.pointee.pNext = nil
    copy.pointee.xOpen = { _, name, file, flags, outFlags in
      guard let system = ReaderFileSystem.system, let open = system.pointee.xOpen else { return SQLITE_CANTOPEN }
      guard flags & ReaderFileSystem.storeFiles != 0 else { return open(system, name, file, flags, outFlags) }
      let reading = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
      return open(system, name, file, reading, outFlags)
    }
    copy.pointee.xDelete = { _, _, _ in SQLITE_READONLY }
    return sqlite3_vfs_register(copy, 0) == SQLITE_OK
  }
}

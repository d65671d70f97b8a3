#if os(Linux)
  import Foundation

  /// The locks that the process holds on the files of a store, as the system lists them.
  struct FileLocks {
    private let path: String

    /// - Parameter path: the database file.
    init(of path: String) { self.path = path }

    /// One line of `/proc/locks` for each lock. What threads of this process lock on other files is not told.
    var held: [String] {
      let inodes = Set(["", "-wal", "-shm", "-journal"].compactMap { FileLocks.inode(path + $0) })
      guard let text = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return ["/proc/locks"] }
      return text.split(separator: "\n").map(String.init).filter { line in
        // 1: POSIX  ADVISORY  WRITE 26844 fe:00:16296287 0 EOF
        line.split(separator: " ").contains { word in
          let parts = word.split(separator: ":")
          return parts.count == 3 && inodes.contains(String(parts[2]))
        }
      }
    }

    private static func inode(_ path: String) -> String? {
      var status = stat()
      return stat(path, &status) == 0 ? "\(status.st_ino)" : nil
    }
  }
#endif

#if os(Linux)
  import Foundation

  /// The locks on the files of a store, as the system lists them.
  struct FileLocks {
    private let path: String

    /// - Parameter path: the database file.
    init(of path: String) { self.path = path }

    private var files: [String] { ["", "-wal", "-shm", "-journal"].map { path + $0 } }

    /// One line of `/proc/locks` for each lock, of any process. What is locked on other files is not told.
    var held: [String] {
      let inodes = Set(files.compactMap(FileLocks.inode))
      guard let text = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return ["/proc/locks"] }
      return text.split(separator: "\n").map(String.init).filter { line in
        // 1: POSIX  ADVISORY  WRITE 26844 fe:00:16296287 0 EOF
        line.split(separator: " ").contains { word in
          let parts = word.split(separator: ":")
          return parts.count == 3 && inodes.contains(String(parts[2]))
        }
      }
    }

    /// The names of the files on which another process holds a lock that would keep this one from writing.
    ///
    /// It opens and closes the files, which ends the locks that this process itself holds on them: only a process that has no
    /// workspace of the store may ask for it.
    var thatKeepFromWriting: [String] {
      files.filter { file in
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
      }
    }

    private static func inode(_ path: String) -> String? {
      var status = stat()
      return stat(path, &status) == 0 ? "\(status.st_ino)" : nil
    }
  }
#endif

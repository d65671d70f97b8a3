import Foundation

/// What the system calls take that SQLite makes most: in nanoseconds, the medians of many.
///
/// Rows that save system calls look better where the calls are dear, as in some virtual machines and under tracing.
struct SystemCallCosts {
  /// A call that does nothing: `getppid`.
  let least: Double
  /// Locking a byte of a file, and unlocking it: what a read transaction takes.
  let locking: Double
  /// Reading 4 KiB that the system has in memory.
  let reading: Double
  /// Writing 4 KiB, and waiting until it is on the disk.
  let syncing: Double

  /// - Throws: if there can be no file in the folder.
  init(folder: URL) throws {
    let path = folder.appending(path: "system-calls").path
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw BenchmarkError(description: "\(path): \(String(cString: strerror(errno)))") }
    defer {
      close(file)
      unlink(path)
    }
    var bytes = [UInt8](repeating: 1, count: 4096)
    least = Self.nanoseconds(1_000) { getppid() >= 0 }
    syncing = Self.nanoseconds(1) { pwrite(file, &bytes, bytes.count, 0) == bytes.count && fsync(file) == 0 }
    reading = Self.nanoseconds(1_000) { pread(file, &bytes, bytes.count, 0) == bytes.count }
    locking = Self.nanoseconds(1_000) {
      var lock = flock()
      lock.l_type = numericCast(F_RDLCK)
      lock.l_whence = numericCast(SEEK_SET)
      lock.l_len = 1
      guard fcntl(file, F_SETLK, &lock) == 0 else { return false }
      lock.l_type = numericCast(F_UNLCK)
      return fcntl(file, F_SETLK, &lock) == 0
    }
  }

  /// The median of 21 batches of so many calls; NaN if one fails.
  private static func nanoseconds(_ count: Int, _ call: () -> Bool) -> Double {
    var batches: [Double] = []
    for _ in 0..<21 {
      let start = ContinuousClock.now
      for _ in 0..<count where !call() { return .nan }
      batches.append((ContinuousClock.now - start) / .nanoseconds(1) / Double(count))
    }
    return Spread(batches).median
  }
}

import Foundation

extension FileSystem {
  /// Replaces a file's content: whatever happens, either the old content is there or the new. Links stay links, and who
  /// may read the file stays the same.
  static func replace(_ path: String, with bytes: [UInt8]) throws(OutputFolder.WriteError) {
    let final = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    var status = stat()
    guard stat(final, &status) == 0 else { throw error(path) }
    // The folder decides who may put a file there; the file itself may say that nobody is to change it.
    guard access(final, W_OK) == 0 else { throw error(path) }
    let temporary = final + ".\(ProcessInfo.processInfo.processIdentifier).partial"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard file >= 0 else { throw error(path) }
    do throws(OutputFolder.WriteError) {
      try write(bytes, to: file, path)
      // Not affected by the mask that new files get.
      guard fchmod(file, status.st_mode & 0o7777) == 0 else { throw error(path) }
    } catch {
      close(file)
      unlink(temporary)
      throw error
    }
    guard close(file) == 0, rename(temporary, final) == 0 else {
      let failure = error(path)
      unlink(temporary)
      throw failure
    }
  }

  private static func write(_ bytes: [UInt8], to file: Int32, _ path: String) throws(OutputFolder.WriteError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw error(path) }
      written += count
    }
  }

  private static func error(_ path: String) -> OutputFolder.WriteError {
    OutputFolder.WriteError(path: path, reason: String(cString: strerror(errno)))
  }
}

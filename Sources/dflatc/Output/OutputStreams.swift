import Foundation

/// Devices, pipes and other outputs that take bytes one after the other. A rename would put a file in their place.
extension FileSystem {
  /// Returns whether a path leads to a device, a pipe or a socket, or names an open file of this process, such as
  /// `/dev/stdout`.
  static func isStream(_ path: String) -> Bool {
    if openFile(path) != nil { return true }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let kind = status.st_mode & S_IFMT
    return kind != S_IFREG && kind != S_IFDIR
  }

  /// Writes bytes into a device, a pipe or an open file.
  static func writeStream(_ bytes: [UInt8], to path: String) throws(OutputFolder.WriteError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(OutputFolder.WriteError) in try writeStream(bytes, to: path) }
    }.get()
  }

  /// Writes bytes into a device, a pipe or an open file.
  static func writeStream(_ bytes: UnsafeRawBufferPointer, to path: String) throws(OutputFolder.WriteError) {
    // An open file that is opened again by its path would be written from its start.
    let file = openFile(path).map { dup($0) } ?? open(path, O_WRONLY)
    guard file >= 0 else { throw writeError(path) }
    do throws(OutputFolder.WriteError) {
      try write(bytes, to: file, path)
    } catch {
      close(file)
      throw error
    }
    guard close(file) == 0 else { throw writeError(path) }
  }

  /// Writes all bytes to an open file.
  /// - Parameter path: the path, as errors show it.
  static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String) throws(OutputFolder.WriteError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = Foundation.write(file, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw writeError(path) }
      written += count
    }
  }

  /// Returns the system's last error, as one about a path.
  static func writeError(_ path: String) -> OutputFolder.WriteError {
    OutputFolder.WriteError(path: path, reason: String(cString: strerror(errno)))
  }

  /// Returns the number of the open file that a path names; nil for any other path.
  private static func openFile(_ path: String) -> Int32? {
    // Few outputs stand there, and many paths are asked about.
    guard path.hasPrefix("/dev/") || path.hasPrefix("/proc/") else { return nil }
    let components = AbsolutePath(path).components
    switch components {
    case ["dev", "stdin"]: return STDIN_FILENO
    case ["dev", "stdout"]: return STDOUT_FILENO
    case ["dev", "stderr"]: return STDERR_FILENO
    default:
      let folder = components.dropLast()
      guard folder == ["dev", "fd"] || folder == ["proc", "self", "fd"] else { return nil }
      return components.last.flatMap { Int32($0) }
    }
  }
}

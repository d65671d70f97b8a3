import FBSSchema
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

  /// Writes a new file at `path`. An error is told of `final`, for which it is meant.
  static func create(_ path: String, with bytes: [UInt8], for final: String) throws(OutputFolder.WriteError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard file >= 0 else { throw error(final) }
    do throws(OutputFolder.WriteError) {
      try write(bytes, to: file, final)
    } catch {
      close(file)
      throw error
    }
    guard close(file) == 0 else { throw error(final) }
  }

  /// Keeps the file at `path` under another name as well, as it is now.
  ///
  /// - Returns: whether there is such a file.
  static func keep(_ path: String, as copy: String) throws(OutputFolder.WriteError) -> Bool {
    if link(path, copy) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    // Some file systems have no second names.
    var status = stat()
    guard stat(path, &status) == 0 else { throw error(path) }
    // What is no file cannot be replaced: so it need not be kept.
    guard status.st_mode & S_IFMT == S_IFREG else { return true }
    do {
      try create(copy, with: try FileSystem().read(path), for: path)
    } catch let error as SourceReadError {
      throw OutputFolder.WriteError(path: path, reason: error.description)
    } catch let error as OutputFolder.WriteError {
      throw error
    } catch {
      throw OutputFolder.WriteError(path: path, reason: error.localizedDescription)
    }
    guard chmod(copy, status.st_mode & 0o7777) == 0 else { throw error(path) }
    return true
  }

  /// Whether the file at `path` is there and holds just these bytes. It is read piece by piece: outputs can be large.
  static func holds(_ bytes: [UInt8], _ path: String) -> Bool {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Int(status.st_size) == bytes.count else { return false }
    var piece = [UInt8](repeating: 0, count: min(bytes.count, 64 * 1024))
    var compared = 0
    while compared < bytes.count {
      let count = piece.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0, count <= bytes.count - compared,
        piece[..<count].elementsEqual(bytes[compared..<compared + count])
      else { return false }
      compared += count
    }
    return true
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

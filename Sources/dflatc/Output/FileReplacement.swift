import Emitters
import Foundation

/// New content for a file. It is written in full to a file beside it, which then replaces the file by a rename:
/// whatever happens, the file has the old or the new content. Links stay links, and permissions stay the same.
///
/// A device or a pipe stays what it is: the content is written into it.
struct FileReplacement {
  /// The path, as errors show it.
  private let path: String
  private let content: Content

  private enum Content {
    /// The hidden file with the new content, and the path that it is renamed to.
    case file(temporary: String, final: String)
    /// The bytes for a device or a pipe.
    case stream([UInt8])
  }

  /// Writes the new content of the file at `path`, which may be missing, to a hidden file beside it.
  init(_ path: String, with bytes: [UInt8]) throws(OutputFolder.WriteError) {
    self = try bytes.withUnsafeBytes { bytes in
      Result { () throws(OutputFolder.WriteError) in try Self(path, with: bytes) }
    }.get()
  }

  /// Writes the new content of the file at `path`, which may be missing, to a hidden file beside it.
  init(_ path: String, with bytes: UnsafeRawBufferPointer) throws(OutputFolder.WriteError) {
    self.path = path
    guard !FileSystem.isStream(path) else {
      content = .stream(Array(bytes))
      return
    }
    let final = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let folder = final.parentFolder
    let temporary = (folder as NSString).appendingPathComponent(
      "\(GeneratedFile.temporaryPrefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
    content = .file(temporary: temporary, final: final)
    var status = stat()
    let isThere = stat(final, &status) == 0
    if isThere {
      guard status.st_mode & S_IFMT != S_IFDIR else {
        throw OutputFolder.WriteError(path: path, reason: String(cString: strerror(EISDIR)))
      }
      // The folder's permissions decide who may replace a file, but a read-only file must not be changed.
      guard access(final, W_OK) == 0 else { throw FileSystem.writeError(path) }
    }
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, isThere ? 0o600 : 0o666)
    guard file >= 0 else { throw FileSystem.writeError(path) }
    do throws(OutputFolder.WriteError) {
      try FileSystem.write(bytes, to: file, path)
      // `fchmod` ignores the mask for new files.
      guard !isThere || fchmod(file, status.st_mode & 0o7777) == 0 else { throw FileSystem.writeError(path) }
    } catch {
      close(file)
      unlink(temporary)
      throw error
    }
    guard close(file) == 0 else {
      let failure = FileSystem.writeError(path)
      unlink(temporary)
      throw failure
    }
  }

  /// Whether the path is that of a device or a pipe, whose reader decides how long `commit` takes.
  var isStream: Bool {
    if case .stream = content { true } else { false }
  }

  /// Renames the new content to the path, or writes it into the device or pipe at the path.
  func commit() throws(OutputFolder.WriteError) {
    switch content {
    case .file(let temporary, let final):
      guard rename(temporary, final) == 0 else { throw FileSystem.writeError(path) }
    case .stream(let bytes): try FileSystem.writeStream(bytes, to: path)
    }
  }

  /// Removes the new content, unless `commit` has renamed it.
  func discard() {
    if case .file(let temporary, _) = content { unlink(temporary) }
  }

  /// Removes the files that killed processes have left in a folder. Their process ids are in the names.
  static func removeAbandoned(in folder: String) {
    // If the folder cannot be read, the code that writes to it reports that.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(GeneratedFile.temporaryPrefix) {
      let number = name.dropFirst(GeneratedFile.temporaryPrefix.count).prefix { $0 != "-" }
      guard let process = pid_t(number), process > 0, kill(process, 0) != 0, errno == ESRCH else { continue }
      unlink((folder as NSString).appendingPathComponent(name))
    }
  }
}

extension FileSystem {
  /// Replaces a file's content: whatever happens, the file has either the old content or the new.
  static func replace(_ path: String, with bytes: [UInt8]) throws(OutputFolder.WriteError) {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(OutputFolder.WriteError) in try replace(path, with: bytes) }
    }.get()
  }

  /// Replaces a file's content: whatever happens, the file has either the old content or the new. Bytes for a device or
  /// a pipe are written into it.
  static func replace(_ path: String, with bytes: UnsafeRawBufferPointer) throws(OutputFolder.WriteError) {
    // Not by a `FileReplacement`, which would copy the bytes.
    guard !isStream(path) else { return try writeStream(bytes, to: path) }
    // The hidden file is beside the file that links lead to.
    FileReplacement.removeAbandoned(in: URL(fileURLWithPath: path).resolvingSymlinksInPath().path.parentFolder)
    let replacement = try FileReplacement(path, with: bytes)
    do {
      try replacement.commit()
    } catch {
      replacement.discard()
      throw error
    }
  }

  /// Replaces the content of a file that was read. A device or a pipe has no content to replace.
  static func rewrite(_ path: String, with bytes: [UInt8]) throws(OutputFolder.WriteError) {
    guard !isStream(path) else {
      throw OutputFolder.WriteError(path: path, reason: "it is a device or a pipe: name a file, which can be rewritten")
    }
    try replace(path, with: bytes)
  }

  /// Returns whether the file at `path` exists and holds exactly these bytes. Reads the file piece by piece, since
  /// outputs can be large.
  static func holds(_ bytes: [UInt8], _ path: String) -> Bool {
    // To open a pipe would wait for its writer.
    guard !isStream(path) else { return false }
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
      guard count > 0, count <= bytes.count - compared, isEqual(piece, bytes, from: compared, count)
      else { return false }
      compared += count
    }
    return true
  }

  /// Returns whether the first `count` bytes of `piece` equal the bytes of `bytes` from `start`, which has as many.
  /// Uses `memcmp`, since whole outputs are compared, most of which are unchanged.
  private static func isEqual(_ piece: [UInt8], _ bytes: [UInt8], from start: Int, _ count: Int) -> Bool {
    piece[..<count].withUnsafeBytes { piece in
      bytes[start..<start + count].withUnsafeBytes { bytes in
        guard let first = piece.baseAddress, let second = bytes.baseAddress else { return count == 0 }
        return memcmp(first, second, count) == 0
      }
    }
  }
}

import FBSParser
import FBSSchema
import Foundation

/// The files of this machine, for a compilation to read.
struct FileSystem: SourceProvider {
  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw Self.error() }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Self.error() }
    guard status.st_size <= Parser.maximumSize else { throw .tooLarge }
    return try Self.readToEnd(file, expecting: Int(status.st_size))
  }

  /// Returns all bytes of standard input.
  static func readStandardInput() throws(SourceReadError) -> [UInt8] {
    try readToEnd(STDIN_FILENO, expecting: 0)
  }

  private static func readToEnd(_ file: Int32, expecting size: Int) throws(SourceReadError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    // Reads to the end of the file, and not to its size: a pipe has none, and a file may grow.
    // Filled with zeros first, and so no larger than the file.
    var chunk = [UInt8](repeating: 0, count: size > 0 ? min(size, chunkSize) : chunkSize)
    while true {
      let count = chunk.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw error() }
      if count == 0 { return bytes }
      // A pipe or device may have no end at all.
      guard bytes.count + count <= Parser.maximumSize else { throw .tooLarge }
      bytes += chunk[..<count]
    }
  }

  func identity(of path: String) -> String {
    if let place = Self.realPath(path.isEmpty ? "." : path) { return place }
    // There is no such file. The links of the nearest folder that exists are followed.
    let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    for count in names.indices.reversed() {
      let start = names[..<count].joined(separator: "/")
      let folder = path.utf8.first == UInt8(ascii: "/") ? "/" + start : start.isEmpty ? "." : start
      guard let found = Self.realPath(folder) else { continue }
      var place = found.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
      for name in names[count...] where name != "." {
        if name == ".." { _ = place.popLast() } else { place.append(name) }
      }
      return "/" + place.joined(separator: "/")
    }
    return path
  }

  /// Returns the absolute path of a file without links; nil if there is no such file.
  ///
  /// A schema may include thousands of files: Foundation's `resolvingSymlinksInPath` takes four times as long.
  private static func realPath(_ path: String) -> String? {
    guard let place = realpath(path, nil) else { return nil }
    defer { free(place) }
    let resolved = String(cString: place)
    // On macOS, /tmp and /var are links into /private, which Foundation leaves out of paths.
    guard resolved.hasPrefix("/private/") else { return resolved }
    let short = String(resolved.dropFirst("/private".count))
    return FileNumber(short) == FileNumber(resolved) ? short : resolved
  }

  /// Returns the symbolic links that a path leads through, in order, each by its own path without links.
  func links(on path: String) -> [String] {
    let whole = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    var ahead = Array(whole.split(separator: "/").map(String.init).reversed())
    var place: [String] = []
    var links: [String] = []
    while let name = ahead.popLast() {
      guard name != "." else { continue }
      guard name != ".." else {
        _ = place.popLast()
        continue
      }
      let here = "/" + (place + [name]).joined(separator: "/")
      guard links.count < Self.maximumLinks,
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: here)
      else {
        place.append(name)
        continue
      }
      links.append(here)
      if target.hasPrefix("/") { place = [] }
      ahead += target.split(separator: "/").map(String.init).reversed()
    }
    return links
  }

  /// The most links that Linux follows on one path.
  private static let maximumLinks = 40

  private static let chunkSize = 1 << 18

  private static func error() -> SourceReadError {
    errno == ENOENT ? .notFound : .unreadable(reason: String(cString: strerror(errno)))
  }
}

/// The number of a file, which is the same by each of its paths: through links, and where a file system ignores case.
struct FileNumber: Hashable {
  private let device: UInt64
  private let number: UInt64

  /// Reads the number of the file at a path; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }
}

extension String {
  /// The path of the folder that contains the path's file; empty for the current folder.
  ///
  /// Foundation's `deletingLastPathComponent` ends the process for a path of one character (Swift 6.3 on Linux).
  var parentFolder: String {
    let path = trailingSlashesDropped(self[...])
    // By bytes, as the system does: a slash before a combining character is no slash to Swift.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(trailingSlashesDropped(Substring(path.utf8[...slash])))
  }

  /// Returns a path without the slashes at its end. The root keeps its slash.
  private func trailingSlashesDropped(_ path: Substring) -> Substring {
    var path = path
    while path.count > 1, path.last == "/" { path = path.dropLast() }
    return path
  }
}

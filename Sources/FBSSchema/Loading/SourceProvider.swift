/// Why a file could not be read.
public enum SourceReadError: Error, Hashable, Sendable {
  /// There is no such file.
  case notFound
  /// The file exists, but the system refuses to read it, for this reason.
  case unreadable(reason: String)
  /// The file has more than `Parser.maximumSize` bytes, which nobody needs to read.
  case tooLarge
}

/// The text of a file, as a provider returns it.
public struct SourceText: Sendable {
  /// The bytes of the text.
  public let bytes: [UInt8]
  /// Whether the text was made of a binary schema, so that it names each type with its whole namespace.
  public let isOfBinarySchema: Bool

  /// Creates a text.
  public init(bytes: [UInt8], isOfBinarySchema: Bool = false) {
    self.bytes = bytes
    self.isOfBinarySchema = isOfBinarySchema
  }
}

/// A source of files: a file system, an editor's buffers, a test's dictionary.
public protocol SourceProvider {
  /// Returns the bytes of a file.
  /// - Throws: `SourceReadError` if the file cannot be read.
  func read(_ path: String) throws(SourceReadError) -> [UInt8]

  /// Returns the text of a file, and whether it was made of a binary schema. A provider of binary schemas implements it.
  /// - Throws: `SourceReadError` if the file cannot be read.
  func readText(_ path: String) throws(SourceReadError) -> SourceText

  /// Returns a name by which a file is the same however it is reached, such as its path with links and `..` resolved.
  /// It is also called for files that do not exist.
  func identity(of path: String) -> String

  /// Returns the folders in which the includes of one file are looked for, after the file's own and before those that all
  /// files share. None unless a provider implements it.
  func includePaths(of path: String) -> [String]
}

extension SourceProvider {
  /// Returns the text of a file that is no binary schema.
  public func readText(_ path: String) throws(SourceReadError) -> SourceText { SourceText(bytes: try read(path)) }

  /// Returns no folders: all files share theirs.
  public func includePaths(of path: String) -> [String] { [] }

  /// Returns the path with `.` and `..` resolved by its text alone.
  public func identity(of path: String) -> String {
    SourcePath.normalized(path)
  }
}

extension SchemaFile {
  /// The path as people are told it: without `./` and without folders that `..` leaves again.
  package var shownPath: String { SourcePath.normalized(path) }
}

/// Paths, as text: components with slashes between them.
package enum SourcePath {
  /// Returns a path without `.`, and without folders that `..` leaves again, by its text alone.
  package static func normalized(_ path: String) -> String {
    var components: [Substring] = []
    for component in path.split(separator: "/") where component != "." {
      if component == "..", let last = components.last, last != ".." {
        components.removeLast()
      } else if component != ".." || !path.hasPrefix("/") {
        components.append(component)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + components.joined(separator: "/")
  }

  /// Returns the path before its last slash, or an empty string.
  static func directory(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[..<$0] } ?? ""
  }

  /// Returns the folders, sorted so that those that share most of their path with a file come first: of two apps, a
  /// file is meant to include its own.
  static func nearest(to file: String, of folders: [String]) -> [String] {
    guard folders.count > 1 else { return folders }
    let own = directory(of: file).split(separator: "/")
    let shared = folders.map { folder in
      zip(own, folder.split(separator: "/")).prefix { $0 == $1 }.count
    }
    return folders.indices.sorted { (-shared[$0], $0) < (-shared[$1], $1) }.map { folders[$0] }
  }

  /// Returns the path of a name below a folder. Even a name that starts with a slash is below it, unless there is no
  /// folder.
  static func join(_ directory: some StringProtocol, _ name: String, isRoot: Bool = false) -> String {
    if directory.isEmpty { return isRoot ? "/" + name.drop { $0 == "/" } : name }
    return directory + (directory.hasSuffix("/") ? "" : "/") + name.drop { $0 == "/" }
  }
}

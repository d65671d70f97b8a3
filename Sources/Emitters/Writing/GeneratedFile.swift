/// A file to be written.
public struct GeneratedFile: Hashable, Sendable {
  /// The name within the output folder.
  public let name: String
  /// The bytes of the file: UTF-8 text.
  public let content: [UInt8]

  /// Creates a file of `content` called `name`.
  public init(name: String, content: [UInt8]) {
    self.name = name
    self.content = content
  }
}

extension GeneratedFile {
  /// The prefix of the names of files that the compiler has not finished.
  public static let temporaryPrefix = ".dflatc-"

  /// Returns the parts of a path, between the slashes. To Swift's `String`, a slash before a combining character is
  /// another character, but the system goes by bytes.
  static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
  }

  /// Returns whether a name is that of a file within the output folder, whatever else may be wrong with it.
  public static func isInside(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains(0) && !parts(of: name).contains { ["", ".", ".."].contains($0) }
  }

  /// Returns two files that cannot both be written: their names are the same, ignoring case, or one is a folder of the
  /// other. Returns nil if there are none.
  public static func collision(in files: [GeneratedFile]) -> (GeneratedFile, GeneratedFile)? {
    var taken: [String: GeneratedFile] = [:]
    for file in files {
      if let other = taken.updateValue(file, forKey: file.name.lowercased()) { return (other, file) }
    }
    for file in files {
      var folder = file.name.lowercased().utf8[...]
      while let slash = folder.lastIndex(of: UInt8(ascii: "/")) {
        folder = folder[..<slash]
        if let other = taken[String(Substring(folder))] { return (other, file) }
      }
    }
    return nil
  }
}

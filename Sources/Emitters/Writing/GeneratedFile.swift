/// A file to be written.
public struct GeneratedFile: Hashable, Sendable {
  /// Its name within the output folder.
  public let name: String
  /// Its bytes: UTF-8 text.
  public let content: [UInt8]

  /// A file of `content` called `name`.
  public init(name: String, content: [UInt8]) {
    self.name = name
    self.content = content
  }
}

extension GeneratedFile {
  /// What the names of files begin with that the compiler has not finished.
  public static let temporaryPrefix = ".dflatc-"

  /// Whether a name is that of a file within the output folder, whatever else may be wrong with it.
  public static func isInside(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains(0)
      && !name.split(separator: "/", omittingEmptySubsequences: false).contains { ["", ".", ".."].contains($0) }
  }

  /// Two of the files that cannot both be written: their names are the same, at least where case makes no difference, or
  /// one is a folder of the other.
  public static func collision(in files: [GeneratedFile]) -> (GeneratedFile, GeneratedFile)? {
    var taken: [String: GeneratedFile] = [:]
    for file in files {
      if let other = taken.updateValue(file, forKey: file.name.lowercased()) { return (other, file) }
    }
    for file in files {
      var folder = file.name.lowercased()[...]
      while let slash = folder.lastIndex(of: "/") {
        folder = folder[..<slash]
        if let other = taken[String(folder)] { return (other, file) }
      }
    }
    return nil
  }
}

import Foundation

/// A path, or a pattern of paths, as configurations write it.
///
/// Without a slash, or with one only at its end, it is the name of a file or folder at whatever depth, as in `.gitignore`. Otherwise it is a
/// path from the configuration's folder, or an absolute path below it. It stands for the file, or for all below the folder. `*` and `?` stand
/// for characters of a name, and `**` for any folders.
struct PathPattern: Hashable, Sendable {
  private let components: [String]
  private let isName: Bool

  /// Reads a pattern of a configuration in a folder. Nil for an absolute path that is not below the folder.
  init?(_ text: String, in folder: String) {
    guard text.hasPrefix("/") else {
      components = text.split(separator: "/").filter { $0 != "." }.map(String.init)
      isName = components.count == 1 && !text.hasPrefix("./")
      return
    }
    let path = AbsolutePath(text).components
    // The folder may have been reached through a link, and the pattern be written without it.
    let folders = [AbsolutePath(folder), AbsolutePath(FileSystem().identity(of: folder.isEmpty ? "." : folder))]
    guard let start = folders.first(where: { path.starts(with: $0.components) }) else { return nil }
    components = Array(path.dropFirst(start.components.count))
    isName = false
  }

  /// The components before the first one with `*` or `?`: everything that the pattern stands for lies there. Nil for a
  /// name, which stands for files at any depth.
  var start: [String]? { isName ? nil : Array(components.prefix { !$0.contains("*") && !$0.contains("?") }) }

  /// Returns whether the pattern stands for a path from the configuration's folder, or for a folder that holds the
  /// path.
  func matches(_ path: [String]) -> Bool {
    if isName { return path.contains { Self.matches($0[...], components[0][...]) } }
    // `.` is the configuration's folder: nothing outside of it is below it.
    if components.isEmpty { return path.first != ".." }
    return Self.matches(path[...], components[...])
  }

  private static func matches(_ path: ArraySlice<String>, _ pattern: ArraySlice<String>) -> Bool {
    // The rest of the path lies below a folder that the pattern names.
    guard let first = pattern.first else { return true }
    if first == "**" {
      let rest = pattern.dropFirst()
      return (path.startIndex...path.endIndex).contains { matches(path[$0...], rest) }
    }
    guard let name = path.first, matches(name[...], first[...]) else { return false }
    return matches(path.dropFirst(), pattern.dropFirst())
  }

  private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
    guard let first = pattern.first else { return name.isEmpty }
    if first == "*" {
      let rest = pattern.drop { $0 == "*" }
      if rest.isEmpty { return true }
      return name.indices.contains { matches(name[$0...], rest) }
    }
    guard let character = name.first, first == "?" || first == character else { return false }
    return matches(name.dropFirst(), pattern.dropFirst())
  }
}

/// Patterns with the folder from which their paths start.
struct PathScope: Hashable, Sendable {
  /// The folder, as an absolute path without links resolved.
  let folder: AbsolutePath
  let patterns: [PathPattern]

  /// The files and folders that hold everything that the patterns stand for; nil if a pattern is a name.
  var starts: [AbsolutePath]? {
    var starts: [AbsolutePath] = []
    for pattern in patterns {
      guard let start = pattern.start else { return nil }
      starts.append(AbsolutePath("/" + (folder.components + start).joined(separator: "/")))
    }
    return starts
  }

  /// Returns whether a pattern stands for a path, which is absolute or starts at the current folder.
  func contains(_ path: String) -> Bool {
    guard !patterns.isEmpty else { return false }
    let inner = AbsolutePath(path).relative(to: folder)
    return patterns.contains { $0.matches(inner) }
  }
}

/// A path from the root. Its `.` and `..` are resolved by its text alone, since the file may be in a commit.
struct AbsolutePath: Hashable, Sendable {
  let components: [String]

  /// The current folder, which does not change while the program runs.
  private static let current = FileManager.default.currentDirectoryPath

  /// Creates the path.
  /// - Parameter path: a path from the root, or from the current folder.
  init(_ path: String) {
    let whole = path.hasPrefix("/") ? path : Self.current + "/" + path
    var components: [String] = []
    for component in whole.split(separator: "/") where component != "." {
      if component == ".." { _ = components.popLast() } else { components.append(String(component)) }
    }
    self.components = components
  }

  /// The path from the current folder. It begins with `..` if it is not in that folder.
  var fromCurrentFolder: String { relative(to: AbsolutePath("")).joined(separator: "/") }

  /// Returns the names that lead from a folder to this path, with `..` for each step upwards.
  func relative(to folder: AbsolutePath) -> [String] {
    let common = zip(folder.components, components).prefix { $0 == $1 }.count
    return folder.components.dropFirst(common).map { _ in ".." } + components.dropFirst(common)
  }
}

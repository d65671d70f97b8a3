import Foundation

/// The path of an included file. Two versions have the same file if they have the same path.
struct IncludedPath {
  private let components: [String]
  private let isAbsolute: Bool

  /// Creates a path. Resolves `.` and `..` by the text alone, since the file may be in a commit.
  init(_ path: String) {
    var components: [String] = []
    for component in path.split(separator: "/").map(String.init) where component != "." {
      if component == "..", let last = components.last, last != ".." {
        components.removeLast()
      } else {
        components.append(component)
      }
    }
    self.components = components
    isAbsolute = path.hasPrefix("/")
  }

  var text: String { (isAbsolute ? "/" : "") + components.joined(separator: "/") }

  /// Returns the index of the first folder that holds the file; the number of folders if none does.
  func place(in folders: [String]) -> Int {
    folders.firstIndex { isBelow(IncludedPath($0)) } ?? folders.count
  }

  private func isBelow(_ folder: IncludedPath) -> Bool {
    folder.isAbsolute == isAbsolute && components.starts(with: folder.components)
  }

  /// Returns the path relative to the first of `folders` that holds the file. If none holds it, returns the path from
  /// the first folder to the file, with `..`, if the paths determine one.
  func relative(to folders: [String]) -> String {
    let folders = folders.map { IncludedPath($0) }.filter { $0.isAbsolute == isAbsolute }
    if let folder = folders.first(where: isBelow) {
      return components.dropFirst(folder.components.count).joined(separator: "/")
    }
    guard let folder = folders.first else { return text }
    let common = zip(folder.components, components).prefix { $0 == $1 }.count
    let rest = folder.components.dropFirst(common)
    guard !rest.contains("..") else { return text }
    return (rest.map { _ in ".." } + components.dropFirst(common)).joined(separator: "/")
  }
}

/// The symbolic links of a commit, or of the index, as far as they are known.
final class GitLinks {
  /// What the links hold, by their paths from the repository's root.
  private var targets: [String: String] = [:]

  /// The most links that are followed on one path: as many as Linux follows.
  private static let maximumLinks = 40

  /// Adds a link.
  /// - Parameters:
  ///   - path: the path of the link from the repository's root.
  ///   - target: the path that it holds.
  func add(_ path: String, to target: String) { targets[path] = target }

  /// Returns a path from the repository's root with each link on it replaced by what it leads to. Nil if the links lead
  /// out of the repository, or in a circle.
  func resolved(_ path: String) -> String? {
    guard !targets.isEmpty else { return path }
    var ahead = Array(path.split(separator: "/").reversed())
    var place: [Substring] = []
    var count = 0
    while let name = ahead.popLast() {
      guard name != "." else { continue }
      guard name != ".." else {
        guard place.popLast() != nil else { return nil }
        continue
      }
      place.append(name)
      guard let target = targets[place.joined(separator: "/")] else { continue }
      count += 1
      guard count <= Self.maximumLinks, !target.hasPrefix("/") else { return nil }
      place.removeLast()
      ahead += target.split(separator: "/").reversed()
    }
    return place.joined(separator: "/")
  }
}

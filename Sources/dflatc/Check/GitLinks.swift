import FBSSchema

/// The symbolic links of a commit, or of the index, as far as they are known.
final class GitLinks {
  /// The objects of the links, by their paths from the repository's root.
  private var ids: [String: String] = [:]
  /// The paths that links hold, by the objects. A link is read when a path first leads through it: in a partial clone,
  /// git may have to fetch each.
  private var targets: [String: String] = [:]
  private let objects: GitObjects

  /// The most links that are followed on one path: as many as Linux follows.
  private static let maximumLinks = 40

  /// Creates a list of links that is empty.
  /// - Parameter objects: reads the targets of the links.
  init(_ objects: GitObjects) { self.objects = objects }

  /// Adds a link.
  /// - Parameters:
  ///   - path: the path of the link from the repository's root.
  ///   - id: the object that holds its target.
  func add(_ path: String, id: String) { ids[path] = id }

  /// Returns a path from the repository's root with each link on it replaced by what it leads to. Nil if the links lead
  /// out of the repository, or in a circle.
  ///
  /// - Throws: `SourceReadError` if git cannot read a link on the path.
  func resolved(_ path: String) throws(SourceReadError) -> String? {
    guard !ids.isEmpty else { return path }
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
      guard let id = ids[place.joined(separator: "/")] else { continue }
      let target = try target(id)
      count += 1
      guard count <= Self.maximumLinks, !target.hasPrefix("/") else { return nil }
      place.removeLast()
      ahead += target.split(separator: "/").reversed()
    }
    return place.joined(separator: "/")
  }

  private func target(_ id: String) throws(SourceReadError) -> String {
    if let known = targets[id] { return known }
    let target = String(decoding: try objects.read(id), as: UTF8.self)
    targets[id] = target
    return target
  }
}

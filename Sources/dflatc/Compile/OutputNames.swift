import ArgumentParser
import FBSSchema
import Foundation

/// The names of inputs in their outputs. For `post.fbs` the output is `post_generated.swift`; for a path such as
/// `orders/post.fbs` it is `orders_post_generated.swift`.
///
/// A Swift module takes no two files of one name. So the names of inputs that have the same file name include their
/// folders. All other inputs keep their plain names, whatever is added beside them.
struct OutputNames {
  /// The name of each input, by its path.
  private(set) var names: [String: String] = [:]
  /// The file names that several inputs share, if none of their outputs has the plain name.
  private(set) var shared: [String] = []

  /// Finds the names.
  /// - Parameters:
  ///   - inputs: the paths of the inputs.
  ///   - folders: for each input found below a folder that was named, that folder.
  ///   - included: the inputs that were not named, but are included.
  ///   - root: the folder below which the name of each input is its path; nil for plain names.
  ///   - includePaths: the folders below which the names of included files are their paths if they are not below
  ///     `root`.
  /// - Throws: `ValidationError` if an input is not below `root`.
  init(
    _ inputs: [String], foundBelow folders: [String: String], included: Set<String>, root: String?,
    includePaths: [String]
  ) throws {
    if let root {
      let base = Self.components(of: root)
      for input in inputs {
        let path = Self.components(of: input)
        // An included file may stand in the folder of a library, say.
        let bases = [base] + (included.contains(input) ? includePaths.map(Self.components) : [])
        guard let base = bases.first(where: { path.starts(with: $0) && path.count > $0.count }) else {
          throw ValidationError(
            "\(input) is not below \(root), which --root names."
              + (included.contains(input)
                ? " It is compiled since it is included, and --gen-all is on: name a folder around it with -I, or leave it out with "
                  + "--exclude."
                : ""))
        }
        names[input] = path.dropFirst(base.count).joined(separator: "/")
      }
      return
    }
    // Some file systems ignore case in names.
    let groups = Dictionary(grouping: inputs) { Self.fileName(of: $0).lowercased() }
    for (name, group) in groups {
      guard group.count > 1 else {
        names[group[0]] = Self.fileName(of: group[0])
        continue
      }
      let paths = group.map(Self.components)
      let base = Self.base(of: group.map { folders[$0] }, paths)
      for (input, path) in zip(group, paths) {
        names[input] = path.dropFirst(base).joined(separator: "/")
      }
      if !paths.contains(where: { $0.count == base + 1 }) { shared.append(name) }
    }
    shared.sort()
  }

  /// Gives standard input the name `stdin.fbs`, for a run in which no path stands for it.
  mutating func nameStandardInput() { names["<stdin>"] = "stdin.fbs" }

  /// Returns the number of components of the base folder, below which the names of inputs with the same file name are
  /// their paths. It is the folder that was named, so that names stay the same if files come and go, or else the
  /// deepest folder that holds all of them.
  private static func base(of folders: [String?], _ paths: [[String]]) -> Int {
    if let folder = folders[0], folders.allSatisfy({ $0 == folder }) { return components(of: folder).count }
    var count = paths.map { $0.count - 1 }.min() ?? 0
    while !paths.allSatisfy({ $0.prefix(count) == paths[0].prefix(count) }) { count -= 1 }
    return count
  }

  private static func fileName(of path: String) -> String { components(of: path).last ?? path }

  private static func components(of path: String) -> [String] {
    URL(fileURLWithPath: path).standardizedFileURL.path.split(separator: "/").map(String.init)
  }
}

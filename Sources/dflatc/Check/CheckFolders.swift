import FBSSchema
import Foundation

/// The folders that two named versions stand in, and which files belong to which of them.
struct CheckFolders {
  private let old: Side
  private let new: Side

  private struct Side {
    /// The path as it was named, or that of the file's folder.
    let folder: String
    /// The names of the folders that lead to it from the root, with links resolved.
    let location: [Substring]
    /// The symbolic links on the way to it.
    let links: Set<String>
    let isFile: Bool
    /// The largest folder that holds this version and not the other one. Of two versions within one another, the outer one
    /// has its own folder, and what lies in the inner one's is not its own.
    var tree: [Substring] = []
    /// The folder that mirrors one of the other version, if both stand at the same path below these: `released/v1` and `.`
    /// for `released/v1/app/post.fbs` and `app/post.fbs`.
    var root: [Substring] = []

    init(_ path: String) {
      // What cannot be read was reported before.
      isFile = ((try? InputFileSystem().isFolder(path)) ?? nil) == false
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      folder = !isFile ? path : parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
      location = FileSystem().identity(of: folder).split(separator: "/")
      links = Set(FileSystem().links(on: folder))
    }

    func divided(from other: Side) -> Side {
      var side = self
      let shared = zip(location, other.location).prefix { $0 == $1 }.count
      side.tree = Array(location.prefix(shared + 1))
      let alike = zip(location.reversed(), other.location.reversed()).prefix { $0 == $1 }.count
      side.root = Array(location.dropLast(alike))
      return side
    }

    /// Whether a file is this version's rather than the other one's.
    func owns(_ file: [Substring], rather other: Side) -> Bool {
      if file.starts(with: tree), !file.starts(with: other.tree) || tree.count > other.tree.count { return true }
      // A folder around both versions belongs to none of them, unless the other one has the same file for itself.
      guard !file.starts(with: other.tree), file.starts(with: root) else { return false }
      let counterpart = other.root + file.dropFirst(root.count)
      return counterpart != file && FileManager.default.fileExists(atPath: "/" + counterpart.joined(separator: "/"))
    }
  }

  init(old: String, new: String) {
    let (first, second) = (Side(old), Side(new))
    self.old = first.divided(from: second)
    self.new = second.divided(from: first)
  }

  /// A file that one version includes and that belongs to the other one.
  struct SharedFile {
    let path: String
    /// The version that it belongs to.
    let owner: CheckedVersion
    /// Whether that version includes it as well.
    let isReadByBoth: Bool
  }

  /// An included file that one version has read, though it belongs to the other one. No change of it could be seen.
  /// - Parameter ownIncludePaths: Folders that only one version searches: what it reads there is meant.
  func sharedFile<Files>(
    old first: CheckInput<Files>, new second: CheckInput<Files>, ownIncludePaths: (old: [String], new: [String])
  ) -> SharedFile? {
    guard old.location != new.location else { return nil }
    for (input, other, own, owner, allowed, side) in [
      (first, second, old, new, ownIncludePaths.old, CheckedVersion.new),
      (second, first, new, old, ownIncludePaths.new, CheckedVersion.old),
    ] where !input.isBinary {
      let allowed = allowed.map { FileSystem().identity(of: $0).split(separator: "/") }
      for file in input.compilation.schema.files where !input.named.contains(file.id) {
        let identity = FileSystem().identity(of: file.path)
        let path = identity.split(separator: "/")
        guard !allowed.contains(where: path.starts(with:)) else { continue }
        // A link in the other version's tree may lead out of it, and elsewhere tomorrow.
        let links = FileSystem().links(on: file.path).filter { !own.links.contains($0) }
        let places = [path] + links.map { $0.split(separator: "/") }
        guard places.contains(where: { owner.owns($0, rather: own) }) else { continue }
        let isReadByBoth = other.compilation.schema.files.contains { FileSystem().identity(of: $0.path) == identity }
        return SharedFile(path: file.path, owner: side, isReadByBoth: isReadByBoth && !other.isBinary)
      }
    }
    return nil
  }

  /// The schemas that stand beside a version that is a file: their paths, and their names. What stands deeper may be other
  /// versions.
  func neighbours(isOld: Bool) -> [(path: String, key: String)] {
    let side = isOld ? old : new
    guard side.isFile, old.location != new.location,
      let names = try? FileManager.default.contentsOfDirectory(atPath: side.folder)
    else { return [] }
    return names.filter(InputFileSystem.isSchema).sorted().map { name in
      (side.folder == "." ? name : side.folder + name, name)
    }
  }
}

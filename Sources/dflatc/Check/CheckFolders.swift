import FBSSchema
import Foundation

/// The folders of two named versions, which decide which files belong to which version.
struct CheckFolders {
  private let old: Side
  private let new: Side

  private struct Side {
    /// The path as it was named, or the path of the file's folder.
    let folder: String
    /// The names of the folders from the root to `folder`, with links resolved.
    let location: [Substring]
    /// The symbolic links on the way to `folder`.
    let links: Set<String>
    let isFile: Bool
    /// The folder that belongs to this version alone: the outermost folder around it that does not contain the other
    /// version. If one version's folder contains the other's, it is that folder, without the files in the other's
    /// `tree`.
    var tree: [Substring] = []
    /// The folder below which this version has the same paths as the other version below its own `root`. For
    /// `released/v1/app/post.fbs` and `app/post.fbs`, the roots are `released/v1` and `.`.
    var root: [Substring] = []

    init(_ path: String) {
      // A version that cannot be read was reported before.
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

    /// Returns whether a file belongs to this version rather than to `other`.
    func owns(_ file: [Substring], rather other: Side) -> Bool {
      if file.starts(with: tree), !file.starts(with: other.tree) || tree.count > other.tree.count { return true }
      // A folder around both versions belongs to neither, unless the other version has the same file below its own
      // root.
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

  /// A file that one version includes although it belongs to the other version.
  struct SharedFile {
    let path: String
    /// The version that the file belongs to.
    let owner: CheckedVersion
    /// Whether both versions include the file.
    let isReadByBoth: Bool
  }

  /// Returns an included file that one version has read although it belongs to the other version; nil if there is none.
  /// Changes of such a file would go unnoticed.
  /// - Parameter ownIncludePaths: the folders that only one version searches. A file that a version reads there is read
  ///   on purpose.
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
        // A link in the other version's tree may lead out of it, and may lead elsewhere tomorrow.
        let links = FileSystem().links(on: file.path).filter { !own.links.contains($0) }
        let places = [path] + links.map { $0.split(separator: "/") }
        guard places.contains(where: { owner.owns($0, rather: own) }) else { continue }
        let isReadByBoth = other.compilation.schema.files.contains { FileSystem().identity(of: $0.path) == identity }
        return SharedFile(path: file.path, owner: side, isReadByBoth: isReadByBoth && !other.isBinary)
      }
    }
    return nil
  }

  /// Returns the paths and keys of the schemas in the folder of a version that is a file. Schemas in deeper folders are
  /// left out: they may be other versions.
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

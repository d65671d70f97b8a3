import FBSSchema
import Foundation

/// The folders that two named versions stand in: a folder that was named, or that of a file.
struct CheckFolders {
  private let old: Side
  private let new: Side

  private struct Side {
    /// The path as it was named, or that of the file's folder.
    let folder: String
    /// The same with links resolved, ending with a slash.
    let identity: String
    let isFile: Bool

    init(_ path: String) {
      // What cannot be read was reported before.
      isFile = ((try? CheckFileSystem().isFolder(path)) ?? nil) == false
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      folder = !isFile ? path : parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
      let resolved = FileSystem().identity(of: folder)
      identity = resolved.hasSuffix("/") ? resolved : resolved + "/"
    }
  }

  init(old: String, new: String) {
    self.old = Side(old)
    self.new = Side(new)
  }

  /// An included file that one version has read, though it belongs to the other one: it stands in the other one's folder.
  /// Of folders within one another, the inner one counts.
  /// - Parameter except: Folders that only this version searches: whatever is read there is meant.
  func fileOfOther<Files>(_ input: CheckInput<Files>, isOld: Bool, except: [String]) -> String? {
    guard !input.isBinary, old.identity != new.identity else { return nil }
    let (own, other) = isOld ? (old, new) : (new, old)
    let allowed = except.map { FileSystem().identity(of: $0) + "/" }
    return input.compilation.schema.files.first { file in
      guard !file.isInput else { return false }
      let path = FileSystem().identity(of: file.path)
      guard path.hasPrefix(other.identity), !allowed.contains(where: path.hasPrefix) else { return false }
      return !path.hasPrefix(own.identity) || other.identity.count > own.identity.count
    }?.path
  }

  /// The schemas that stand beside a version that is a file: their paths, and their names. What stands deeper may be other
  /// versions.
  func neighbours(isOld: Bool) -> [(path: String, key: String)] {
    let side = isOld ? old : new
    guard side.isFile, old.identity != new.identity,
      let names = try? FileManager.default.contentsOfDirectory(atPath: side.folder)
    else { return [] }
    return names.filter(CheckFileSystem.isSchema).sorted().map { name in
      (side.folder == "." ? name : side.folder + name, name)
    }
  }
}

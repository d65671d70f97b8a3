import FBSSchema
import Foundation

/// The files of one folder, by their names.
struct FolderProvider: SourceProvider {
  let folder: URL

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: folder.appending(path: path).path) else { throw .notFound }
    return Array(data)
  }
}

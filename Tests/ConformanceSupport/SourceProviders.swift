import FBSSchema
import Foundation

/// Files that are only texts, by their paths.
package struct SchemaTexts: SourceProvider {
  package var files: [String: [UInt8]]
  /// Files that are there and cannot be read, with the reason.
  package var unreadable: [String: String] = [:]

  package init(bytes files: [String: [UInt8]]) {
    self.files = files
  }

  package init(_ texts: [String: String]) {
    self.init(bytes: texts.mapValues { Array($0.utf8) })
  }

  package init(_ files: [(name: String, text: String)]) {
    self.init(Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) }))
  }

  package func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    if let reason = unreadable[path] { throw .unreadable(reason: reason) }
    guard let bytes = files[path] ?? files[identity(of: path)] else { throw .notFound }
    return bytes
  }
}

/// The files below a folder.
package struct SchemaFolder: SourceProvider {
  private let folder: URL

  package init(_ folder: URL) {
    self.folder = folder
  }

  package func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    let url = folder.appendingPathComponent(path)
    guard FileManager.default.fileExists(atPath: url.path) else { throw .notFound }
    do {
      return [UInt8](try Data(contentsOf: url))
    } catch {
      throw .unreadable(reason: "\(error)")
    }
  }
}

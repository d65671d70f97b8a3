import Emitters
import Foundation

extension OutputFolder {
  /// Returns the changes that writing the files would make: a unified diff for each file that would change, in their
  /// order.
  func differences(to files: [GeneratedFile]) throws(WriteError) -> [String] {
    var differences: [String] = []
    for file in files {
      let final = (path as NSString).appendingPathComponent(file.name)
      let old = try content(final)
      if old == file.content { continue }
      guard let new = String(bytes: file.content, encoding: .utf8), !file.content.contains(0),
        let oldText = String(bytes: old ?? [], encoding: .utf8)
      else {
        differences.append("Binary file \(final) would change\n")
        continue
      }
      // Texts that differ only in their last line break have no line that differs.
      let text = UnifiedDiff(from: oldText, to: new).text(oldName: old == nil ? "/dev/null" : final, newName: final)
      differences.append(text.isEmpty ? "\(final) would end with a line break\n" : text)
    }
    return differences
  }

  /// Returns the bytes of a file; nil if there is no such file.
  private func content(_ path: String) throws(WriteError) -> [UInt8]? {
    do {
      return try FileSystem().read(path)
    } catch {
      switch error {
      case .notFound: return nil
      case .unreadable, .tooLarge: throw WriteError(path: path, reason: error.description)
      }
    }
  }
}

import BinarySchemas
import Foundation

/// The binary schemas that were read as text, with what the text does not show. Any thread may add one.
final class ReadBinarySchemas: @unchecked Sendable {
  // Unchecked, since the lock guards it: every access goes through the subscript.
  private var contents: [String: BinarySchema.Content] = [:]
  private let lock = NSLock()

  /// The content of a binary schema, by the path that it was read from. Nil for a file that is none, or was not read.
  subscript(path: String) -> BinarySchema.Content? {
    get { lock.withLock { contents[path] } }
    set { lock.withLock { contents[path] = newValue } }
  }
}

import BinarySchemas
import FBSSchema

/// Returns the texts of schemas. A binary schema (.bfbs) has the text of a schema that means the same.
enum SchemaText {
  /// Returns whether a file is a binary schema, by its name or its content.
  static func isBinary(_ bytes: [UInt8], path: String) -> Bool {
    path.hasSuffix(".bfbs") || BinarySchema.isOne(bytes)
  }

  /// Returns the text of a file.
  /// - Parameter content: The content of the file if it is a binary schema.
  static func text(of bytes: [UInt8], _ content: BinarySchema.Content?) -> SourceText {
    content.map { SourceText(bytes: Array($0.text.utf8), isOfBinarySchema: true) } ?? SourceText(bytes: bytes)
  }

  /// Returns the content of a file that is a binary schema. Nil for another file.
  /// - Throws: `SourceReadError` for a binary schema that is damaged.
  static func binaryContent(
    of bytes: [UInt8], path: String
  ) throws(SourceReadError) -> BinarySchema.Content? {
    guard isBinary(bytes, path: path) else { return nil }
    do {
      return try BinarySchema.content(of: bytes)
    } catch {
      throw .unreadable(reason: error.description)
    }
  }

  /// The message of a command that does not accept a binary schema, because it needs the text itself.
  static let hasNoText = "it is a binary schema, which has no text of its own: name the .fbs that it was made of"

  /// The advice on how to make a binary schema with all attributes.
  static let howToHoldAttributes =
    "write it with `flatc -b --schema --bfbs-builtins`, or with `dflatc compile --emit bfbs`"
}

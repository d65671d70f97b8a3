import FBSSchema
import FlatBuffersCore

/// Reads binary schemas (.bfbs), ours and flatc's, into the text of a schema that means the same. The text is then
/// compiled like any other, so that what a hostile file claims is checked by the same rules, and findings have lines to
/// show.
///
/// A binary schema does not hold everything: plain comments, and the defaults of strings and vectors, are not in it, and
/// attributes need not be. What it says of layouts (sizes, alignments, offsets, ids) counts, whether or not an attribute says
/// so, too.
public enum BinarySchema {
  /// The reason why bytes are no binary schema.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason, as part of a sentence.
    public let description: String
  }

  /// The content of a binary schema.
  public struct Content: Sendable {
    /// The text of a schema that means the same.
    public let text: String
    /// Whether the binary schema holds the attributes of the language.
    public let builtinAttributes: BuiltinAttributes
    /// The enums that are taken for `bit_flags` because of their values, though no attribute says so.
    public let assumedBitFlags: [String]
    /// The fields whose default is a string, which no binary schema holds.
    public let lostDefaults: [String]
  }

  /// Whether bytes have the file identifier of a binary schema.
  public static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8 && bytes[4..<8].elementsEqual(identifier.utf8)
  }

  /// Reads a binary schema. The bytes are verified first: whatever they are, nothing is read outside of them.
  /// - Throws: `Failure`
  public static func content(of bytes: [UInt8]) throws(Failure) -> Content {
    let buffer = ByteBuffer(bytes)
    do {
      try buffer.verify(as: ReflectedSchema.self, fileIdentifier: identifier)
    } catch {
      if case .wrongFileIdentifier = error { throw Failure(description: "it is no binary schema (BFBS)") }
      throw Failure(description: "it is damaged: \(error)")
    }
    guard let schema = ReflectedSchema(root: buffer) else { throw Failure(description: "it is damaged") }
    // A limit, since a few bytes may be referred to many times. The text of an honest schema is shorter than its binary
    // form.
    var writer = BinarySchemaText(schema._table, limit: bytes.count * 16 + 10_000)
    return try writer.write()
  }

  /// Returns the text of a schema that means the same as a binary one.
  /// - Throws: `Failure`
  public static func text(of bytes: [UInt8]) throws(Failure) -> String { try content(of: bytes).text }

  private static let identifier = "BFBS"
}

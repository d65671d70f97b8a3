import FBSSchema
import FlatBuffersCore

/// Reads binary schemas (.bfbs), dflatc's and flatc's, into the text of a schema that means the same. The text is then
/// compiled like any other: the same rules check what a hostile file claims, and findings have lines to show.
///
/// A binary schema does not hold everything. Plain comments and the defaults of strings and vectors are missing, and
/// attributes may be. Layouts (sizes, alignments, offsets, ids) are taken from the binary schema itself, whether or not
/// attributes repeat them.
public enum BinarySchema {
  /// The reason why bytes are not a binary schema.
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
    /// The fields whose default is a string. Binary schemas do not hold such defaults.
    public let lostDefaults: [String]
  }

  /// Returns whether bytes have the file identifier of a binary schema.
  public static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8 && bytes[4..<8].elementsEqual(identifier.utf8)
  }

  /// Reads a binary schema. Verifies the bytes first, so that nothing is read outside of them, whatever they are.
  /// - Throws: `Failure` if the bytes are not a binary schema.
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
  /// - Throws: `Failure` if the bytes are not a binary schema.
  public static func text(of bytes: [UInt8]) throws(Failure) -> String { try content(of: bytes).text }

  private static let identifier = "BFBS"
}

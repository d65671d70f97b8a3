/// The reason why bytes are not a FlatBuffer of a table, or cannot be shown as JSON, with the field and the position.
public struct BufferFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of faults.
  public enum Reason: Hashable, Sendable {
    /// The buffer has only `count` bytes, too few for any FlatBuffer.
    case tooSmall(count: Int)
    /// The buffer has 2 GiB or more.
    case tooLarge(count: Int)
    /// The size prefix differs from the number of bytes after it.
    case wrongSizePrefix(stated: Int, actual: Int)
    /// The file identifier is not the schema's.
    case wrongIdentifier(found: [UInt8], expected: String)
    /// A value of `count` bytes reaches beyond the end of the buffer.
    case outOfBounds(count: Int)
    /// The position is not a multiple of the alignment.
    case misaligned(alignment: Int)
    /// An offset is zero, or leads out of the buffer.
    case invalidOffset
    /// The vtable of a table is outside of the buffer, or of odd size.
    case invalidVTable
    /// A required field is absent.
    case missingRequired
    /// A string has no zero byte after it.
    case unterminatedString
    /// A vector is longer than any buffer.
    case vectorTooLong
    /// A vector of unions has more or fewer types than values, or only one of the two.
    case mismatchedUnionVector
    /// Tables are nested deeper than this limit.
    case tooDeep(limit: Int)
    /// The buffer refers to more tables or elements than this limit, perhaps to the same ones again and again.
    case tooMuch(limit: Int)
    /// A union has a value, but no type.
    case untypedUnion
    /// A union's type code is not in the schema. A newer version of the schema may have written the data.
    case unknownMember(code: UInt64, union: String)
    /// A string is not valid UTF-8.
    case invalidUTF8
    /// A field of any form holds bytes that are no FlexBuffer.
    case invalidFlexBuffer
    /// The JSON would have more bytes than this limit.
    case textTooLarge(limit: Int)
  }

  /// The kind of the fault.
  public let reason: Reason
  /// The path of the field, such as `items[3].name`; empty for the root, or the buffer as a whole.
  public let path: String
  /// The position in bytes from the start of the buffer; nil for the buffer as a whole.
  public let position: Int?

  /// The fault with its location: `items[3].name, at byte 96: the string has no zero byte after it`.
  public var description: String {
    let place = [path.isEmpty ? nil : path, position.map { "at byte \($0)" }].compactMap { $0 }.joined(separator: ", ")
    return place.isEmpty ? reason.description : "\(place): \(reason)"
  }
}

extension BufferFault.Reason: CustomStringConvertible {
  /// The fault, as part of a sentence.
  public var description: String {
    switch self {
    case .tooSmall(let count): "\(count) bytes are too few for a FlatBuffer"
    case .tooLarge(let count): "\(count) bytes are too many: a FlatBuffer has less than 2 GiB"
    case .wrongSizePrefix(let stated, let actual): "the size prefix says \(stated) bytes, and \(actual) follow"
    case .wrongIdentifier(let found, let expected):
      "the file identifier is \(Self.quote(found)), and the schema's is \"\(expected)\""
    case .outOfBounds(let count): "\(count) byte\(count == 1 ? "" : "s") reach beyond the end of the buffer"
    case .misaligned(let alignment): "the position is not a multiple of \(alignment)"
    case .invalidOffset: "the offset is zero or leads out of the buffer"
    case .invalidVTable: "the table's vtable is outside of the buffer, or of odd size"
    case .missingRequired: "the field is required, and absent"
    case .unterminatedString: "the string has no zero byte after it"
    case .vectorTooLong: "the vector is longer than any buffer"
    case .mismatchedUnionVector: "there are not as many types as values"
    case .tooDeep(let limit): "tables stand more than \(limit) deep in one another"
    case .tooMuch(let limit): "the buffer leads to more than \(limit) tables or elements"
    case .untypedUnion: "the union has a value, and no type"
    case .unknownMember(let code, let union): "union \(union) has no member with the code \(code)"
    case .invalidUTF8: "the string is not valid UTF-8"
    case .invalidFlexBuffer: "the bytes are no FlexBuffer"
    case .textTooLarge(let limit): "the JSON would have more than \(limit) bytes"
    }
  }

  private static func quote(_ bytes: [UInt8]) -> String {
    bytes.allSatisfy { (0x20...0x7E).contains($0) }
      ? "\"\(String(decoding: bytes, as: UTF8.self))\""
      : bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}

/// The path from the root of an object to a value in it.
struct ValuePath {
  private enum Step {
    case field(String)
    case element(Int)
  }

  private var steps: [Step] = []

  mutating func enter(_ field: String) { steps.append(.field(field)) }
  mutating func enter(element: Int) { steps.append(.element(element)) }
  mutating func leave() { steps.removeLast() }

  /// The path as people write it: `items[3].name`.
  var text: String {
    var text = ""
    for step in steps {
      switch step {
      case .field(let name): text += text.isEmpty ? name : "." + name
      case .element(let index): text += "[\(index)]"
      }
    }
    return text
  }
}

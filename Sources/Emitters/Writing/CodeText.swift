/// A piece of generated code: a literal, or the result of an interpolation.
///
/// Emitters write hundreds of thousands of these. A `String` checks its content and its capacity at each append, which
/// takes several times as long as copying a few bytes. A `StaticString` is a pointer and a length, and counts no
/// references.
public struct CodeText: ExpressibleByStringInterpolation, Sendable {
  private let storage: Storage

  private enum Storage {
    /// A literal without interpolations.
    case literal(StaticString)
    /// A text that was a string.
    case string(String)
    /// The UTF-8 of an interpolation.
    case bytes([UInt8])
  }

  /// Creates the text of `string`.
  public init(_ string: String) { storage = .string(string) }

  /// Creates the text of a literal.
  public init(stringLiteral literal: StaticString) { storage = .literal(literal) }

  /// Creates the text of an interpolation.
  public init(stringInterpolation interpolation: StringInterpolation) { storage = .bytes(interpolation.bytes) }

  /// The number of bytes of UTF-8.
  var count: Int {
    switch storage {
    case .literal(let literal): literal.utf8CodeUnitCount
    case .string(let string): string.utf8.count
    case .bytes(let bytes): bytes.count
    }
  }

  /// Collects the parts of an interpolation.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    /// Reserves room for the literals, and for the longest common name at each interpolation: growing costs more than
    /// reserving.
    public init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + 32 * interpolationCount)
    }

    /// Appends a literal between interpolations.
    public mutating func appendLiteral(_ literal: StaticString) {
      literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a string.
    public mutating func appendInterpolation(_ string: String) { bytes.append(utf8Of: string) }

    /// Appends another piece of code.
    public mutating func appendInterpolation(_ text: CodeText) { bytes.append(text) }

    /// Appends a number or another value that describes itself. Not any value: Swift would look its names up by
    /// reflection.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      bytes.append(utf8Of: value.description)
    }
  }
}

extension [UInt8] {
  /// Appends a piece of code.
  mutating func append(_ text: CodeText) { text.append(to: &self) }

  /// Appends the UTF-8 of a string: with one copy, unless its characters come from an Objective-C string.
  mutating func append(utf8Of string: String) {
    if string.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil {
      append(contentsOf: string.utf8)
    }
  }
}

extension CodeText: CustomStringConvertible {
  /// The text, which is also the result of interpolating it into a string.
  public var description: String {
    switch storage {
    case .literal(let literal): literal.description
    case .string(let string): string
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }

  fileprivate func append(to result: inout [UInt8]) {
    switch storage {
    case .literal(let literal): literal.withUTF8Buffer { result.append(contentsOf: $0) }
    case .string(let string): result.append(utf8Of: string)
    case .bytes(let bytes): result.append(contentsOf: bytes)
    }
  }
}

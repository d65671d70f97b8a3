/// A piece of generated code: a literal, or what an interpolation has put together.
///
/// Emitters write hundreds of thousands of these. A `String` looks at each append what it holds and whether there is room, which
/// takes several times what it takes to copy some bytes.
public struct CodeText: ExpressibleByStringInterpolation, Sendable {
  /// The text if it is a literal or has been a string before; else empty.
  private let string: String
  /// The text if it is an interpolation, as UTF-8; else empty.
  private let bytes: [UInt8]

  /// The text of `string`.
  public init(_ string: String) {
    self.string = string
    bytes = []
  }

  /// The text of a literal.
  public init(stringLiteral literal: String) { self.init(literal) }

  /// The text of an interpolation.
  public init(stringInterpolation interpolation: StringInterpolation) {
    string = ""
    bytes = interpolation.bytes
  }

  /// How many bytes of UTF-8 the text has.
  var count: Int { string.utf8.count + bytes.count }

  /// Collects the parts of an interpolation.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    /// Room for the literals, and for as many names of common length as there are interpolations.
    public init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Appends a literal between interpolations.
    public mutating func appendLiteral(_ literal: String) { bytes.append(utf8Of: literal) }

    /// Appends a string.
    public mutating func appendInterpolation(_ string: String) { bytes.append(utf8Of: string) }

    /// Appends another piece of code.
    public mutating func appendInterpolation(_ text: CodeText) { bytes.append(text) }

    /// Appends a number or another value that describes itself. Not any value: Swift would look its names up by reflection.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      bytes.append(utf8Of: value.description)
    }
  }
}

extension [UInt8] {
  /// Appends a piece of code.
  mutating func append(_ text: CodeText) { text.append(to: &self) }

  /// Appends a string in one copy: what makes strings does so in contiguous memory.
  mutating func append(utf8Of string: String) {
    if string.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil {
      append(contentsOf: string.utf8)
    }
  }
}

extension CodeText: CustomStringConvertible {
  /// The text, which is what a string with an interpolation of it holds.
  public var description: String { string + String(decoding: bytes, as: UTF8.self) }

  fileprivate func append(to result: inout [UInt8]) {
    if bytes.isEmpty { result.append(utf8Of: string) } else { result.append(contentsOf: bytes) }
  }
}

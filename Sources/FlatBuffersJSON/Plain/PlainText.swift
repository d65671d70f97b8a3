import FBSParser
import FBSSchema

/// The error of a text that is not plain. The text has to be read as a tree, which reports mistakes and knows unusual
/// forms.
struct NotPlain: Error {}

/// Reads JSON token by token, without keeping the tokens. It knows the usual forms, with comments and both kinds of
/// quotes. Doc comments, and escapes in names, are not plain.
struct PlainText {
  private let text: UnsafeBufferPointer<UInt8>
  /// The text as an array, from whose slices string escapes are decoded.
  private let array: [UInt8]
  private let options: ObjectResolver.Options
  /// The offset of the byte to read next.
  var index = 0
  /// Whether names that are values must be in quotes.
  var needsQuotes: Bool

  /// Begins to read a text.
  ///
  /// - Parameter text: the bytes of `array`, which the caller keeps in place.
  init(_ text: UnsafeBufferPointer<UInt8>, of array: [UInt8], _ options: ObjectResolver.Options) {
    self.text = text
    self.array = array
    self.options = options
    needsQuotes = options.isStrict
    // A byte order mark.
    if array.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// Whether unknown fields of a table or struct are skipped.
  var ignoresUnknownFields: Bool { options.ignoresUnknownFields }

  // MARK: Bytes

  // Inlined for the benchmark row "50 MB as programs write it": each byte of the JSON is compared here, or by the
  // properties of `UInt8` below.
  /// The byte to read next; zero at the end, which begins no token.
  @inline(__always) private var byte: UInt8 { index < text.count ? text[index] : 0 }

  /// Skips blanks and comments, and returns the first byte of the next token.
  mutating func next() -> UInt8 {
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): index += 1
      case UInt8(ascii: "/"): guard skipComment() else { return text[index] }
      default: return text[index]
      }
    }
    return 0
  }

  /// Skips a comment. Returns false if the next bytes are no plain comment; then they begin no token either.
  private mutating func skipComment() -> Bool {
    guard index + 1 < text.count else { return false }
    let isBlock = text[index + 1] == UInt8(ascii: "*")
    // A doc comment is a mistake unless it begins its line.
    guard isBlock || text[index + 1] == UInt8(ascii: "/") else { return false }
    var end = index + 2
    if !isBlock, end < text.count, text[end] == UInt8(ascii: "/") { return false }
    while end < text.count, text[end] != 0 {
      switch text[end] {
      case UInt8(ascii: "\n") where !isBlock, UInt8(ascii: "\r") where !isBlock:
        index = end
        return true
      case UInt8(ascii: "*") where isBlock && end + 1 < text.count && text[end + 1] == UInt8(ascii: "/"):
        index = end + 2
        return true
      default: end += 1
      }
    }
    // The text may end with a line comment, but not within a block comment.
    guard !isBlock, end == text.count else { return false }
    index = end
    return true
  }

  /// Skips a character if it is next. Returns whether it was next.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next() == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func expect(_ character: Unicode.Scalar) throws(NotPlain) {
    guard take(character) else { throw NotPlain() }
  }

  /// Reads the comma or closing bracket after an entry of an object or list. Returns false if that entry was the last
  /// one.
  mutating func hasMore(before closing: Unicode.Scalar) throws(NotPlain) -> Bool {
    if take(closing) { return false }
    try expect(",")
    guard take(closing) else { return true }
    // A comma after the last entry.
    guard !options.isStrict else { throw NotPlain() }
    return false
  }

  /// Checks that only blanks and comments follow.
  mutating func expectEnd() throws(NotPlain) {
    _ = next()
    guard index == text.count else { throw NotPlain() }
  }

  /// Returns a slice of the text, which is valid while the text is.
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[range])
  }

  // MARK: Tokens

  /// Reads a name, or a word that is a value.
  mutating func word() throws(NotPlain) -> Range<Int> {
    let start = index
    guard byte.isWordStart else { throw NotPlain() }
    repeat { index += 1 } while byte.isWordPart
    return start..<index
  }

  /// Skips `null` if it is next. Returns whether it was next.
  mutating func takeNull() throws(NotPlain) -> Bool {
    guard next() == UInt8(ascii: "n") else { return false }
    let start = index
    if isWord("null", try word()) { return true }
    index = start
    return false
  }

  /// Skips `-inf` if it is next. Returns whether it was next.
  mutating func takeNegativeInfinity() -> Bool {
    guard index + 4 < text.count, isWord("-inf", index..<index + 4) else { return false }
    index += 4
    return true
  }

  /// Returns whether a range of the text is a given word.
  func isWord(_ word: StaticString, _ range: Range<Int>) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { bytes(range).elementsEqual($0) }
  }

  /// Reads a field's name, and the colon after it. Returns the range of the name without its quotes.
  ///
  /// - Throws: `NotPlain` for a name with escapes and, in strict JSON, for a name without quotes.
  mutating func key() throws(NotPlain) -> Range<Int> {
    let name: Range<Int>
    if next().isQuote {
      guard case .plain(let range) = try string() else { throw NotPlain() }
      name = range
    } else {
      guard !options.isStrict else { throw NotPlain() }
      name = try word()
    }
    try expect(":")
    return name
  }

  /// The content of a string.
  enum StringContent {
    /// A range of the text, for a string without escapes.
    case plain(Range<Int>)
    /// The bytes of a string with escapes.
    case decoded([UInt8])
  }

  /// Reads a string in double quotes, or in single ones if the text need not be strict.
  mutating func string() throws(NotPlain) -> StringContent {
    let quote = next()
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") && !options.isStrict else { throw NotPlain() }
    index += 1
    let start = index
    var hasEscapes = false
    var isASCII = true
    while index < text.count {
      let byte = text[index]
      if byte == quote { break }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        index += 1
        guard !options.isStrict || isStrictEscape else { throw NotPlain() }
      } else if byte < 0x20 {
        throw NotPlain()
      } else if byte >= 0x80 {
        isASCII = false
      }
      index += 1
    }
    guard index < text.count else { throw NotPlain() }
    let range = start..<index
    index += 1
    if hasEscapes {
      guard let bytes = Parser.stringBytes(of: array[range], allowsInvalidUTF8: options.allowsInvalidUTF8) else {
        throw NotPlain()
      }
      return .decoded(bytes)
    }
    if !isASCII, !options.allowsInvalidUTF8 {
      let bytes = UnsafeBufferPointer(rebasing: text[range])
      // Decoding repairs malformed UTF-8, and so changes it.
      guard String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) else { throw NotPlain() }
    }
    return .plain(range)
  }

  /// Whether the byte after a backslash makes an escape of JSON. `\xNN` is none, but stands for bytes that are not UTF-8
  /// where these are allowed.
  private var isStrictEscape: Bool {
    byte != UInt8(ascii: "'") && (byte != UInt8(ascii: "x") || options.allowsInvalidUTF8)
  }

  /// Reads a decimal integer of 64 bits, with or without a minus.
  mutating func wholeNumber() throws(NotPlain) -> (magnitude: UInt64, isNegative: Bool) {
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let start = index
    var magnitude: UInt64 = 0
    while byte.isDecimalDigit {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !overflow, !carry else { throw NotPlain() }
      magnitude = sum
      index += 1
    }
    guard index > start, isAfterToken, mayBeWhole(from: start) else { throw NotPlain() }
    return (magnitude, isNegative)
  }

  /// Reads a decimal number, perhaps with a point or an exponent.
  mutating func real<T: PlainReal>(_: T.Type) throws(NotPlain) -> T {
    let start = index
    try skipNumber()
    // The number ends where a byte follows that no number holds.
    guard let number = T(plain: text, start..<index), number.isFinite else { throw NotPlain() }
    return number
  }

  private mutating func skipNumber() throws(NotPlain) {
    if byte == UInt8(ascii: "-") { index += 1 }
    let start = index
    try skipDigits()
    guard mayBeWhole(from: start) else { throw NotPlain() }
    if byte == UInt8(ascii: ".") {
      index += 1
      try skipDigits()
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      index += 1
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { index += 1 }
      try skipDigits()
    }
    guard isAfterToken else { throw NotPlain() }
  }

  /// Returns whether digits that were just read may begin a number: in strict JSON, a zero stands alone.
  private func mayBeWhole(from start: Int) -> Bool {
    !options.isStrict || text[start] != UInt8(ascii: "0") || index == start + 1
  }

  private mutating func skipDigits() throws(NotPlain) {
    let start = index
    while byte.isDecimalDigit { index += 1 }
    guard index > start else { throw NotPlain() }
  }

  /// Whether the token that was just read ends here.
  private var isAfterToken: Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: " "), UInt8(ascii: "\n"),
      UInt8(ascii: "\r"), UInt8(ascii: "\t"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// Skips a number or word that is not needed.
  mutating func skipUnreadToken() throws(NotPlain) {
    switch next() {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): try skipNumber()
    default:
      let word = try word()
      guard !options.isStrict || isWord("true", word) || isWord("false", word) || isWord("null", word) else {
        throw NotPlain()
      }
    }
  }

  /// Skips a value that is read later.
  mutating func skipValue() throws(NotPlain) {
    var depth = 0
    repeat {
      switch next() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { throw NotPlain() }
        depth -= 1
        index += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw NotPlain() }
        index += 1
      case let byte where byte.isQuote:
        try skipString(byte)
      case let byte where byte.isWordPart || byte == UInt8(ascii: "-"):
        repeat {
          index += 1
        } while self.byte.isWordPart || self.byte == UInt8(ascii: ".")
          || self.byte == UInt8(ascii: "-") || self.byte == UInt8(ascii: "+")
      default: throw NotPlain()
      }
    } while depth > 0
  }

  private mutating func skipString(_ quote: UInt8) throws(NotPlain) {
    index += 1
    while byte != quote {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
      guard index < text.count else { throw NotPlain() }
    }
    index += 1
  }
}

/// A floating-point type that can be read from a text.
protocol PlainReal: BinaryFloatingPoint {
  init?(plain text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>)
}

extension PlainReal where Self: LosslessStringConvertible {
  init?(plain text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    self.init(String(decoding: UnsafeBufferPointer(rebasing: text[range]), as: UTF8.self))
  }
}

extension Float: PlainReal {}
extension Double: PlainReal {}

extension UInt8 {
  /// Whether a string may begin with the byte.
  @inline(__always) var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

  @inline(__always) fileprivate var isDecimalDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  @inline(__always) fileprivate var isWordStart: Bool {
    (self | 0x20) &- UInt8(ascii: "a") < 26 || self == UInt8(ascii: "_")
  }
  @inline(__always) fileprivate var isWordPart: Bool { isWordStart || isDecimalDigit }
}

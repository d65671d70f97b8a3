/// Writes JSON, in two spaces per level, as it is asked for: whatever the strings hold, the result is valid.
///
///     var writer = JSONWriter()
///     writer.object {
///       $0.member("name", "dflatc")
///       $0.array("files", files) { $0.value($1) }
///     }
public struct JSONWriter {
  /// The UTF-8 text that has been written.
  public private(set) var bytes: [UInt8] = []
  private var depth = 0
  /// Whether a comma is due before the next entry.
  private var needsComma = false
  /// While it is true, entries stand on one line.
  private var isShort = false

  /// Creates a writer that has written nothing.
  public init() { bytes.reserveCapacity(1024) }

  /// The text that has been written.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: - Values

  /// Writes a string. Control characters, line separators and bidirectional controls are escaped: they are valid in
  /// JSON, but break programs that read it as JavaScript or line by line, or change what a terminal shows.
  public mutating func value(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): raw("\\\"")
      case UInt8(ascii: "\\"): raw("\\\\")
      case 0x0A: raw("\\n")
      case 0x0D: raw("\\r")
      case 0x09: raw("\\t")
      case 0..<0x20, 0x7F: escape(UInt16(byte))
      // U+0080 to U+009F are C2 80 to C2 9F; U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
      case 0x80...0x9F where bytes.last == 0xC2:
        bytes.removeLast()
        escape(UInt16(byte))
      // U+202A to U+202E are E2 80 AA to E2 80 AE; U+2066 to U+2069 are E2 81 A6 to E2 81 A9.
      case 0xA8...0xAE where bytes.suffix(2) == [0xE2, 0x80]:
        bytes.removeLast(2)
        escape(0x2000 | UInt16(byte) & 0x3F)
      case 0xA6...0xA9 where bytes.suffix(2) == [0xE2, 0x81]:
        bytes.removeLast(2)
        escape(0x2040 | UInt16(byte) & 0x3F)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a whole number.
  public mutating func value(_ number: Int) { raw(String(number)) }

  /// Writes true or false.
  public mutating func value(_ flag: Bool) { raw(flag ? "true" : "false") }

  /// Writes a text that is JSON already: a number of another form, `null`.
  public mutating func raw(_ json: String) { bytes.append(contentsOf: json.utf8) }

  // MARK: - Objects and arrays

  /// Writes an object, whose members `body` writes: those of a short one on one line.
  public mutating func object(isShort: Bool = false, _ body: (inout JSONWriter) -> Void) {
    group("{", "}", isShort, body)
  }

  /// Writes an array with an entry for each of `elements`, which `body` writes: those of a short one on one line.
  public mutating func array<Element>(
    _ elements: some Sequence<Element>, isShort: Bool = false, _ body: (inout JSONWriter, Element) -> Void
  ) {
    group("[", "]", isShort) { writer in
      for element in elements {
        writer.startEntry()
        body(&writer, element)
      }
    }
  }

  /// Writes the name of a member, whose value must be written next.
  public mutating func key(_ name: String) {
    startEntry()
    value(name)
    raw(": ")
  }

  /// Writes a member, whose value `body` writes.
  public mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
    key(name)
    body(&self)
  }

  /// Writes a member that is a string, or null.
  public mutating func member(_ name: String, _ string: String?) {
    member(name) { if let string { $0.value(string) } else { $0.raw("null") } }
  }

  /// Writes a member that is a whole number.
  public mutating func member(_ name: String, _ number: Int) {
    member(name) { $0.value(number) }
  }

  /// Writes a member that is true or false.
  public mutating func member(_ name: String, _ flag: Bool) {
    member(name) { $0.value(flag) }
  }

  /// Writes a member that is an object.
  public mutating func object(_ name: String, isShort: Bool = false, _ body: (inout JSONWriter) -> Void) {
    member(name) { $0.object(isShort: isShort, body) }
  }

  /// Writes a member that is an array.
  public mutating func array<Element>(
    _ name: String, _ elements: some Sequence<Element>, isShort: Bool = false,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    member(name) { $0.array(elements, isShort: isShort, body) }
  }

  // MARK: - Layout

  /// Ends the text with a line break.
  public mutating func finish() { bytes.append(0x0A) }

  private mutating func startEntry() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    if isShort {
      if needsComma { bytes.append(UInt8(ascii: " ")) }
    } else {
      newLine()
    }
    needsComma = true
  }

  private mutating func newLine() {
    bytes.append(0x0A)
    for _ in 0..<depth { raw("  ") }
  }

  private mutating func group(
    _ opening: String, _ closing: String, _ isShort: Bool, _ body: (inout JSONWriter) -> Void
  ) {
    let isShortOutside = self.isShort
    self.isShort = isShortOutside || isShort
    raw(opening)
    depth += 1
    needsComma = false
    body(&self)
    depth -= 1
    // Reached only if something was written inside: an empty group stays on its line.
    if needsComma, !self.isShort { newLine() }
    raw(closing)
    self.isShort = isShortOutside
    needsComma = true
  }

  private mutating func escape(_ scalar: UInt16) {
    raw("\\u")
    for shift in [12, 8, 4, 0] { bytes.append(Self.digits[Int(scalar >> UInt16(shift) & 15)]) }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

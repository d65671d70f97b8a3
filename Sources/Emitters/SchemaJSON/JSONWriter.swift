/// Writes JSON, laid out over lines, straight into bytes.
struct JSONWriter: ~Copyable {
  private(set) var bytes: [UInt8] = []
  private var depth = 0
  /// Whether something stands before the next member or element.
  private var needsComma = false

  init() { bytes.reserveCapacity(16 * 1024) }

  /// An object whose members `body` writes. `isShort` ones stand on one line.
  mutating func object(isShort: Bool = false, _ body: (inout JSONWriter) -> Void) {
    enclosed("{", "}", isShort, body)
  }

  /// An array of `items`, each of which `body` writes.
  mutating func array<Items: Collection>(
    _ items: Items, isShort: Bool = false, _ body: (inout JSONWriter, Items.Element) -> Void
  ) {
    if items.isEmpty { return text("[]") }
    enclosed("[", "]", isShort) { writer in
      for item in items {
        writer.separate()
        body(&writer, item)
      }
    }
  }

  /// The name of a member, whose value is written next.
  mutating func key(_ name: StaticString) {
    separate()
    string(name.description)
    text(": ")
  }

  mutating func member(_ name: StaticString, _ value: String?) {
    key(name)
    if let value { string(value) } else { text("null") }
  }

  mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    text(String(value))
  }

  mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    text(value ? "true" : "false")
  }

  /// What is JSON already: a number, `null`.
  mutating func text(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  mutating func string(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""): text("\\\"")
      case UInt8(ascii: "\\"): text("\\\\")
      case 0x0A: text("\\n")
      case 0x0D: text("\\r")
      case 0x09: text("\\t")
      case 0..<0x20:
        text("\\u00")
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Ends the text.
  mutating func newline() { bytes.append(0x0A) }

  /// While `isShort`, line breaks are spaces.
  private var isShort = false

  private mutating func enclosed(
    _ open: String, _ close: String, _ short: Bool, _ body: (inout JSONWriter) -> Void
  ) {
    let outer = isShort
    isShort = outer || short
    text(open)
    depth += 1
    needsComma = false
    body(&self)
    depth -= 1
    if needsComma { breakLine() }
    text(close)
    isShort = outer
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    breakLine(isFirst: !needsComma)
    needsComma = true
  }

  private mutating func breakLine(isFirst: Bool = false) {
    if isShort {
      // `{ "a": 1 }`, but `["a", "b"]`.
      if !isFirst, bytes.last == UInt8(ascii: ",") { bytes.append(0x20) }
      return
    }
    bytes.append(0x0A)
    for _ in 0..<depth { text("  ") }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

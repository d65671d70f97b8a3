/// Writes JSON, in two spaces per level, as it is asked for: whatever the strings hold, the result is valid.
///
///     var writer = JSONWriter()
///     writer.object {
///       $0.member("name", "dflatc")
///       $0.array("files", files) { $0.value($1) }
///     }
public struct JSONWriter {
  /// What has been written.
  public private(set) var text = ""
  private var depth = 0
  /// Whether a comma is due before the next entry.
  private var needsComma = false

  /// A writer that has written nothing.
  public init() {}

  /// Writes an object, whose members `body` writes.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    group("{", "}", body)
  }

  /// Writes an array with an entry for each of `elements`, which `body` writes.
  public mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void) {
    group("[", "]") { writer in
      for element in elements {
        writer.startEntry()
        body(&writer, element)
        writer.needsComma = true
      }
    }
  }

  /// Writes a string.
  public mutating func value(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value & ~1 == 0x2028:
        // Line separators are valid in JSON, and break what reads it as JavaScript or line by line.
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// Writes a whole number.
  public mutating func value(_ number: Int) {
    text += String(number)
  }

  /// Writes true or false.
  public mutating func value(_ flag: Bool) {
    text += flag ? "true" : "false"
  }

  /// Writes a member, whose value `body` writes.
  public mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
    startEntry()
    value(name)
    text += ": "
    body(&self)
    needsComma = true
  }

  /// Writes a member that is a string.
  public mutating func member(_ name: String, _ string: String) {
    member(name) { $0.value(string) }
  }

  /// Writes a member that is a whole number.
  public mutating func member(_ name: String, _ number: Int) {
    member(name) { $0.value(number) }
  }

  /// Writes a member that is an object.
  public mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
    member(name) { $0.object(body) }
  }

  /// Writes a member that is an array.
  public mutating func array<Element>(
    _ name: String, _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
  ) {
    member(name) { $0.array(elements, body) }
  }

  private mutating func startEntry() {
    if needsComma { text += "," }
    newLine()
    needsComma = false
  }

  private mutating func newLine() {
    text += "\n"
    for _ in 0..<depth { text += "  " }
  }

  private mutating func group(_ opening: String, _ closing: String, _ body: (inout JSONWriter) -> Void) {
    text += opening
    depth += 1
    needsComma = false
    body(&self)
    depth -= 1
    // Something was written inside: an empty group stays on its line.
    if needsComma { newLine() }
    text += closing
  }
}

import FBSDiagnostics
import FBSParser
import Foundation

/// A JSON value with its range in the text, so that a diagnostic can show it.
struct PlacedJSON {
  enum Value {
    case object([(key: PlacedJSON, value: PlacedJSON)])
    case array([PlacedJSON])
    case string(String)
    case bool(Bool)
    /// A whole number that an `Int` holds.
    case number(Int)
    /// Another number, or `null`.
    case other
  }

  /// The error of a text that is not JSON, with its offset.
  struct Mistake: Error {
    let range: SourceRange
    let message: String
  }

  let value: Value
  let range: SourceRange

  /// The value if it is a string; otherwise nil.
  var string: String? { if case .string(let text) = value { text } else { nil } }

  /// The value if it is a whole number; otherwise nil.
  var number: Int? { if case .number(let number) = value { number } else { nil } }

  /// Parses a whole file.
  static func parse(_ file: SourceFile) throws(Mistake) -> PlacedJSON {
    var parser = PlacedJSONParser(file: file.id, bytes: file.bytes)
    let value = try parser.value(depth: 0)
    guard parser.next() == nil else { throw parser.mistake("nothing may follow the value") }
    return value
  }
}

private struct PlacedJSONParser {
  /// The nesting limit: deeper than any file of options, and small enough for the stack.
  private static let maximumDepth = 32

  let file: FileID
  let bytes: [UInt8]
  var offset = 0

  /// Returns the next byte that is neither white space nor part of a comment; nil at the end of the text. It is not consumed.
  mutating func next() -> UInt8? {
    while offset < bytes.count {
      let rest = bytes[offset...]
      if [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) {
        offset += 1
      } else if rest.starts(with: "//".utf8) {
        offset = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      } else if rest.starts(with: "/*".utf8), let end = endOfComment(from: offset + 2) {
        offset = end
      } else if offset == 0, rest.starts(with: byteOrderMark) {
        offset += byteOrderMark.count
      } else {
        return bytes[offset]
      }
    }
    return nil
  }

  /// Returns the offset after the `*/` that closes a comment; nil if no `*/` does.
  private func endOfComment(from start: Int) -> Int? {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
      index += 1
    }
    return nil
  }

  func mistake(_ message: String) -> PlacedJSON.Mistake {
    let message = bytes[offset...].starts(with: "/*".utf8) ? "this comment is not closed" : message
    return PlacedJSON.Mistake(range: range(from: offset, to: min(offset + 1, bytes.count)), message: message)
  }

  private func range(from start: Int, to end: Int) -> SourceRange { SourceRange(file: file, start: start, end: end) }

  mutating func value(depth: Int) throws(PlacedJSON.Mistake) -> PlacedJSON {
    guard depth < Self.maximumDepth else { throw mistake("values are nested too deeply") }
    let first = next()
    let start = offset
    switch first {
    case UInt8(ascii: "{"):
      var members: [(key: PlacedJSON, value: PlacedJSON)] = []
      try list(until: UInt8(ascii: "}")) { (parser) throws(PlacedJSON.Mistake) in
        guard parser.next() == UInt8(ascii: "\"") else { throw parser.mistake("a key in double quotes belongs here") }
        let key = try parser.string()
        guard parser.next() == UInt8(ascii: ":") else { throw parser.mistake("a `:` belongs behind the key") }
        parser.offset += 1
        members.append((key, try parser.value(depth: depth + 1)))
      }
      return PlacedJSON(value: .object(members), range: range(from: start, to: offset))
    case UInt8(ascii: "["):
      var elements: [PlacedJSON] = []
      try list(until: UInt8(ascii: "]")) { (parser) throws(PlacedJSON.Mistake) in
        elements.append(try parser.value(depth: depth + 1))
      }
      return PlacedJSON(value: .array(elements), range: range(from: start, to: offset))
    case UInt8(ascii: "\""):
      return try string()
    default:
      while offset < bytes.count, isOfWord(bytes[offset]) { offset += 1 }
      let text = Data(bytes[start..<offset])
      guard offset > start, (try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)) != nil else {
        offset = start
        let isWord = first.map(isOfWord) ?? false
        throw mistake(isWord ? "this is no value; strings stand in double quotes" : "a value belongs here")
      }
      let word = range(from: start, to: offset)
      switch String(decoding: text, as: UTF8.self) {
      case "true": return PlacedJSON(value: .bool(true), range: word)
      case "false": return PlacedJSON(value: .bool(false), range: word)
      case let text: return PlacedJSON(value: Int(text).map { .number($0) } ?? .other, range: word)
      }
    }
  }

  /// Parses elements with commas between them, from the bracket that opens the list to the one that closes it.
  private mutating func list(
    until end: UInt8, _ element: (inout PlacedJSONParser) throws(PlacedJSON.Mistake) -> Void
  ) throws(PlacedJSON.Mistake) {
    offset += 1
    if next() == end {
      offset += 1
      return
    }
    while true {
      try element(&self)
      let separator = next()
      guard separator == UInt8(ascii: ",") || separator == end else {
        throw mistake("a `,` or `\(Character(UnicodeScalar(end)))` belongs here")
      }
      offset += 1
      if separator == end { return }
    }
  }

  private mutating func string() throws(PlacedJSON.Mistake) -> PlacedJSON {
    let start = offset
    offset += 1
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    offset = min(offset + 1, bytes.count)
    let literal = Data(bytes[start..<offset])
    guard let text = try? JSONSerialization.jsonObject(with: literal, options: .fragmentsAllowed) as? String else {
      offset = start
      throw mistake("this string is not closed, or has a character that JSON does not take")
    }
    return PlacedJSON(value: .string(text), range: range(from: start, to: offset))
  }

  private func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

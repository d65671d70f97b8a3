/// String literals of Protocol Buffers, and those of schemas.
enum ProtoEscapes {
  /// Returns the bytes that a literal with its quotes stands for.
  static func bytes(of literal: String) -> [UInt8] {
    var bytes = Array(literal.utf8).dropFirst()
    if bytes.last == literal.utf8.first { bytes = bytes.dropLast() }
    var result: [UInt8] = []
    while let byte = bytes.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = bytes.popFirst() else {
        result.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "a"): result.append(7)
      case UInt8(ascii: "b"): result.append(8)
      case UInt8(ascii: "f"): result.append(12)
      case UInt8(ascii: "n"): result.append(10)
      case UInt8(ascii: "r"): result.append(13)
      case UInt8(ascii: "t"): result.append(9)
      case UInt8(ascii: "v"): result.append(11)
      case UInt8(ascii: "x"), UInt8(ascii: "X"): result.append(UInt8(truncatingIfNeeded: number(&bytes, 2, 16)))
      case UInt8(ascii: "u"): result += utf8(number(&bytes, 4, 16))
      case UInt8(ascii: "U"): result += utf8(number(&bytes, 8, 16))
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        bytes = [escape] + bytes
        result.append(UInt8(truncatingIfNeeded: number(&bytes, 3, 8)))
      default: result.append(escape)
      }
    }
    return result
  }

  /// Reads a number of at most `count` digits.
  private static func number(_ bytes: inout ArraySlice<UInt8>, _ count: Int, _ radix: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      guard let byte = bytes.first, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else {
        break
      }
      value = value * radix + digit
      bytes.removeFirst()
    }
    return value
  }

  private static func utf8(_ number: Int) -> [UInt8] {
    Unicode.Scalar(UInt32(truncatingIfNeeded: number)).map { Array(String($0).utf8) } ?? []
  }

  /// Returns bytes as a literal of a schema; nil if they are no UTF-8, or have a NUL, which ends a string in C.
  static func literal(of bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard !bytes.contains(0), Array(text.utf8) == bytes else { return nil }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

import Foundation

/// The mapping of UUIDs to strings of 36 characters in lowercase. A string of another form stands for no UUID,
/// because a query would not find it.
public enum UUIDMapping: CompleteFieldMapping {
  /// Returns the UUID; nil if `stored` is not the text of one in lowercase.
  public static func value(of stored: String) -> UUID? { UUID(canonical: stored) }

  /// Returns the text of the UUID in lowercase.
  public static func stored(for value: UUID) -> String { value.uuidString.lowercased() }

  /// The UUID of zeros.
  public static var fallback: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension UUID {
  /// Creates a UUID from its text in lowercase; nil if `text` is anything else.
  fileprivate init?(canonical text: String) {
    var copy = text
    let bytes = copy.withUTF8 { text -> (high: UInt64, low: UInt64)? in
      guard text.count == 36 else { return nil }
      var halves: (high: UInt64, low: UInt64) = (0, 0)
      for (index, character) in text.enumerated() {
        if index == 8 || index == 13 || index == 18 || index == 23 {
          guard character == UInt8(ascii: "-") else { return nil }
          continue
        }
        let digit: UInt8
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
        default: return nil
        }
        halves.high = halves.high << 4 | halves.low >> 60
        halves.low = halves.low << 4 | UInt64(digit)
      }
      return halves
    }
    guard let (high, low) = bytes else { return nil }
    self.init(high: high, low: low)
  }

  /// Creates a UUID from its first and its last 8 bytes, the most significant first.
  init(high: UInt64, low: UInt64) {
    func byte(_ half: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * index)) }
    self.init(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
        byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6),
        byte(low, 7)
      ))
  }
}

/// The mapping of URLs to their text. A string that is not the text of a URL reads as nil. So does one that `URL` spells
/// differently, such as with percent signs, because a query for the URL would not find it.
public enum URLMapping: FieldMapping {
  /// Returns the URL; nil if `stored` is not the text of one.
  public static func value(of stored: String) -> URL? {
    guard let url = URL(string: stored), url.absoluteString.hasSameBytes(as: stored) else { return nil }
    return url
  }

  /// Returns the text of the URL. A relative URL is stored in full.
  public static func stored(for value: URL) -> String { value.absoluteString }
}

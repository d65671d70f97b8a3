/// The text of a Swift file, with a blank for each byte of a comment or of a literal's text.
struct MaskedSource {
  /// The lines as they stand, and as they are without comments and texts: of the same lengths.
  let lines: [[UInt8]]
  let code: [[UInt8]]

  init(_ text: String) {
    let bytes = Array(text.utf8)
    var masked = bytes
    var scanner = Scanner(bytes: bytes)
    while let range = scanner.nextHidden() {
      for index in range where masked[index] != UInt8(ascii: "\n") { masked[index] = UInt8(ascii: " ") }
    }
    lines = Self.split(bytes)
    code = Self.split(masked)
  }

  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
  }
}

/// Finds comments and string literals. What is interpolated into a string counts as its text.
private struct Scanner {
  let bytes: [UInt8]
  var index = 0

  private func starts(_ text: StaticString, at place: Int) -> Bool {
    guard place + text.utf8CodeUnitCount <= bytes.count else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
  }

  mutating func nextHidden() -> Range<Int>? {
    while index < bytes.count {
      let start = index
      if starts("//", at: index) {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        return start..<index
      }
      if starts("/*", at: index) {
        skipComment()
        return start..<index
      }
      if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "#"), skipString() { return start..<index }
      index += 1
    }
    return nil
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      if starts("/*", at: index) {
        depth += 1
        index += 2
      } else if starts("*/", at: index) {
        depth -= 1
        index += 2
      } else {
        index += 1
      }
    } while depth > 0 && index < bytes.count
  }

  /// Skips a string with its quotes, if there is one here.
  private mutating func skipString() -> Bool {
    var place = index
    while place < bytes.count, bytes[place] == UInt8(ascii: "#") { place += 1 }
    let pounds = place - index
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return false }
    let isLong = starts("\"\"\"", at: place)
    place += isLong ? 3 : 1
    var depth = 0
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "\\"), isFollowedByPounds(place + 1, pounds) {
        place += 1 + pounds
        // What is interpolated ends with its parenthesis, and may hold strings again.
        if place < bytes.count, bytes[place] == UInt8(ascii: "(") { depth = 1 }
        place += 1
        while depth > 0, place < bytes.count {
          if bytes[place] == UInt8(ascii: "(") { depth += 1 }
          if bytes[place] == UInt8(ascii: ")") { depth -= 1 }
          if bytes[place] == UInt8(ascii: "\"") {
            var inner = Scanner(bytes: bytes, index: place)
            if inner.skipString() { place = inner.index - 1 }
          }
          place += 1
        }
        continue
      }
      if isLong ? starts("\"\"\"", at: place) : bytes[place] == UInt8(ascii: "\""),
        isFollowedByPounds(place + (isLong ? 3 : 1), pounds)
      {
        index = place + (isLong ? 3 : 1) + pounds
        return true
      }
      place += 1
    }
    index = bytes.count
    return true
  }

  private func isFollowedByPounds(_ place: Int, _ count: Int) -> Bool {
    place + count <= bytes.count && bytes[place..<place + count].allSatisfy { $0 == UInt8(ascii: "#") }
  }
}

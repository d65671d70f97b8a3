import FBSDiagnostics
import FBSParser

/// The lines of a file, with their line endings and trailing blanks.
struct FileLines {
  static let blank = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")

  let bytes: [UInt8]
  let table: LineTable

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    table = LineTable(bytes)
  }

  /// The last line that holds more than blanks; nil if there is none.
  var lastFilled: Int? {
    table.starts.indices.last { blankStart(ofLine: $0) > table.starts[$0] }
  }

  /// Returns the offset at which the blanks at the end of a line start. Lines count from 0.
  func blankStart(ofLine line: Int) -> Int {
    let range = table.range(ofLine: line, in: bytes)
    var end = range.upperBound
    while end > range.lowerBound, bytes[end - 1] == Self.blank || bytes[end - 1] == Self.tab { end -= 1 }
    return end
  }

  /// Returns the line ending of a line.
  /// - Parameter line: The index of the line, from 0. It must not be the last line, which has no ending.
  func lineEnd(of line: Int) -> LineEnd { table.lineEnd(of: line, in: bytes) }

  /// The line ending of the first line, which all others should have.
  var firstLineEnd: LineEnd { table.firstLineEnd(in: bytes) }
}

extension SyntaxTree {
  /// Returns whether the byte at an offset and the one before it belong to one token, as in a string.
  func isInsideToken(_ offset: Int) -> Bool {
    var (low, high) = (0, tokens.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if Int(tokens[middle].start) < offset { low = middle } else { high = middle }
    }
    return Int(tokens[low].start) < offset && offset < Int(tokens[low].end)
  }
}

extension ContiguousArray<Token> {
  /// Returns the first token that starts at or after an offset.
  func firstIndex(startingAtOrAfter offset: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if Int(self[middle].start) < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension UInt8 {
  /// Whether the byte is LF or CR.
  var endsLine: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

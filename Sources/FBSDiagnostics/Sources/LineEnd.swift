/// A line ending.
package enum LineEnd: String, CustomStringConvertible {
  case lf = "\n"
  case crlf = "\r\n"
  case cr = "\r"

  /// Returns the ending of the first line of a text, or LF if there is only one. Reads no other line.
  package static func first(in bytes: [UInt8]) -> LineEnd {
    guard let end = bytes.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }),
      bytes[end] == UInt8(ascii: "\r")
    else { return .lf }
    return end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "\n") ? .crlf : .cr
  }

  /// The line ending's name, as people know it.
  package var description: String {
    switch self {
    case .lf: "LF"
    case .crlf: "CR LF"
    case .cr: "CR"
    }
  }
}

extension LineTable {
  /// Returns the line ending of a line: LF, CR LF or CR.
  /// - Parameters:
  ///   - line: The index of the line, from 0. It must not be the last line, which has no ending.
  ///   - bytes: The text of which this is the table.
  package func lineEnd(of line: Int, in bytes: [UInt8]) -> LineEnd {
    let next = starts[line + 1]
    if bytes[next - 1] == UInt8(ascii: "\r") { return .cr }
    return next - 2 >= starts[line] && bytes[next - 2] == UInt8(ascii: "\r") ? .crlf : .lf
  }

  /// Returns the ending of the first line, or LF if there is only one. All lines of a tidy file end alike.
  package func firstLineEnd(in bytes: [UInt8]) -> LineEnd { starts.count > 1 ? lineEnd(of: 0, in: bytes) : .lf }
}

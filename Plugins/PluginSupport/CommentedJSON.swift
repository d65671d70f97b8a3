import Foundation

/// JSON with comments between its tokens, as dflatc reads `dflatc.json`. Foundation reads JSON without comments alone.
enum CommentedJSON {
  /// Returns the value that the JSON stands for.
  /// - Throws: the error of `JSONSerialization` if there is no JSON besides the comments.
  static func value(of data: Data) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(withoutComments(Array(data))))
  }

  /// Returns the text with a space in place of each comment, and without a byte order mark. An unclosed
  /// comment is kept, which `JSONSerialization` refuses.
  private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while let byte = rest.first {
      var length = 1
      if byte == UInt8(ascii: "\"") {
        length = lengthOfString(rest)
      } else if let comment = lengthOfComment(rest) {
        result.append(UInt8(ascii: " "))
        rest = rest.dropFirst(comment)
        continue
      }
      result += rest.prefix(length)
      rest = rest.dropFirst(length)
    }
    return result
  }

  /// Returns the length of the string with which a text begins: up to the next quotation mark without a backslash.
  private static func lengthOfString(_ text: ArraySlice<UInt8>) -> Int {
    var index = text.startIndex + 1
    while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, text.endIndex) - text.startIndex
  }

  /// Returns the length of the comment with which a text begins; nil if it begins with none. The end of the line is no
  /// part of it.
  private static func lengthOfComment(_ text: ArraySlice<UInt8>) -> Int? {
    if text.starts(with: "//".utf8) {
      return text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.count
    }
    guard text.starts(with: "/*".utf8) else { return nil }
    var index = text.startIndex + 2
    while index + 1 < text.endIndex {
      if text[index] == UInt8(ascii: "*"), text[index + 1] == UInt8(ascii: "/") { return index + 2 - text.startIndex }
      index += 1
    }
    return nil
  }
}

extension String {
  /// Returns the text with escapes, such as `\u{1b}`, for the characters that a terminal obeys instead of showing them: control
  /// characters and those that turn the direction of writing. Names, schemas and other programs' messages may hold some.
  /// - Parameter keepsLines: Whether line breaks and tabs stay.
  public func withVisibleControls(keepsLines: Bool = true) -> String {
    guard unicodeScalars.contains(where: { $0.controlsTerminal }) else { return self }
    var text = ""
    for character in self {
      // CR LF is one character, and a line break. A CR alone would have the line overwritten.
      if keepsLines, character == "\n" || character == "\r\n" || character == "\t" {
        text.append(character)
        continue
      }
      for scalar in character.unicodeScalars {
        if scalar.controlsTerminal {
          text += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }
}

extension UnicodeScalar {
  /// Whether a terminal obeys the character instead of showing it.
  var controlsTerminal: Bool {
    switch value {
    // The upper half starts at 80; 9B stands for an escape and a bracket.
    case 0..<0x20, 0x7F...0x9F: true
    // The controls that embed, override and isolate a direction of writing.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

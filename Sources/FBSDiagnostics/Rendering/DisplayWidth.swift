/// The width of text in a terminal, whose letters all have the same width.
enum DisplayWidth {
  /// The columns that a tab takes. Tabs are shown as blanks, so that carets stand where they should everywhere.
  static let tab = 4

  /// Returns the columns that a character takes: 0, 1 or 2.
  static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars { width = max(width, of(scalar)) }
    return width
  }

  private static func of(_ scalar: UnicodeScalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default:
      return 1
    }
  }
}

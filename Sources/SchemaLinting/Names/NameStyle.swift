/// A style of names of several words. Names of schemas are ASCII letters, digits and underscores.
enum NameStyle {
  /// `PostTitle`, perhaps with acronyms and digits: `UUID`, `HTTPServer2`, `Vec3`.
  case upperCamel
  /// `postTitle`
  case lowerCamel
  /// `post_title`
  case lowerSnake
  /// `POST_TITLE`
  case upperSnake

  /// Returns whether a name has the style. Underscores around a name, which tell it apart from a keyword, are ignored.
  /// So are underscores between two digits in the camel styles, as in `V1_2`.
  func accepts(_ name: String) -> Bool {
    var name = name
    // In place: most names of a schema are looked at after each key stroke.
    return name.withUTF8 { bytes in
      guard let start = bytes.firstIndex(where: { $0 != Self.underscore }),
        let end = bytes.lastIndex(where: { $0 != Self.underscore })
      else { return false }
      let core = bytes[start...end]
      let first = core[start]
      switch self {
      case .upperCamel:
        return first.isUpper && Self.hasOnlyUnderscoresOfNumbers(core)
      case .lowerCamel:
        return first.isLower && Self.hasOnlyUnderscoresOfNumbers(core)
      case .lowerSnake:
        return first.isLower && !core.contains { $0.isUpper } && !Self.hasDoubleUnderscore(core)
      case .upperSnake:
        return first.isUpper && !core.contains { $0.isLower } && !Self.hasDoubleUnderscore(core)
      }
    }
  }

  /// Returns the name in the style.
  func written(_ name: String) -> String {
    let words = Self.words(of: name)
    // A word in capitals is an acronym if the rest of the name is not in capitals.
    let hasLower = name.utf8.contains { $0.isLower }
    func capitalized(_ word: String) -> String {
      hasLower && word.utf8.allSatisfy { !$0.isLower }
        ? word : word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }
    // Two adjacent numbers would become one.
    func joined(_ words: [String]) -> String {
      words.reduce(into: "") { name, word in
        if let last = name.utf8.last, last.isDigit, word.utf8.first?.isDigit == true { name += "_" }
        name += word
      }
    }
    switch self {
    case .upperCamel: return joined(words.map(capitalized))
    case .lowerCamel: return joined([words.first?.lowercased() ?? ""] + words.dropFirst().map(capitalized))
    case .lowerSnake: return words.map { $0.lowercased() }.joined(separator: "_")
    case .upperSnake: return words.map { $0.uppercased() }.joined(separator: "_")
    }
  }

  /// Returns the words of a name: parts between underscores, split where the letter case changes.
  static func words(of name: String) -> [String] {
    let bytes = Array(name.utf8)
    var words: [String] = []
    var start = 0
    func end(at index: Int) {
      if index > start { words.append(String(decoding: bytes[start..<index], as: UTF8.self)) }
    }
    for index in bytes.indices {
      let byte = bytes[index]
      if !byte.isUpper && !byte.isLower && !byte.isDigit && byte < 0x80 {
        end(at: index)
        start = index + 1
      } else if index > start, byte.isUpper {
        let followsWord = !bytes[index - 1].isUpper
        let endsAcronym = index + 1 < bytes.count && bytes[index + 1].isLower
        if followsWord || endsAcronym {
          end(at: index)
          start = index
        }
      }
    }
    end(at: bytes.count)
    return words
  }

  /// Returns whether each underscore stands between two digits.
  /// - Parameter bytes: a name without underscores at its ends.
  private static func hasOnlyUnderscoresOfNumbers<Bytes: RandomAccessCollection>(_ bytes: Bytes) -> Bool
  where Bytes.Element == UInt8, Bytes.Index == Int {
    bytes.indices.allSatisfy { bytes[$0] != underscore || bytes[$0 - 1].isDigit && bytes[$0 + 1].isDigit }
  }

  private static func hasDoubleUnderscore(_ bytes: some Collection<UInt8>) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { $0 == underscore && $1 == underscore }
  }

  private static let underscore = UInt8(ascii: "_")
}

extension UInt8 {
  var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

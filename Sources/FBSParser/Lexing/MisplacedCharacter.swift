import FBSDiagnostics

/// A character that no token holds, and what it was probably meant to be.
struct MisplacedCharacter {
  /// What stands in its place, so that reading goes on as if that had been written.
  enum Meaning {
    /// Nothing that is known.
    case nothing
    case blank
    /// The rest of the line is a comment.
    case comment
    /// The text up to `end` is a string in quotation marks of another kind.
    case string
    /// A character that looks alike.
    case punctuation(UInt8)
    /// What follows the name before it up to `end` are arguments, as in `vector<int>`.
    case arguments
  }

  let meaning: Meaning
  let message: String
  let advice: String
  var edits: [Diagnostic.Edit] = []
  /// Where the mistake begins: before the character if it makes no sense of what is before.
  var start: Int
  /// Where reading goes on.
  var end: Int
}

/// What stands before a misplaced character.
struct MisplacedContext {
  let file: FileID
  let bytes: [UInt8]
  let index: Int
  /// The token before, if it is not on an earlier line.
  let previous: Token?
  /// Whether a statement or an entry may start here.
  let mayStartStatement: Bool

  private func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file, start: start, end: end) }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private var lineEnd: Int {
    var end = index
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), bytes[end] != UInt8(ascii: "\r") { end += 1 }
    return end
  }

  /// What the character at `index` was meant to be; nil if nothing is known of it.
  func find() -> MisplacedCharacter? {
    switch bytes[index] {
    case UInt8(ascii: "#"): return mayStartStatement ? comment() : nil
    case UInt8(ascii: "?"): return questionMark()
    case UInt8(ascii: "<"): return arguments()
    case 0x80...: return outsideASCII()
    default: return nil
    }
  }

  // MARK: ASCII

  private func comment() -> MisplacedCharacter {
    var end = index
    while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
    return MisplacedCharacter(
      meaning: .comment, message: "`#` begins no comment", advice: "write `//`",
      edits: [Diagnostic.Edit(range(index, end), "//")], start: index, end: end)
  }

  private static let numbers: Set<String> = [
    "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "int8", "uint8",
    "int16",
    "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
  ]

  /// That of `int?`.
  private func questionMark() -> MisplacedCharacter? {
    guard let previous, Int(previous.end) == index else { return nil }
    let type = text(Int(previous.start)..<Int(previous.end))
    var next = index + 1
    while next < bytes.count, bytes[next] == UInt8(ascii: " ") { next += 1 }
    let hasDefault = next < bytes.count && bytes[next] == UInt8(ascii: "=")
    if !hasDefault, MisplacedContext.numbers.contains(type) {
      return MisplacedCharacter(
        meaning: .blank, message: "`?` makes no field optional", advice: "write `= null`",
        edits: [Diagnostic.Edit(range(index, index + 1), " = null")], start: index, end: index + 1)
    }
    if !hasDefault, previous.kind == .identifier, type != "string" {
      return MisplacedCharacter(
        meaning: .blank, message: "`?` makes no field optional",
        advice: "write `= null` for an enum, and nothing for a table: it is absent unless it is set", start: index,
        end: index + 1)
    }
    let advice = hasDefault ? "remove it" : "remove it: it is absent unless it is set"
    return MisplacedCharacter(
      meaning: .blank, message: "`?` makes no field optional", advice: advice,
      edits: [Diagnostic.Edit(range(index, index + 1), "")], start: index, end: index + 1)
  }

  private static let vectors: Set<String> = [
    "vector", "vec", "list", "array", "arraylist", "set", "seq", "sequence", "slice", "span", "repeated",
  ]
  private static let optionals: Set<String> = ["optional", "option", "maybe", "nullable"]

  /// Those of `vector<int>`.
  private func arguments() -> MisplacedCharacter? {
    guard let previous, previous.kind == .identifier, Int(previous.end) == index else { return nil }
    var depth = 0
    var end = index
    let limit = min(lineEnd, index + 1000)
    repeat {
      if bytes[end] == UInt8(ascii: "<") { depth += 1 }
      if bytes[end] == UInt8(ascii: ">") { depth -= 1 }
      end += 1
    } while depth > 0 && end < limit
    guard depth == 0 else { return nil }
    let start = Int(previous.start)
    let inner = text(index + 1..<end - 1)
    let isName = !inner.isEmpty && inner.utf8.allSatisfy { $0.isIdentifierPart || $0 == UInt8(ascii: ".") }
    let name = text(start..<index).lowercased()
    var advice = "types have no parameters"
    var edits: [Diagnostic.Edit] = []
    if MisplacedContext.vectors.contains(name) {
      advice = "a vector is written `[\(isName ? inner : "T")]`"
      if isName { edits = [Diagnostic.Edit(range(start, end), "[\(inner)]")] }
    } else if MisplacedContext.optionals.contains(name) {
      advice = "write `\(isName ? inner : "T")`, for a number with the default `null`"
    } else if inner.contains(",") {
      advice = "there are no maps: write a vector of a table with a `key` field"
    }
    return MisplacedCharacter(
      meaning: .arguments, message: "`\(text(start..<end))` is no type of a schema", advice: advice, edits: edits,
      start: start, end: end)
  }

  // MARK: Beyond ASCII

  private static let quotationMarks: Set<Unicode.Scalar> = [
    "“", "”", "„", "‟", "‘", "’", "‚", "‛", "«", "»", "‹", "›", "″", "′", "＂", "＇", "´",
  ]

  private func scalar(at index: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    var decoder = UTF8()
    var iterator = bytes[index..<min(index + 4, bytes.count)].makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    return (scalar, String(scalar).utf8.count)
  }

  private func outsideASCII() -> MisplacedCharacter {
    guard let (scalar, length) = scalar(at: index) else {
      var end = index + 1
      while end < bytes.count, bytes[end] >= 0x80, self.scalar(at: end) == nil { end += 1 }
      return MisplacedCharacter(
        meaning: .nothing, message: "byte \(hexadecimal(bytes[index])) is not UTF-8", advice: "save the file as UTF-8",
        start: index, end: end)
    }
    let end = index + length
    let code = codePoint(scalar)
    if let name = blankName(scalar) {
      return MisplacedCharacter(
        meaning: .blank, message: "\(name) (\(code)) cannot stand in a schema", advice: "write an ordinary space",
        edits: [Diagnostic.Edit(range(index, end), " ")], start: index, end: end)
    }
    if MisplacedContext.quotationMarks.contains(scalar) { return quotationMark(scalar, end) }
    if let alike = lookalike(scalar) {
      let character = Character(Unicode.Scalar(alike))
      return MisplacedCharacter(
        meaning: .punctuation(alike), message: "`\(scalar)` (\(code)) is not `\(character)`",
        advice: "write `\(character)`", edits: [Diagnostic.Edit(range(index, end), String(character))], start: index,
        end: end)
    }
    // All that belongs to the same word is one mistake.
    var last = end
    while last < bytes.count, bytes[last] >= 0x80, let next = self.scalar(at: last), blankName(next.scalar) == nil,
      !MisplacedContext.quotationMarks.contains(next.scalar), lookalike(next.scalar) == nil
    {
      last += next.length
    }
    return MisplacedCharacter(
      meaning: .nothing,
      message: "`\(scalar)` (\(code)) cannot stand here: only strings and comments hold characters outside ASCII",
      advice: "names are letters from A to Z, digits and `_`", start: index, end: last)
  }

  /// A string in such marks up to the end of the line, or the one mark.
  private func quotationMark(_ mark: Unicode.Scalar, _ end: Int) -> MisplacedCharacter {
    let message = "`\(mark)` (\(codePoint(mark))) is no quotation mark of a schema"
    var next = end
    while next < bytes.count, bytes[next] != UInt8(ascii: "\n"), bytes[next] != UInt8(ascii: "\r") {
      if bytes[next] == UInt8(ascii: "\"") { break }
      guard bytes[next] >= 0x80, let (scalar, length) = scalar(at: next) else {
        next += 1
        continue
      }
      if MisplacedContext.quotationMarks.contains(scalar) {
        return MisplacedCharacter(
          meaning: .string, message: message, advice: "write `\"`",
          edits: [Diagnostic.Edit(range(index, end), "\""), Diagnostic.Edit(range(next, next + length), "\"")],
          start: index, end: next + length)
      }
      next += length
    }
    return MisplacedCharacter(
      meaning: .nothing, message: message, advice: "write `\"`", edits: [Diagnostic.Edit(range(index, end), "\"")],
      start: index, end: end)
  }

  private func codePoint(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private func blankName(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0xA0, 0x202F: "a no-break space"
    case 0x200B...0x200D, 0x2060: "an invisible character"
    case 0xFEFF: "a byte order mark"
    case 0x85, 0x2028, 0x2029: "a line separator"
    case 0x1680, 0x2000...0x200A, 0x205F, 0x3000: "a wide or narrow space"
    default: nil
    }
  }

  /// The character of ASCII that one looks like: full-width forms, dashes and the like.
  private func lookalike(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar.value {
    case 0xFF01...0xFF0F, 0xFF1A...0xFF20, 0xFF3B...0xFF40, 0xFF5B...0xFF5E: UInt8(scalar.value - 0xFEE0)
    case 0x2010...0x2015, 0x2212: UInt8(ascii: "-")
    case 0x37E: UInt8(ascii: ";")
    case 0x3001: UInt8(ascii: ",")
    default: nil
    }
  }
}

import FBSDiagnostics

/// A character that no token holds, and what it was probably meant to be.
struct MisplacedCharacter {
  /// The meaning that the parser assumes: it reads on as if that had been written.
  enum Meaning {
    /// The meaning is unknown.
    case nothing
    case blank
    /// The rest of the line is a comment.
    case comment
    /// The text up to `end` is a string in quotation marks of another kind.
    case string
    /// A path in angle brackets.
    case path
    /// A name in quotation marks of another language, with its range without the marks.
    case name(Range<Int>)
    /// A number with marks between its digits.
    case number
    /// A punctuation character that looks like this one, or that other languages write like this one.
    case punctuation(UInt8)
    /// The text up to `end` is arguments of the name before it, as in `vector<int>`.
    case arguments
  }

  let meaning: Meaning
  let message: String
  let advice: String
  var edits: [Diagnostic.Edit] = []
  /// The start of the mistake. It is before the character if that makes no sense of the text before.
  var start: Int
  /// The index at which reading goes on.
  var end: Int

  var code: DiagnosticCode {
    if case .number = meaning { return .malformedNumber }
    return .illegalCharacter
  }
}

/// The text and tokens before a misplaced character.
struct MisplacedContext {
  let file: FileID
  let bytes: [UInt8]
  let index: Int
  /// The token before, if it is not on an earlier line.
  let previous: Token?
  /// The token before the one before, on whatever line.
  let beforePrevious: Token?
  /// Whether a statement or an entry may start here.
  let mayStartStatement: Bool

  private func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file, start: start, end: end) }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private var lineEnd: Int {
    var end = index
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), bytes[end] != UInt8(ascii: "\r") { end += 1 }
    return end
  }

  /// Returns what the character at `index` was meant to be; nil if that is unknown.
  func find() -> MisplacedCharacter? {
    switch bytes[index] {
    case UInt8(ascii: "#"): return mayStartStatement ? directive() ?? comment("#") : nil
    case UInt8(ascii: "-"): return comment("--")
    case UInt8(ascii: "="): return sign("=>", for: ":")
    case UInt8(ascii: ":"): return next == UInt8(ascii: ":") ? sign("::", for: ".") : sign(":=", for: ":")
    case UInt8(ascii: "?"): return questionMark()
    case UInt8(ascii: "!"): return exclamationMark()
    case UInt8(ascii: "*"), UInt8(ascii: "&"): return reference()
    case UInt8(ascii: "<"): return path() ?? arguments()
    case UInt8(ascii: "`"): return backticks()
    case 0x80...: return outsideASCII()
    default: return nil
    }
  }

  // MARK: ASCII

  private var next: UInt8 { index + 1 < bytes.count ? bytes[index + 1] : 0 }

  /// Returns the index of the first byte from `start` that is no space.
  private func skipSpaces(_ start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] == UInt8(ascii: " ") { end += 1 }
    return end
  }

  /// Returns whether the first byte from `start` on that is no space is the `;` that ends a statement. A fix can then
  /// insert text at `start`.
  private func endsStatement(_ start: Int) -> Bool {
    let end = skipSpaces(start)
    return end < bytes.count && bytes[end] == UInt8(ascii: ";")
  }

  private func comment(_ sign: String) -> MisplacedCharacter {
    var end = index
    while end < bytes.count, bytes[end] == bytes[index] { end += 1 }
    return MisplacedCharacter(
      meaning: .comment, message: "`\(sign)` begins no comment", advice: "write `//`",
      edits: [Diagnostic.Edit(range(index, end), "//")], start: index, end: end)
  }

  /// Reads the `#` of `#include`.
  private func directive() -> MisplacedCharacter? {
    let line = text(index..<lineEnd)
    guard line.hasPrefix("#include") || line.hasPrefix("#import") else { return nil }
    var edits = [Diagnostic.Edit(range(index, index + 1), "")]
    if line.hasPrefix("#import") { edits = [Diagnostic.Edit(range(index, index + 7), "include")] }
    // C ends it with the line.
    var end = lineEnd
    while end > index, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
    if !line.contains(";") { edits.append(Diagnostic.Edit(range(end, end), ";")) }
    return MisplacedCharacter(
      meaning: .blank, message: "an include has no `#`", advice: "write `include \"file.fbs\";`", edits: edits,
      start: index, end: index + 1)
  }

  /// Reports a sign of two characters that a schema writes as one.
  private func sign(_ sign: String, for other: String) -> MisplacedCharacter {
    MisplacedCharacter(
      meaning: .punctuation(other.utf8.first ?? 0), message: "`\(sign)` means nothing in a schema",
      advice: "write `\(other)`", edits: [Diagnostic.Edit(range(index, index + 2), other)], start: index,
      end: index + 2)
  }

  /// Reads the exclamation mark of `string!`; nil if it does not directly follow a token.
  private func exclamationMark() -> MisplacedCharacter? {
    guard let previous, Int(previous.end) == index else { return nil }
    let message = "`!` makes no field required"
    let type = text(Int(previous.start)..<Int(previous.end))
    let isElement = next == UInt8(ascii: "]")
    let isNumber = previous.kind == .identifier && ForeignTypes.isNumber(type)
    if isElement || isNumber {
      let reason = isElement ? "the elements of a vector are always there" : "a number is always there"
      return MisplacedCharacter(
        meaning: .blank, message: message, advice: "remove it: \(reason)",
        edits: [Diagnostic.Edit(range(index, index + 1), "")], start: index, end: index + 1)
    }
    let isPlain = endsStatement(index + 1) && (previous.kind == .rightBracket || type.lowercased() == "string")
    return MisplacedCharacter(
      meaning: .blank, message: message, advice: "write `(required)` behind the type",
      edits: isPlain ? [Diagnostic.Edit(range(index, index + 1), " (required)")] : [], start: index, end: index + 1)
  }

  /// Reads the sign of `*string` or `string*`; nil if it touches no name.
  private func reference() -> MisplacedCharacter? {
    let touchesName = next.isIdentifierPart || previous.map { $0.kind == .identifier && Int($0.end) == index } == true
    guard touchesName else { return nil }
    return MisplacedCharacter(
      meaning: .blank, message: "a schema has no pointers", advice: "remove it",
      edits: [Diagnostic.Edit(range(index, index + 1), "")], start: index, end: index + 1)
  }

  /// Reads the path of `include <file.fbs>`; nil if there is no such path.
  private func path() -> MisplacedCharacter? {
    guard let previous, previous.kind == .identifier,
      ["include", "import"].contains(text(Int(previous.start)..<Int(previous.end))),
      beforePrevious.map({ $0.kind.mayEndStatement || $0.kind == .string }) ?? true,
      let closing = bytes[index..<lineEnd].firstIndex(of: UInt8(ascii: ">"))
    else { return nil }
    let path = text(index + 1..<closing)
    guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x80 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return MisplacedCharacter(
      meaning: .path, message: "a file's path stands in quotes", advice: "write `\"\(path)\"`",
      edits: [Diagnostic.Edit(range(index, closing + 1), "\"\(path)\"")], start: index, end: closing + 1)
  }

  /// Reads a name or a string in backticks; nil if it is empty, or no second backtick is on the line.
  private func backticks() -> MisplacedCharacter? {
    guard let closing = bytes[(index + 1)..<lineEnd].firstIndex(of: UInt8(ascii: "`")), closing > index + 1 else {
      return nil
    }
    let inner = index + 1..<closing
    let isValue = previous.map { $0.kind == .equals } ?? false
    if isValue || !bytes[inner].allSatisfy(\.isIdentifierPart) || bytes[index + 1].isDigit {
      return MisplacedCharacter(
        meaning: .string, message: "a string does not stand in backticks", advice: "write `\"`",
        edits: [
          Diagnostic.Edit(range(index, index + 1), "\""), Diagnostic.Edit(range(closing, closing + 1), "\""),
        ], start: index, end: closing + 1)
    }
    return MisplacedCharacter(
      meaning: .name(inner), message: "no name needs backticks: no word is reserved", advice: "write `\(text(inner))`",
      edits: [Diagnostic.Edit(range(index, closing + 1), text(inner))], start: index, end: closing + 1)
  }

  /// Reads the question mark of `int?`; nil if it does not directly follow a token.
  private func questionMark() -> MisplacedCharacter? {
    guard let previous, Int(previous.end) == index else { return nil }
    let type = text(Int(previous.start)..<Int(previous.end))
    let next = skipSpaces(index + 1)
    let hasDefault = next < bytes.count && bytes[next] == UInt8(ascii: "=")
    if next < bytes.count, bytes[next] == UInt8(ascii: ":") { return optionalName(colon: next) }
    if !hasDefault, ForeignTypes.isNumber(type) {
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

  /// Reads the question mark of `name?: string`.
  private func optionalName(colon: Int) -> MisplacedCharacter {
    let type = skipSpaces(colon + 1)
    var end = type
    while end < bytes.count, bytes[end].isIdentifierPart { end += 1 }
    let mark = Diagnostic.Edit(range(index, index + 1), "")
    let isNumber = ForeignTypes.isNumber(text(type..<end))
    return MisplacedCharacter(
      meaning: .blank, message: "`?` makes no field optional",
      advice: isNumber ? "write `= null` behind the type" : "remove it: it is absent unless it is set",
      edits: !isNumber ? [mark] : endsStatement(end) ? [mark, Diagnostic.Edit(range(end, end), " = null")] : [],
      start: index, end: index + 1)
  }

  private static let vectors: Set<String> = [
    "vector", "vec", "list", "array", "arraylist", "set", "seq", "sequence", "slice", "span", "repeated",
  ]
  private static let definitions: Set<String> = ["table", "struct", "union", "enum", "class", "interface", "message"]
  private static let optionals: Set<String> = ["optional", "option", "maybe", "nullable"]

  /// Reads the arguments of `vector<int>`; nil if they do not directly follow a name, or are not closed.
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
    if let beforePrevious, beforePrevious.kind == .identifier {
      let keyword = text(Int(beforePrevious.start)..<Int(beforePrevious.end))
      if keyword == "enum", isName {
        return MisplacedCharacter(
          meaning: .arguments, message: "the type of an enum stands behind a colon", advice: "write `: \(inner)`",
          edits: [Diagnostic.Edit(range(index, end), ": \(inner)")], start: index, end: end)
      }
      if MisplacedContext.definitions.contains(keyword) {
        return MisplacedCharacter(
          meaning: .arguments, message: "a definition has no type parameters",
          advice: "write a definition for each use of it, with types in place of `\(inner)`", start: index, end: end)
      }
    }
    var advice = "types have no parameters"
    var edits: [Diagnostic.Edit] = []
    if MisplacedContext.vectors.contains(name) {
      let element = ForeignTypes.replacement(for: inner)?.name ?? inner
      advice = "a vector is written `[\(isName ? element : "T")]`"
      if isName { edits = [Diagnostic.Edit(range(start, end), "[\(element)]")] }
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

  /// Returns a string in such marks up to the end of the line, or the one mark.
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

  /// Returns the character of ASCII that one looks like: full-width forms, dashes and the like. Nil if there is none.
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

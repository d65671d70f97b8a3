import FBSDiagnostics

/// Cuts a text into tokens. Every byte belongs to one token or stands between two.
struct Lexer {
  private let file: FileID
  private let path: String
  private let bytes: [UInt8]
  private let maximumSize: Int
  private let allowsInvalidUTF8: Bool
  private var index = 0
  /// Whether a line has ended since the token before, so that a doc comment may stand here.
  private var isFirstOnLine = true
  private var sawDocumentation = false
  private(set) var tokens: ContiguousArray<Token> = []
  private(set) var diagnostics: [Diagnostic] = []
  /// Whether the lexer has stopped before the end: the file is too large or no text, a comment is never closed, or there
  /// are too many errors. Then nothing is parsed.
  private(set) var hasGivenUp = false

  init(_ source: SourceFile, maximumSize: Int, allowsInvalidUTF8: Bool) {
    self.maximumSize = maximumSize
    self.allowsInvalidUTF8 = allowsInvalidUTF8
    self.file = source.id
    self.path = source.path
    self.bytes = source.bytes
  }

  mutating func run() {
    guard bytes.count <= maximumSize else {
      hasGivenUp = true
      diagnostics.append(.fileTooLarge(file, limit: maximumSize))
      tokens = [Token(.endOfFile, start: 0, end: 0)]
      return
    }
    // Tokens of schemas are about five bytes long, blanks included.
    tokens.reserveCapacity(bytes.count / 5 + 1)
    if bytes.starts(with: byteOrderMark) { index = byteOrderMark.count }
    while index < bytes.count, !hasGivenUp { step() }
    tokens.append(Token(.endOfFile, start: bytes.count, end: bytes.count, hasDocumentation: sawDocumentation))
  }

  private mutating func step() {
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"):
      index += 1
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      index += 1
      isFirstOnLine = true
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      let start = index
      repeat { index += 1 } while index < bytes.count && bytes[index].isIdentifierPart
      emit(.identifier, from: start)
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      number()
    case UInt8(ascii: "."):
      if peek(1).isDigit { number() } else { single(.dot) }
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      let next = peek(1)
      if byte == UInt8(ascii: "-"), next == UInt8(ascii: ">") {
        index += 2
        emit(.foreign, from: index - 2)
      } else if byte == UInt8(ascii: "-"), next == byte, !peek(2).isDigit {
        illegal()
      } else if next.isIdentifierPart && !next.isDigit {
        single(byte == UInt8(ascii: "+") ? .plus : .minus)
      } else {
        number()
      }
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      string(quote: byte)
    case UInt8(ascii: "/"):
      switch peek(1) {
      case UInt8(ascii: "/"): lineComment()
      case UInt8(ascii: "*"): blockComment()
      default: single(.foreign)
      }
    case UInt8(ascii: "@"), UInt8(ascii: "|"):
      single(.foreign)
    case UInt8(ascii: ":") where peek(1) == byte || peek(1) == UInt8(ascii: "="):
      illegal()
    case UInt8(ascii: "=") where peek(1) == UInt8(ascii: ">"):
      illegal()
    default:
      if let kind = TokenKind(punctuation: byte) { single(kind) } else { illegal() }
    }
  }

  private func peek(_ distance: Int) -> UInt8 {
    index + distance < bytes.count ? bytes[index + distance] : 0
  }

  private mutating func emit(_ kind: TokenKind, from start: Int, isMalformed: Bool = false) {
    tokens.append(
      Token(kind, start: start, end: index, hasDocumentation: sawDocumentation, isMalformed: isMalformed))
    sawDocumentation = false
    isFirstOnLine = false
  }

  private mutating func single(_ kind: TokenKind) {
    index += 1
    emit(kind, from: index - 1)
  }

  private func range(_ start: Int, _ end: Int) -> SourceRange { SourceRange(file: file, start: start, end: end) }

  mutating func report(
    _ code: DiagnosticCode, _ message: String, _ start: Int, _ end: Int, severity: Severity = .error,
    advice: String = "", notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    diagnostics.append(
      Diagnostic(
        code, severity, message, at: range(start, end), advice: advice, notes: notes, fixes: fixes))
    if diagnostics.count >= Parser.maximumDiagnostics { hasGivenUp = true }
  }
}

// MARK: - Comments and what is no token

extension Lexer {
  private mutating func lineComment() {
    let start = index
    let isDocumentation = peek(2) == UInt8(ascii: "/")
    var isASCII = true
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") {
      if bytes[index] == 0 { return reportNoText() }
      if bytes[index] >= 0x80 { isASCII = false }
      index += 1
    }
    guard isDocumentation else { return }
    if isFirstOnLine {
      sawDocumentation = true
      if !isASCII { checkDocumentation(from: start) }
    } else {
      report(
        .strayDocumentation, "a doc comment must stand on a line of its own, before what it describes", start, index,
        advice: "move it up to its own line, or write `//`",
        fixes: [.replace(range(start, start + 3), with: "//")])
    }
  }

  /// Checks that a doc comment is UTF-8, since it is written into generated code. flatc accepts any bytes.
  private mutating func checkDocumentation(from start: Int) {
    var position = start
    var decoder = UTF8()
    var iterator = bytes[start..<index].makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): position += UTF8.width(scalar)
      case .emptyInput: return
      case .error:
        return report(
          .malformedUnicode, "this doc comment is not valid UTF-8: byte \(position) is \(hexadecimal(bytes[position]))",
          position, position + 1, severity: .warning, advice: "save the file as UTF-8",
          notes: ["what is no character becomes U+FFFD in generated code"])
      }
    }
  }

  private mutating func blockComment() {
    let start = index
    index += 2
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        index += 2
        return
      }
      if bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") { isFirstOnLine = true }
      if bytes[index] == 0 { return reportNoText() }
      index += 1
    }
    report(.unterminatedComment, "this comment is never closed", start, start + 2, advice: "close it with `*/`")
    hasGivenUp = true
  }

  /// Gives up: the byte here is one that no text has, so that the rest is not worth reading.
  private mutating func reportNoText() {
    report(
      .notText, "this is not a text file: byte \(index) is \(hexadecimal(bytes[index]))", index, index + 1,
      advice: "schemas are UTF-8 text", notes: Parser.dataNotes(path))
    hasGivenUp = true
  }

  /// Reports a run of bytes that belong to no token, with one diagnostic for all of them.
  private mutating func illegal() {
    let start = index
    if bytes[index] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
      index += 2
      report(
        .illegalCharacter, "this `*/` closes no comment", start, index, advice: "remove it",
        notes: ["comments do not nest: the first `*/` closes them"], fixes: [.remove("*/", at: range(start, index))])
      return emit(.invalid, from: start)
    }
    let context = MisplacedContext(
      file: file, bytes: bytes, index: start, previous: isFirstOnLine ? nil : tokens.last,
      beforePrevious: tokens.count > 1 ? tokens[tokens.count - 2] : nil,
      mayStartStatement: isFirstOnLine || tokens.last?.kind.mayEndStatement ?? true)
    if let character = context.find() { return misplaced(character) }
    while index < bytes.count, bytes[index].isIllegal, bytes[index] != UInt8(ascii: "@"),
      bytes[index] != UInt8(ascii: "|"), bytes[index] >= 0x20, bytes[index] < 0x80
    { index += 1 }
    if index < bytes.count, bytes[index] < 0x20, bytes[index].isIllegal, bytes[index] != 0x0C, bytes[index] != 0x0B {
      return reportNoText()
    }
    if index == start { index += 1 }
    let isFeed = bytes[start] == 0x0C
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    report(
      .illegalCharacter,
      isFeed || bytes[start] == 0x0B
        ? "a \(isFeed ? "form feed" : "vertical tab") cannot stand in a schema" : "`\(text)` means nothing in a schema",
      start, index, advice: "remove it",
      fixes: [Diagnostic.Fix("Remove it", [Diagnostic.Edit(range(start, index), "")])])
    emit(.invalid, from: start)
  }

  /// Reports a character that was probably meant to be another one, and goes on as if the other one stood there.
  private mutating func misplaced(_ character: MisplacedCharacter) {
    let start = index
    let edits = character.edits
    let title =
      edits.count == 1 && !edits[0].replacement.isEmpty ? "Replace with `\(edits[0].replacement)`" : character.advice
    report(
      character.code, character.message, character.start, character.end, advice: character.advice,
      fixes: edits.isEmpty ? [] : [Diagnostic.Fix(title, edits)])
    index = character.end
    switch character.meaning {
    case .nothing:
      // The character is part of the word before, which is then no name.
      if let last = tokens.last, Int(last.end) == start { tokens[tokens.count - 1].isMalformed = true }
      emit(.invalid, from: start)
    case .blank: break
    case .comment: lineComment()
    case .string: emit(.string, from: start, isMalformed: true)
    case .arguments: tokens[tokens.count - 1].isMalformed = true
    case .path: emit(.string, from: start)
    case .name(let name):
      emit(.identifier, from: name.lowerBound, isMalformed: true)
      tokens[tokens.count - 1].end = UInt32(name.upperBound)
    case .number: emit(.integer, from: character.start, isMalformed: true)
    case .punctuation(let byte):
      emit(TokenKind(punctuation: byte) ?? .invalid, from: start, isMalformed: true)
    }
  }
}

// MARK: - Numbers

extension Lexer {
  /// Reads a number: `12`, `-0x1F`, `1.`, `.5e3`, `0x1.8p-1`. What follows at once, such as the `abc` of `1abc`, is a
  /// token of its own.
  private mutating func number() {
    let start = index
    if bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
    let isHexadecimal = peek(0) == UInt8(ascii: "0") && peek(1) | 0x20 == UInt8(ascii: "x")
    if isHexadecimal { index += 2 }
    var digits = skipDigits(hexadecimal: isHexadecimal)
    var hasPoint = false
    if peek(0) == UInt8(ascii: ".") {
      hasPoint = true
      index += 1
      digits += skipDigits(hexadecimal: isHexadecimal)
    }
    var isWell = digits > 0
    var hasExponent = false
    let marker = isHexadecimal ? UInt8(ascii: "p") : UInt8(ascii: "e")
    if isWell, peek(0) | 0x20 == marker {
      hasExponent = true
      index += 1
      if peek(0) == UInt8(ascii: "+") || peek(0) == UInt8(ascii: "-") { index += 1 }
      isWell = skipDigits(hexadecimal: false) > 0
    }
    if isHexadecimal && hasPoint && !hasExponent { isWell = false }
    if isWell, !hasPoint, !hasExponent, !isHexadecimal, let separated = separatedDigits(from: start) {
      return misplaced(separated)
    }
    if isWell, hasPoint || hasExponent, peek(0) == UInt8(ascii: ".") {
      // 1.2.3 is one mistake, not a number and a mistake.
      isWell = false
      while peek(0).isDigit || peek(0) == UInt8(ascii: ".") { index += 1 }
    }
    if !isWell {
      if index == start { index += 1 }
      let text = String(decoding: bytes[start..<index], as: UTF8.self)
      let advice =
        isHexadecimal && hasPoint
        ? "a hexadecimal fraction needs an exponent, such as `p0`"
        : digits == 0
          ? (text == "-" || text == "+" ? "the sign must touch a number or a name" : "digits are missing")
          : "write a number such as `12`, `0x1F`, `1.5` or `1e3`"
      report(
        .malformedNumber, "`\(text)` is not a number", start, index, advice: advice,
        fixes: isHexadecimal && hasPoint && !hasExponent && digits > 0
          ? [.insert("p0", after: range(start, index))] : [])
    }
    emit(hasPoint || hasExponent ? .float : .integer, from: start, isMalformed: !isWell)
  }

  /// Returns the whole of `1_000` or `1'000`, after the first digits; nil if no separator follows, or letters end the digits.
  private func separatedDigits(from start: Int) -> MisplacedCharacter? {
    var end = index
    while end + 1 < bytes.count, bytes[end] == UInt8(ascii: "_") || bytes[end] == 0x27, bytes[end + 1].isDigit {
      end += 1
      while end < bytes.count, bytes[end].isDigit { end += 1 }
    }
    // Digits that letters follow are no number, but perhaps part of a name.
    guard end > index, end == bytes.count || !bytes[end].isIdentifierPart else { return nil }
    let number = String(decoding: bytes[start..<end].filter { $0 != UInt8(ascii: "_") && $0 != 0x27 }, as: UTF8.self)
    return MisplacedCharacter(
      meaning: .number, message: "the digits of a number have nothing between them", advice: "write `\(number)`",
      edits: [Diagnostic.Edit(range(start, end), number)], start: start, end: end)
  }

  private mutating func skipDigits(hexadecimal: Bool) -> Int {
    let start = index
    while hexadecimal ? peek(0).isHexadecimalDigit : peek(0).isDigit { index += 1 }
    return index - start
  }
}

// MARK: - Strings

extension Lexer {
  private mutating func string(quote: UInt8) {
    let start = index
    index += 1
    var isPlain = true
    var isWell = true
    while true {
      guard index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") else {
        report(
          .unterminatedString, "this string is never closed", start, start + 1,
          advice: "close it with `\(Character(UnicodeScalar(quote)))` on the same line",
          notes: ["a line break in a string is written `\\n`"])
        emit(.string, from: start, isMalformed: true)
        return
      }
      let byte = bytes[index]
      if byte == quote { break }
      if byte == UInt8(ascii: "\\") {
        isPlain = false
        // Whatever follows belongs to the escape: a quote does not close the string.
        if index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "\n"), bytes[index + 1] != UInt8(ascii: "\r") {
          index += 1
        }
      } else if byte >= 0x80 {
        isPlain = false
      } else if byte < 0x20 {
        let isTab = byte == UInt8(ascii: "\t")
        let escape = isTab ? "\\t" : "\\x\(hexadecimal(byte).dropFirst(2))"
        report(
          .illegalCharacter, "a \(isTab ? "tab" : "control character") cannot stand in a string", index, index + 1,
          advice: "write `\(escape)`", fixes: [.replace(range(index, index + 1), with: escape)])
        isWell = false
      }
      index += 1
    }
    index += 1
    if !isPlain && isWell {
      let content = bytes[(start + 1)..<(index - 1)]
      if let flaw = StringLiteral.decode(content, allowsInvalidUTF8: allowsInvalidUTF8).flaw {
        let fixes =
          flaw.isStrayBackslash ? [Diagnostic.Fix.insert("\\", after: range(flaw.start, flaw.start))] : []
        report(flaw.code, flaw.message, flaw.start, flaw.end, advice: flaw.advice, fixes: fixes)
        isWell = false
      }
    }
    emit(.string, from: start, isMalformed: !isWell)
  }
}

func hexadecimal(_ byte: UInt8) -> String {
  (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
}

extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  var isHexadecimalDigit: Bool {
    isDigit || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "f"))
  }

  var isIdentifierPart: Bool {
    isDigit || self == UInt8(ascii: "_") || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z"))
  }

  /// Whether no token can hold it, outside strings and comments.
  var isIllegal: Bool {
    if isIdentifierPart { return false }
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "."),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"):
      return false
    default:
      return true
    }
  }
}

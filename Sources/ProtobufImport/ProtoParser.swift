import FBSDiagnostics

extension ProtoFile {
  /// Reads a file of Protocol Buffers: proto2, proto3, or an edition.
  public init(_ source: SourceFile) throws(Mistake) {
    var parser = ProtoParser(source)
    try parser.parse()
    self = parser.file
  }
}

/// A word, number, string or sign of a text.
private struct ProtoToken {
  enum Kind { case word, number, string, sign, end }

  let kind: Kind
  let text: String
  let range: SourceRange
  /// The comments before it, a line each.
  let comments: [String]
}

private struct ProtoParser {
  private let source: SourceFile
  private var offset = 0
  private var token: ProtoToken
  private var depth = 0
  var file = ProtoFile()

  /// The deepest nesting that is read: flat enough for the stack.
  private static let maximumDepth = 64

  init(_ source: SourceFile) {
    self.source = source
    token = ProtoToken(kind: .end, text: "", range: SourceRange(file: source.id, start: 0, end: 0), comments: [])
    if source.bytes.starts(with: byteOrderMark) { offset = byteOrderMark.count }
    advance()
  }

  // MARK: Tokens

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private mutating func advance() {
    let bytes = source.bytes
    var comments: [String] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte <= 0x20 {
        // An empty line parts a comment from what follows.
        if byte == 0x0A, offset + 1 < bytes.count, bytes[offset + 1] == 0x0A { comments = [] }
        offset += 1
      } else if bytes[offset...].starts(with: "//".utf8) {
        let end = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
        comments.append(String(decoding: bytes[(offset + 2)..<end], as: UTF8.self).trimmedEnd)
        offset = end
      } else if bytes[offset...].starts(with: "/*".utf8) {
        var end = offset + 2
        while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
        let text = String(decoding: bytes[min(offset + 2, bytes.count)..<min(end, bytes.count)], as: UTF8.self)
        comments += text.split(whereSeparator: \.isNewline).map {
          String($0.drop { $0 == " " || $0 == "*" || $0 == "\t" }).trimmedEnd
        }.filter { !$0.isEmpty }.map { " " + $0 }
        offset = min(end + 2, bytes.count)
      } else {
        break
      }
    }
    let start = offset
    guard start < bytes.count else { return set(.end, start, comments) }
    let first = bytes[start]
    if isWord(first) {
      let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
      while offset < bytes.count, isWord(bytes[offset]) || bytes[offset] == UInt8(ascii: ".") { offset += 1 }
      return set(isNumber ? .number : .word, start, comments)
    }
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      offset += 1
      while offset < bytes.count, bytes[offset] != first, bytes[offset] != 0x0A {
        offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
      }
      offset = min(offset + 1, bytes.count)
      return set(.string, start, comments)
    }
    offset += 1
    // A character that is no sign of the language is one of UTF-8.
    while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    set(.sign, start, comments)
  }

  private mutating func set(_ kind: ProtoToken.Kind, _ start: Int, _ comments: [String]) {
    token = ProtoToken(
      kind: kind, text: String(decoding: source.bytes[start..<offset], as: UTF8.self),
      range: SourceRange(file: source.id, start: start, end: offset), comments: comments)
  }

  private mutating func take() -> ProtoToken {
    defer { advance() }
    return token
  }

  private func mistake(_ message: String) -> ProtoFile.Mistake { .init(range: token.range, message: message) }

  private mutating func expect(_ text: String) throws(ProtoFile.Mistake) {
    guard token.text == text, token.kind != .string else { throw mistake("`\(text)` belongs here") }
    advance()
  }

  private mutating func accepts(_ text: String) -> Bool {
    guard token.text == text, token.kind != .string, token.kind != .end else { return false }
    advance()
    return true
  }

  private mutating func word(_ what: String) throws(ProtoFile.Mistake) -> ProtoToken {
    guard token.kind == .word else { throw mistake("\(what) belongs here") }
    return take()
  }

  /// A name with points, which may start with one.
  private mutating func typeName() throws(ProtoFile.Mistake) -> String {
    let isAbsolute = accepts(".")
    return (isAbsolute ? "." : "") + (try word("a type").text)
  }

  private mutating func integer() throws(ProtoFile.Mistake) -> Int {
    let isNegative = accepts("-")
    let text = token.text.lowercased()
    let value =
      text.hasPrefix("0x")
      ? Int(text.dropFirst(2), radix: 16)
      : text.hasPrefix("0") && text.count > 1
        ? Int(text, radix: 8) : Int(text)
    guard token.kind == .number, let value else { throw mistake("a whole number belongs here") }
    advance()
    return isNegative ? -value : value
  }

  /// The content of a string literal. Escapes stay as they are: paths and names have none.
  private mutating func string() throws(ProtoFile.Mistake) -> String {
    guard token.kind == .string else { throw mistake("a string belongs here") }
    return String(take().text.dropFirst().dropLast())
  }

  /// Skips everything up to a `;`, or a block in braces.
  private mutating func skipStatement() throws(ProtoFile.Mistake) {
    var level = 0
    while token.kind != .end {
      let text = token.kind == .string ? "" : token.text
      if text == "{" || text == "[" { level += 1 }
      if text == "}" || text == "]" {
        // The brace closes the block around the statement.
        if level == 0 { return }
        level -= 1
      }
      advance()
      if level == 0, text == ";" || text == "}" {
        _ = accepts(";")
        return
      }
    }
    throw mistake("the text ends within a statement")
  }

  private mutating func note(_ text: String, at range: SourceRange) {
    file.notes.append(.init(range: range, text: text))
  }

  // MARK: The file

  mutating func parse() throws(ProtoFile.Mistake) {
    while token.kind != .end {
      switch token.kind == .word ? token.text : "" {
      case "syntax", "edition": try skipStatement()
      case "package":
        advance()
        file.package = try word("the name of a package").text
        try expect(";")
      case "import":
        advance()
        if token.kind == .word { advance() }
        file.imports.append(try string())
        try expect(";")
      case "message": file.messages.append(try message())
      case "enum": file.enums.append(try enumeration())
      case "service": file.services.append(try service())
      case "extend":
        note("extensions have no counterpart: fields are declared in their table", at: token.range)
        try skipStatement()
      case "option": try skipStatement()
      default:
        guard accepts(";") else { throw mistake("a message, enum or service belongs here") }
      }
    }
  }

  private mutating func message() throws(ProtoFile.Mistake) -> ProtoFile.Message {
    let comments = take().comments
    let name = try word("the name of a message")
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.maximumDepth else { throw mistake("messages are nested too deeply") }
    var message = ProtoFile.Message(name: name.text, comments: comments, range: name.range)
    try expect("{")
    while !accepts("}") {
      switch token.kind == .word ? token.text : "" {
      case "message": message.messages.append(try self.message())
      case "enum": message.enums.append(try enumeration())
      case "oneof":
        advance()
        let oneof = try word("the name of a oneof").text
        message.oneofs.append(oneof)
        try expect("{")
        while !accepts("}") {
          if token.text == "option" { try skipStatement() } else { message.fields.append(try field(of: oneof)) }
        }
      case "extensions", "extend", "group":
        note("`\(token.text)` has no counterpart, and is left out", at: token.range)
        try skipStatement()
      case "reserved":
        note("reserved numbers and names are not kept: ids of a table have no gaps", at: token.range)
        try skipStatement()
      case "option": try skipStatement()
      default:
        if accepts(";") { continue }
        message.fields.append(try field(of: nil))
      }
    }
    return message
  }

  private mutating func field(of oneof: String?) throws(ProtoFile.Mistake) -> ProtoFile.Field {
    let comments = token.comments
    var label = ProtoFile.Field.Label.none
    switch token.text {
    case "optional": label = .optional
    case "required": label = .required
    case "repeated": label = .repeated
    default: break
    }
    if label != .none { advance() }
    var keyType: String?
    var type = try typeName()
    if type == "map", accepts("<") {
      keyType = try typeName()
      try expect(",")
      type = try typeName()
      try expect(">")
    }
    let name = try word("the name of a field")
    try expect("=")
    let number = try integer()
    let options = try self.options()
    if type == "group" {
      note("groups have no counterpart: write a message", at: name.range)
      try skipStatement()
    } else {
      try expect(";")
    }
    return ProtoFile.Field(
      label: label, type: type, keyType: keyType, name: name.text, number: number, options: options, oneof: oneof,
      comments: comments, range: name.range)
  }

  /// The options in brackets, by name, with their values as they are written.
  private mutating func options() throws(ProtoFile.Mistake) -> [String: String] {
    guard accepts("[") else { return [:] }
    var options: [String: String] = [:]
    while !accepts("]") {
      var name = ""
      while token.text != "=", token.kind != .end { name += take().text }
      try expect("=")
      var value = ""
      var level = 0
      while token.kind != .end {
        let text = token.kind == .string ? "" : token.text
        if level == 0, text == "," || text == "]" { break }
        if text == "{" || text == "[" { level += 1 }
        if text == "}" || text == "]" { level -= 1 }
        value += take().text
      }
      guard token.kind != .end else { throw mistake("the options are not closed") }
      options[name] = value
      _ = accepts(",")
    }
    return options
  }

  private mutating func enumeration() throws(ProtoFile.Mistake) -> ProtoFile.Enumeration {
    let comments = take().comments
    let name = try word("the name of an enum")
    var item = ProtoFile.Enumeration(name: name.text, comments: comments, range: name.range)
    try expect("{")
    while !accepts("}") {
      if token.text == "option" || token.text == "reserved" {
        try skipStatement()
        continue
      }
      if accepts(";") { continue }
      let comments = token.comments
      let value = try word("the name of a value")
      try expect("=")
      let number = try integer()
      _ = try options()
      try expect(";")
      item.values.append(.init(name: value.text, number: number, comments: comments, range: value.range))
    }
    return item
  }

  private mutating func service() throws(ProtoFile.Mistake) -> ProtoFile.Service {
    let comments = take().comments
    let name = try word("the name of a service")
    var service = ProtoFile.Service(name: name.text, comments: comments, range: name.range)
    try expect("{")
    while !accepts("}") {
      guard token.text == "rpc" else {
        if !accepts(";") { try skipStatement() }
        continue
      }
      let comments = take().comments
      let method = try word("the name of a method")
      let request = try argument()
      try expect("returns")
      let response = try argument()
      if token.text == "{" { try skipStatement() } else { try expect(";") }
      service.methods.append(
        .init(
          name: method.text, request: request.type, response: response.type, streamsRequest: request.isStream,
          streamsResponse: response.isStream, comments: comments, range: method.range))
    }
    return service
  }

  private mutating func argument() throws(ProtoFile.Mistake) -> (type: String, isStream: Bool) {
    try expect("(")
    var type = try typeName()
    var isStream = false
    if type == "stream", token.text != ")" {
      isStream = true
      type = try typeName()
    }
    try expect(")")
    return (type, isStream)
  }
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self[...]
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return String(text)
  }
}

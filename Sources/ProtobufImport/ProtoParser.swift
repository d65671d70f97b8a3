import FBSDiagnostics

extension ProtoFile {
  /// Reads a file of Protocol Buffers: proto2, proto3, or an edition.
  public init(_ source: SourceFile) throws(Mistake) {
    var parser = ProtoParser(source)
    let result = Result { () throws(Mistake) in try parser.parse() }
    if let mistake = parser.lexicalMistake { throw mistake }
    try result.get()
    self = parser.file
  }
}

private struct ProtoParser {
  private var lexer: ProtoLexer
  private var token: ProtoToken
  /// The end of the token before.
  private var previousEnd = 0
  private var depth = 0
  var file = ProtoFile()

  /// The deepest nesting that is read: flat enough for the stack.
  private static let maximumDepth = 64

  init(_ source: SourceFile) {
    lexer = ProtoLexer(source)
    token = lexer.next()
  }

  // MARK: Tokens

  /// A string or comment that is not closed, among the tokens that were read; nil if there is none.
  var lexicalMistake: ProtoFile.Mistake? { lexer.mistake }

  private mutating func advance() {
    previousEnd = lexer.end
    token = lexer.next()
  }

  /// The comments behind the token before, on its line.
  private var commentsBehind: [String] { token.commentsBehindPrevious }

  /// Returns the comments behind the brace before, if it ends a declaration of one line.
  private func commentsBehindLine(from start: Int) -> [String] {
    lexer.source.bytes[start..<previousEnd].contains(UInt8(ascii: "\n")) ? [] : commentsBehind
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

  /// Returns a name without points.
  private mutating func plainWord(_ what: String) throws(ProtoFile.Mistake) -> ProtoToken {
    guard !token.text.contains(".") else { throw mistake("\(what) belongs here, without a point") }
    return try word(what)
  }

  /// Returns a name with points, which may start with one.
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

  /// Returns the content of a string literal. Escapes stay as they are: paths and names have none.
  private mutating func string() throws(ProtoFile.Mistake) -> String {
    guard token.kind == .string else { throw mistake("a string belongs here") }
    return String(take().text.dropFirst().dropLast())
  }

  /// Skips everything up to a `;`, or a block in braces.
  /// - Returns: What was skipped, without blanks and comments.
  @discardableResult
  private mutating func skipStatement() throws(ProtoFile.Mistake) -> String {
    var level = 0
    var skipped = ""
    while token.kind != .end {
      let text = token.kind == .string ? "" : token.text
      if text == "{" || text == "[" { level += 1 }
      if text == "}" || text == "]" {
        // The brace closes the block around the statement.
        if level == 0, text == "}" { return skipped }
        guard level > 0 else { throw mistake("`]` closes nothing") }
        level -= 1
      }
      skipped += take().text
      if level == 0, text == ";" || text == "}" {
        _ = accepts(";")
        return skipped
      }
    }
    throw mistake("the text ends within a statement")
  }

  private mutating func note(_ text: String, at range: SourceRange) {
    file.notes.append(.init(range: range, text: text))
  }

  // MARK: The file

  mutating func parse() throws(ProtoFile.Mistake) {
    var presence: ProtoPresence?
    var isEdition = false
    while token.kind != .end {
      skipVisibility()
      switch token.kind == .word ? token.text : "" {
      case "syntax": try skipStatement()
      case "edition":
        isEdition = true
        try skipStatement()
      case "package":
        advance()
        file.package = try word("the name of a package").text
        try expect(";")
      case "import":
        advance()
        // What `import option` brings is for options alone, which have no counterpart.
        let isForOptions = accepts("option")
        if token.kind == .word { advance() }
        let range = token.range
        let path = try string()
        if !isForOptions { file.imports.append(.init(path: path, range: range)) }
        try expect(";")
      case "message": file.messages.append(try message())
      case "enum": file.enums.append(try enumeration())
      case "service": file.services.append(try service())
      case "extend":
        note("extensions have no counterpart: fields are declared in their table", at: token.range)
        try skipStatement()
      case "option": presence = ProtoPresence(statement: try skipStatement()) ?? presence
      default:
        guard accepts(";") else { throw mistake("a message, enum or service belongs here") }
      }
    }
    // The files of google.protobuf itself need each other's types.
    if file.package != "google.protobuf" { file.imports.removeAll { Self.isWellKnown($0.path) } }
    // The option of the file may stand behind the messages.
    if isEdition {
      for index in file.messages.indices { file.messages[index].labelFields(presence ?? .explicit) }
    }
  }

  /// Returns whether a path is that of a file of google.protobuf itself. Those below it, such as
  /// google/protobuf/compiler/plugin.proto, are files as any other.
  private static func isWellKnown(_ path: String) -> Bool {
    let folder = "google/protobuf/"
    return path.hasPrefix(folder) && !path.dropFirst(folder.count).contains("/")
  }

  /// Skips `export` or `local` before a message or an enum, which gets the comments before it. In a schema, all
  /// types are visible to the files that include it.
  private mutating func skipVisibility() {
    guard token.kind == .word, ["export", "local"].contains(token.text) else { return }
    // These words may also be the type of a field, and the others its name: `local message = 1;`.
    var ahead = lexer
    let keyword = ahead.next()
    guard ["message", "enum"].contains(keyword.text), ahead.next().kind == .word else { return }
    let comments = token.comments
    advance()
    token.comments = comments + token.comments
  }

  private mutating func message() throws(ProtoFile.Mistake) -> ProtoFile.Message {
    let comments = take().comments
    let name = try plainWord("the name of a message")
    return try message(name, comments)
  }

  /// Reads the braces of a message or group, and all that stands in them.
  private mutating func message(
    _ name: ProtoToken, _ comments: [String]
  ) throws(ProtoFile.Mistake) -> ProtoFile.Message {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.maximumDepth else { throw mistake("messages are nested too deeply") }
    var message = ProtoFile.Message(name: name.text, comments: comments, range: name.range)
    try expect("{")
    message.comments += commentsBehind
    while !accepts("}") {
      skipVisibility()
      switch token.kind == .word ? token.text : "" {
      case "message": message.messages.append(try self.message())
      case "enum": message.enums.append(try enumeration())
      case "oneof": try oneof(&message)
      case "extensions", "extend":
        note("`\(token.text)` has no counterpart, and is left out", at: token.range)
        try skipStatement()
      case "reserved":
        note("reserved numbers and names are not kept: ids of a table have no gaps", at: token.range)
        try skipStatement()
      case "option": try skipStatement()
      default:
        if accepts(";") { continue }
        try field(of: nil, &message)
      }
    }
    message.comments += commentsBehindLine(from: name.range.start)
    return message
  }

  private mutating func oneof(_ message: inout ProtoFile.Message) throws(ProtoFile.Mistake) {
    var comments = take().comments
    let name = try plainWord("the name of a oneof")
    try expect("{")
    comments += commentsBehind
    let count = message.fields.count
    while !accepts("}") {
      if token.text == "option" {
        try skipStatement()
      } else if !accepts(";") {
        try field(of: name.text, &message)
      }
    }
    guard message.fields.count > count else {
      throw ProtoFile.Mistake(range: name.range, message: "the oneof `\(name.text)` has no fields")
    }
    message.oneofs.append(.init(name: name.text, comments: comments, range: name.range))
  }

  /// Reads a field, or a group, which is a field and its message.
  private mutating func field(
    of oneof: String?, _ message: inout ProtoFile.Message
  ) throws(ProtoFile.Mistake) {
    var comments = token.comments
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
    let name = try plainWord("the name of a field")
    try expect("=")
    let number = try integer()
    let options = try self.options()
    var fieldName = name.text
    let isGroup = type == "group"
    if isGroup {
      // Its message has the name that is written, and its field the same in lower case.
      message.messages.append(try self.message(name, comments))
      (type, fieldName) = (name.text, name.text.lowercased())
      _ = accepts(";")
    } else {
      try expect(";")
    }
    if !isGroup { comments += commentsBehind }
    message.fields.append(
      ProtoFile.Field(
        label: label, type: type, keyType: keyType, name: fieldName, number: number, options: options, oneof: oneof,
        comments: comments, range: name.range))
  }

  /// Returns the options in brackets, by name, with their values as they are written.
  private mutating func options() throws(ProtoFile.Mistake) -> [String: ProtoFile.Option] {
    guard accepts("[") else { return [:] }
    var options: [String: ProtoFile.Option] = [:]
    while !accepts("]") {
      var name = ""
      while token.text != "=", token.kind != .end { name += take().text }
      try expect("=")
      var value = ""
      var string: [UInt8]? = []
      var level = 0
      while token.kind != .end {
        let text = token.kind == .string ? "" : token.text
        if level == 0, text == "," || text == "]" { break }
        if text == "{" || text == "[" { level += 1 }
        if text == "}" || text == "]" { level -= 1 }
        if token.kind == .string { string? += ProtoEscapes.bytes(of: token.text) } else { string = nil }
        value += take().text
      }
      guard token.kind != .end else { throw mistake("the options are not closed") }
      options[name] = .init(text: value, string: string)
      _ = accepts(",")
    }
    return options
  }

  private mutating func enumeration() throws(ProtoFile.Mistake) -> ProtoFile.Enumeration {
    let comments = take().comments
    let name = try plainWord("the name of an enum")
    var item = ProtoFile.Enumeration(name: name.text, comments: comments, range: name.range)
    try expect("{")
    item.comments += commentsBehind
    while !accepts("}") {
      if token.text == "option" || token.text == "reserved" {
        try skipStatement()
        continue
      }
      if accepts(";") { continue }
      let comments = token.comments
      let value = try plainWord("the name of a value")
      try expect("=")
      let number = try integer()
      _ = try options()
      try expect(";")
      item.values.append(
        .init(name: value.text, number: number, comments: comments + commentsBehind, range: value.range))
    }
    guard !item.values.isEmpty else {
      throw ProtoFile.Mistake(range: name.range, message: "the enum `\(name.text)` has no values")
    }
    item.comments += commentsBehindLine(from: name.range.start)
    return item
  }

  private mutating func service() throws(ProtoFile.Mistake) -> ProtoFile.Service {
    let comments = take().comments
    let name = try plainWord("the name of a service")
    var service = ProtoFile.Service(name: name.text, comments: comments, range: name.range)
    try expect("{")
    service.comments += commentsBehind
    while !accepts("}") {
      guard token.text == "rpc" else {
        if !accepts(";") { try skipStatement() }
        continue
      }
      var comments = take().comments
      let method = try plainWord("the name of a method")
      let request = try argument()
      try expect("returns")
      let response = try argument()
      if accepts("{") {
        comments += commentsBehind
        while !accepts("}") {
          guard token.kind != .end else { throw mistake("the text ends within a statement") }
          if !accepts(";") { try skipStatement() }
        }
        comments += commentsBehindLine(from: method.range.start)
        _ = accepts(";")
      } else {
        try expect(";")
        comments += commentsBehind
      }
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

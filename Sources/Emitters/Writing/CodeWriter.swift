/// Collects source text line by line, with its indentation. The text is kept as UTF-8, as it is written to files.
public struct CodeWriter: Sendable {
  /// The text written so far.
  public private(set) var bytes: [UInt8] = []
  private var depth = 0
  /// The access level of the declarations that follow. It replaces the `public` that emitters write.
  var access = AccessLevel.public

  /// Creates an empty text.
  ///
  /// - Parameter capacity: the expected number of bytes. Reserved memory that is never written costs nothing. A text
  ///   that outgrows its memory is copied, and takes twice the memory for a moment.
  public init(capacity: Int = 16 * 1024) {
    bytes.reserveCapacity(capacity)
  }

  /// Writes a line at the present indentation.
  public mutating func line(_ text: CodeText) {
    indent()
    append(beginning: text)
    bytes.append(Self.newline)
  }

  /// Writes a line at the present indentation. Literals use the other overload, which is quicker.
  @_disfavoredOverload
  public mutating func line(_ text: String) { line(CodeText(text)) }

  /// Appends the beginning of a line. In a declaration that is `public`, perhaps after attributes, `access` replaces
  /// that word.
  private mutating func append(beginning text: CodeText) {
    guard access < .public else { return bytes.append(text) }
    var line: [UInt8] = []
    line.append(text)
    // Only public declarations can be compiled into their clients.
    line.removePrefix(Attributes.compiledWhereUsed + " ")
    let hasAttributes = line.first == UInt8(ascii: "@")
    let start = hasAttributes ? line.firstRange(of: Array(" public ".utf8)).map { $0.lowerBound + 1 } : 0
    if let start, line[start...].starts(with: Self.publicWord) {
      line.replaceSubrange(start..<start + Self.publicWord.count, with: access == .package ? "package ".utf8 : "".utf8)
    }
    bytes += line
  }

  private mutating func indent() {
    for _ in 0..<2 * depth { bytes.append(Self.space) }
  }

  /// Writes an empty line.
  public mutating func blank() {
    bytes.append(Self.newline)
  }

  /// Writes `head {`, then the output of `body` one level deeper, then `}`.
  public mutating func block(_ head: CodeText, _ body: (inout CodeWriter) -> Void) {
    line("\(head) {")
    indented(body)
    line("}")
  }

  /// Writes `head {`, then the output of `body` one level deeper, then `}`.
  @_disfavoredOverload
  public mutating func block(_ head: String, _ body: (inout CodeWriter) -> Void) { block(CodeText(head), body) }

  /// Writes `head { statements }` on one line if it fits, otherwise with each statement on a line of its own.
  public mutating func body(_ head: CodeText, _ statements: [CodeText]) {
    let width = statements.reduce(head.count + 5 + 2 * depth) { $0 + $1.count } + 2 * (statements.count - 1)
    guard width <= Self.lineLength else {
      return block(head) { writer in
        for statement in statements { writer.line(statement) }
      }
    }
    indent()
    append(beginning: head)
    bytes.append(utf8Of: " { ")
    for (index, statement) in statements.enumerated() {
      if index > 0 { bytes.append(utf8Of: "; ") }
      bytes.append(statement)
    }
    line(endingWith: " }")
  }

  /// Writes the output of `body` one level deeper.
  public mutating func indented(_ body: (inout CodeWriter) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// Writes `head(items)tail` on one line if it fits, otherwise with the items on lines of their own, as many on each
  /// as fit, as swift-format lays out arguments. Parentheses that end a call stay with the last item.
  public mutating func list(_ head: CodeText, _ items: [CodeText], _ tail: CodeText) {
    let width = items.reduce(head.count + tail.count + 2 * depth) { $0 + $1.count + 2 }
    if width <= Self.lineLength {
      indent()
      append(beginning: head)
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(utf8Of: ", ") }
        bytes.append(item)
      }
      line(endingWith: tail)
      return
    }
    line(head)
    let endsCall = tail.count <= 2
    indented { $0.filled(items, endsCall ? tail : "") }
    if !endsCall { line(tail) }
  }

  /// Writes one declaration of several constants, as many on a line as fit. Each binding is a name, `=` and its value.
  mutating func bindings(_ bindings: [CodeText]) {
    let width = bindings.reduce(2 * depth + 4) { $0 + $1.count + 2 }
    if width <= Self.lineLength { return list("let ", bindings, "") }
    line("let")
    indented { $0.filled(bindings, "") }
  }

  /// Writes items, separated by commas, as many on a line as fit, and `tail` after the last one.
  private mutating func filled(_ items: [CodeText], _ tail: CodeText) {
    var column = 0
    for (index, item) in items.enumerated() {
      // Including the comma or tail after it.
      let width = item.count + (index < items.count - 1 ? 1 : tail.count)
      if index > 0, column + 1 + width <= Self.lineLength {
        bytes.append(Self.space)
        column += 1
      } else {
        if index > 0 { bytes.append(Self.newline) }
        indent()
        column = 2 * depth
      }
      bytes.append(item)
      if index < items.count - 1 { bytes.append(Self.comma) }
      column += width
    }
    line(endingWith: tail)
  }

  private mutating func line(endingWith text: CodeText) {
    bytes.append(text)
    bytes.append(Self.newline)
  }

  /// Writes `head(items)tail`, as the overload for code does.
  @_disfavoredOverload
  public mutating func list(_ head: String, _ items: [String], _ tail: String) {
    list(CodeText(head), items.map { CodeText($0) }, CodeText(tail))
  }

  /// Writes the lines of a doc comment, which have the same form in a schema and in Swift.
  public mutating func documentation(_ lines: [String]) {
    for text in lines {
      line("///\(text)")
    }
  }

  /// The most arguments, other than plain names, of a call in generated code. The Swift compiler infers the types of
  /// all of them together, in quadratic time.
  static let longestCall = 40

  /// The greatest length of a line, if it can be kept.
  static let lineLength = 120
  private static let publicWord = Array("public ".utf8)
  private static let space: UInt8 = 0x20
  private static let newline: UInt8 = 0x0A
  private static let comma: UInt8 = 0x2C
}

extension [UInt8] {
  fileprivate mutating func removePrefix(_ prefix: String) {
    if starts(with: prefix.utf8) { removeFirst(prefix.utf8.count) }
  }
}

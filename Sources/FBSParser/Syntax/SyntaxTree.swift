import FBSDiagnostics

/// The structure of one file: its declarations in order. It holds every token, and so the whole text.
///
/// Nodes are small values in arrays, and refer to tokens and to one another by index. What the words mean is not known
/// here: names are tokens, and types and defaults are as they were written.
public struct SyntaxTree: Sendable {
  /// The text that was parsed.
  public private(set) var source: SourceFile
  /// All tokens in order, the last one being the end of the file.
  public let tokens: ContiguousArray<Token>
  /// The statements at the top level of the file, in order. A declaration too broken to be told apart is missing.
  public internal(set) var items: [ItemSyntax] = []
  /// The fields of tables and structs.
  public internal(set) var fields: ContiguousArray<FieldSyntax> = []
  /// The values of enums.
  public internal(set) var enumValues: ContiguousArray<EnumValueSyntax> = []
  /// The members of unions.
  public internal(set) var unionMembers: ContiguousArray<UnionMemberSyntax> = []
  /// The methods of services.
  public internal(set) var methods: ContiguousArray<MethodSyntax> = []
  /// Attributes, wherever they stand.
  public internal(set) var attributes: ContiguousArray<AttributeSyntax> = []
  /// Types, as they were written.
  public internal(set) var types: ContiguousArray<TypeSyntax> = []
  /// Defaults and attributes' values, as they were written.
  public internal(set) var values: ContiguousArray<ValueSyntax> = []
  /// The names of definitions that could not be read, which was reported.
  package internal(set) var unreadNames: Set<String> = []
  /// Whether an include was written in a way that does not tell which file is meant, which was reported.
  public internal(set) var hasUnreadInclude = false
  /// The values of the JSON object, each before those that stand in it. The first one is the object itself.
  public internal(set) var json: ContiguousArray<JSONSyntax> = []

  init(source: SourceFile, tokens: ContiguousArray<Token>) {
    self.source = source
    self.tokens = tokens
    // A field has four tokens or more. Memory that is asked for at once is not copied while it fills, and costs nothing where it
    // stays empty; but a text of data, which may have any length, has no fields.
    let mostFields = min(tokens.count / 4, 1 << 16)
    fields.reserveCapacity(mostFields)
    types.reserveCapacity(mostFields)
  }

  /// Returns the tree for a file with the same path and text, of this run or another one.
  package func moved(to source: SourceFile) -> SyntaxTree {
    var tree = self
    tree.source = source
    return tree
  }

  /// Appends the text, byte for byte, from the tokens and what stands between them.
  public func write(to output: inout [UInt8]) {
    var end = 0
    for token in tokens {
      output.append(contentsOf: source.bytes[end..<Int(token.start)])
      output.append(contentsOf: source.bytes[Int(token.start)..<Int(token.end)])
      end = Int(token.end)
    }
  }

  /// Returns the bytes of a token.
  public func bytes(of token: TokenIndex) -> ArraySlice<UInt8> {
    source.bytes[Int(tokens[token].start)..<Int(tokens[token].end)]
  }

  /// Returns the text of a token, as it was written.
  public func text(of token: TokenIndex) -> String {
    String(decoding: bytes(of: token), as: UTF8.self)
  }

  /// Returns the text of a run of tokens, as it was written.
  public func text(of span: TokenSpan) -> String {
    String(decoding: source.bytes[Int(tokens[span.first].start)..<Int(tokens[span.last].end)], as: UTF8.self)
  }

  /// Returns whether a token is `word`.
  public func token(_ token: TokenIndex, is word: StaticString) -> Bool {
    let text = bytes(of: token)
    guard text.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { text.elementsEqual($0) }
  }

  /// Returns the value of a string token: its content with the escapes applied. Nil if it is malformed, which was reported.
  public func stringValue(of token: TokenIndex) -> String? {
    stringBytes(of: token).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the bytes that a string token means: UTF-8, unless the text was parsed with `allowsInvalidUTF8`. Nil if the token
  /// is no string or malformed.
  public func stringBytes(of token: TokenIndex) -> ArraySlice<UInt8>? {
    guard tokens[token].kind == .string, !tokens[token].isMalformed else { return nil }
    let content = bytes(of: token).dropFirst().dropLast()
    guard content.contains(UInt8(ascii: "\\")) else { return content }
    // Bytes that must be UTF-8 were checked when the token was read.
    return StringLiteral.decode(content, allowsInvalidUTF8: true).bytes[...]
  }

  /// Returns the range of a token.
  public func range(of token: TokenIndex) -> SourceRange {
    SourceRange(file: source.id, start: Int(tokens[token].start), end: Int(tokens[token].end))
  }

  /// Returns the range of a run of tokens.
  public func range(of span: TokenSpan) -> SourceRange {
    SourceRange(file: source.id, start: Int(tokens[span.first].start), end: Int(tokens[span.last].end))
  }

  /// Returns the lines of the doc comments before a token, as they stand after the slashes.
  public func documentation(before token: TokenIndex) -> [String] {
    guard tokens[token].hasDocumentation else { return [] }
    let bytes = source.bytes
    let end = Int(tokens[token].start)
    var index = token == 0 ? 0 : Int(tokens[token - 1].end)
    var lines: [String] = []
    while index < end {
      let start = index
      if bytes[index] == UInt8(ascii: "/"), index + 1 < end, bytes[index + 1] == UInt8(ascii: "*") {
        index += 2
        while index + 1 < end, bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/") { index += 1 }
        index += 2
      } else if bytes[index] == UInt8(ascii: "/") {
        while index < end, bytes[index] != UInt8(ascii: "\n"), bytes[index] != UInt8(ascii: "\r") { index += 1 }
        if start + 2 < index, bytes[start + 2] == UInt8(ascii: "/") {
          lines.append(String(decoding: bytes[(start + 3)..<index], as: UTF8.self))
        }
      } else {
        index += 1
      }
    }
    return lines
  }
}

/// A run of tokens: one at least.
public struct TokenSpan: Hashable, Sendable {
  private let lower: UInt32
  private let upper: UInt32

  /// Creates the span of the tokens from `first` to `last`.
  public init(_ first: TokenIndex, _ last: TokenIndex) {
    lower = UInt32(first)
    upper = UInt32(last)
  }

  /// The first token.
  public var first: TokenIndex { Int(lower) }
  /// The last token.
  public var last: TokenIndex { Int(upper) }
  /// The names of a dotted path, `A.B.C`: every second token.
  public var components: StrideThrough<TokenIndex> { stride(from: first, through: last, by: 2) }
}

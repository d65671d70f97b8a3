import FBSDiagnostics

/// The tokens of a file that start a line of their own, and those that follow the token before, with a blank or
/// without.
///
/// The plan is made from the tokens alone, in one pass: the file has no syntax errors, so that brackets match.
struct FormatPlan {
  /// The role of a token in the layout.
  enum Role {
    /// The token starts a declaration, a field, a value, or an entry of an object.
    case start
    /// The token closes a group.
    case closer
    /// The token continues what a token before it started, with a blank before it or without.
    case inner(isSpaced: Bool)
  }

  /// Brackets with entries between them, which stand on one line or on a line each.
  struct Group {
    /// The opening bracket.
    let opener: TokenIndex
    /// The closing bracket.
    var closer: TokenIndex
    /// The indentation of the group's entries, in levels.
    let depth: Int
    /// Whether the group has blanks inside its brackets when it stands on one line.
    let isSpaced: Bool
    /// Whether the group is the body of a declaration, rather than part of an object in JSON.
    let isBody: Bool
    /// Whether its entries stand on lines of their own.
    var isBroken = false
  }

  private(set) var roles: ContiguousArray<Role> = []
  /// The group that each token is an entry or a closer of, or stands inside an entry of. The first group is the file.
  private(set) var groupOfToken: ContiguousArray<Int32> = []
  var groups: [Group] = []

  private let tree: SyntaxTree
  private let lines: LineTable
  private var open: [Int] = []

  init(_ tree: SyntaxTree) {
    self.tree = tree
    lines = LineTable(tree.source.bytes)
    roles.reserveCapacity(tree.tokens.count)
    groupOfToken.reserveCapacity(tree.tokens.count)
    let end = tree.tokens.count - 1
    groups.append(Group(opener: -1, closer: end, depth: 0, isSpaced: false, isBody: false, isBroken: true))
    open.append(0)
    while roles.count < end {
      if tree.tokens[roles.count].kind == .leftBrace { planObject() } else { planItem() }
    }
    add(.closer)
  }

  // MARK: Building

  private var next: TokenIndex { roles.count }

  private func kind(_ token: TokenIndex) -> TokenKind? {
    tree.tokens.indices.contains(token) ? tree.tokens[token].kind : nil
  }

  private mutating func add(_ role: Role) {
    groupOfToken.append(Int32(open[open.count - 1]))
    roles.append(role)
  }

  private mutating func openGroup(isSpaced: Bool, isBody: Bool) {
    let depth = groups[open[open.count - 1]].depth + 1
    open.append(groups.count)
    groups.append(Group(opener: next - 1, closer: next - 1, depth: depth, isSpaced: isSpaced, isBody: isBody))
  }

  private mutating func closeGroup() {
    let index = open[open.count - 1]
    add(.closer)
    open.removeLast()
    let opener = groups[index].opener
    let closer = next - 1
    groups[index].closer = closer
    let isEmpty = closer == opener + 1 && trivia(before: closer).comments.isEmpty
    groups[index].isBroken =
      !isEmpty && lines.line(of: Int(tree.tokens[opener].end)) != lines.line(of: Int(tree.tokens[closer].start))
  }

  func trivia(before token: TokenIndex) -> Trivia {
    let start = token == 0 ? 0 : Int(tree.tokens[token - 1].end)
    return Trivia(tree.source.bytes, in: start..<Int(tree.tokens[token].start))
  }

  // MARK: Declarations

  /// The kind of a declaration's body, as its first words tell it.
  private enum ItemKind {
    case statement
    case fields
    case values
    case methods
  }

  private func itemKind(_ token: TokenIndex) -> ItemKind {
    if tree.token(token, is: "table") || tree.token(token, is: "struct") { return .fields }
    if tree.token(token, is: "enum") || tree.token(token, is: "union") { return .values }
    if tree.token(token, is: "rpc_service") { return .methods }
    return .statement
  }

  private mutating func planItem() {
    let item = itemKind(next)
    add(.start)
    var parentheses = 0
    while let kind = kind(next), kind != .endOfFile {
      if kind == .leftBrace, item != .statement {
        add(.inner(isSpaced: true))
        return planBody(item)
      }
      addInner(parentheses: &parentheses)
      if kind == .semicolon, item == .statement { return }
    }
  }

  private mutating func planBody(_ item: ItemKind) {
    openGroup(isSpaced: true, isBody: true)
    let separator: TokenKind = item == .values ? .comma : .semicolon
    var isStart = true
    var parentheses = 0
    /// The method's name has been read, but not yet its request type.
    var awaitsRequest = false
    while let kind = kind(next), kind != .endOfFile {
      if kind == .rightBrace { return closeGroup() }
      if isStart {
        isStart = false
        parentheses = 0
        awaitsRequest = item == .methods
        add(.start)
      } else if kind == .leftParenthesis, awaitsRequest {
        awaitsRequest = false
        parentheses += 1
        add(.inner(isSpaced: false))
      } else {
        addInner(parentheses: &parentheses)
        isStart = kind == separator && parentheses == 0
      }
    }
  }

  /// Adds a token that continues a line.
  private mutating func addInner(parentheses: inout Int) {
    let isSpaced = isSpaced(next, inParentheses: parentheses > 0)
    switch tree.tokens[next].kind {
    case .leftParenthesis: parentheses += 1
    case .rightParenthesis: parentheses -= 1
    default: break
    }
    add(.inner(isSpaced: isSpaced))
  }

  private func isSpaced(_ token: TokenIndex, inParentheses: Bool) -> Bool {
    switch tree.tokens[token].kind {
    case .semicolon, .comma, .rightParenthesis, .rightBracket, .dot, .colon:
      return false
    case .leftParenthesis:
      return !isCall(token, isInValue: inParentheses || kind(token - 2) == .equals)
    default:
      break
    }
    switch kind(token - 1) {
    case .leftParenthesis, .leftBracket, .dot, .plus, .minus:
      return false
    case .colon:
      // `[int:3]` is one type; everywhere else a blank follows.
      return kind(token + 1) != .rightBracket || kind(token) != .integer
    default:
      return true
    }
  }

  /// Returns whether a parenthesis belongs to a function's name, as in `rad(180)`: it does if it directly follows the name.
  private func isCall(_ token: TokenIndex, isInValue: Bool) -> Bool {
    isInValue && kind(token - 1) == .identifier && tree.tokens[token - 1].end == tree.tokens[token].start
  }

  // MARK: Objects in JSON

  private mutating func planObject() {
    var isStart = true
    var parentheses = 0
    let outermost = open.count
    repeat {
      guard let kind = kind(next), kind != .endOfFile else { return }
      switch kind {
      case .rightBrace where open.count > outermost, .rightBracket where open.count > outermost:
        closeGroup()
        isStart = false
      case .leftBrace, .leftBracket:
        add(isStart ? .start : .inner(isSpaced: true))
        openGroup(isSpaced: kind == .leftBrace, isBody: false)
        isStart = true
        continue
      default:
        if isStart {
          add(.start)
          isStart = false
        } else if kind == .leftParenthesis {
          add(.inner(isSpaced: !isCall(next, isInValue: true)))
          parentheses += 1
        } else if kind == .colon {
          add(.inner(isSpaced: false))
        } else {
          if kind == .rightParenthesis { parentheses -= 1 }
          let isTight = [.leftParenthesis, .plus, .minus].contains(self.kind(next - 1))
          add(.inner(isSpaced: !isTight && kind != .comma && kind != .rightParenthesis && kind != .dot))
          isStart = kind == .comma && parentheses == 0
        }
      }
    } while open.count > outermost
  }
}

/// Finds what of a file can be broken in small ways. It knows lines, and no syntax: what does not compile is left out later.
struct MutantFinder {
  private let path: String
  private let source: MaskedSource
  private var found: [Mutant] = []

  static func mutants(in text: String, path: String) -> [Mutant] {
    var finder = MutantFinder(path: path, source: MaskedSource(text))
    let isCompiled = finder.compiledLines()
    for index in finder.source.code.indices where isCompiled[index] { finder.search(index) }
    return finder.found
  }

  private init(path: String, source: MaskedSource) {
    self.path = path
    self.source = source
  }

  /// What begins a line in which nothing is changed: declarations, whose operators, literals and names mean other things.
  private static let excluded: Set<String> = [
    "#if", "#elseif", "#else", "#endif", "import", "case", "func", "struct", "class", "enum", "extension", "protocol",
    "typealias", "associatedtype", "infix", "prefix", "operator", "precedencegroup", "init", "subscript", "where",
    "@available", "indirect", "macro", "assert", "default:",
  ]

  private static let modifiers: Set<String> = [
    "public", "package", "internal", "private", "fileprivate", "static", "final", "mutating", "nonmutating", "override",
    "nonisolated", "borrowing", "consuming", "lazy", "weak", "unowned", "@inlinable", "@inline(__always)",
    "@usableFromInline", "@discardableResult", "@inline(never)", "private(set)", "public(set)", "convenience",
    "required",
  ]

  /// What cannot begin a statement that may be skipped.
  private static let keywords: Set<String> = [
    "return", "let", "var", "if", "guard", "for", "while", "switch", "throw", "break", "continue", "fallthrough",
    "defer",
    "else", "do", "repeat", "catch", "yield", "super", "await", "precondition", "assert", "assertionFailure",
    "preconditionFailure", "fatalError", "self.init",
  ]

  private func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

  private func trimmed(_ bytes: [UInt8]) -> String {
    let rest = bytes.drop { $0 == UInt8(ascii: " ") }
    return text(rest.reversed().drop { $0 == UInt8(ascii: " ") }.reversed())
  }

  /// Which lines are compiled here, as far as this can be said: not those of `#if` for other systems.
  private func compiledLines() -> [Bool] {
    func holds(_ condition: String) -> Bool? {
      if condition.hasPrefix("!") { return holds(String(condition.dropFirst())).map(!) }
      #if os(Linux)
        switch condition {
        case "canImport(Darwin)", "canImport(ObjectiveC)", "canImport(Combine)", "canImport(Musl)", "os(macOS)",
          "_endian(big)":
          return false
        case "canImport(Glibc)", "os(Linux)", "_endian(little)", "DEBUG": return true
        default: return nil
        }
      #else
        return nil
      #endif
    }
    // Of each `#if` around: whether this branch may be compiled, and whether an earlier one surely is.
    var branches: [(isOpen: Bool, isDecided: Bool)] = []
    return source.code.map { line in
      let words = trimmed(line).split(separator: " ", maxSplits: 1).map(String.init)
      switch words.first {
      case "#if":
        let value = holds(words.last ?? "")
        branches.append((value ?? true, value == true))
      case "#elseif", "#else":
        guard let branch = branches.popLast() else { break }
        let value = words.first == "#else" ? true : holds(words.last ?? "")
        branches.append((!branch.isDecided && value ?? true, branch.isDecided || value == true))
      case "#endif": branches.removeLast(min(1, branches.count))
      default: break
      }
      return branches.allSatisfy(\.isOpen)
    }
  }

  private mutating func search(_ index: Int) {
    let code = trimmed(source.code[index])
    let words = code.split(separator: " ", maxSplits: 12).map(String.init).drop { Self.modifiers.contains($0) }
    guard let first = words.first else { return }
    let name = first.prefix { $0 != "(" && $0 != "<" && $0 != "?" }
    guard !Self.excluded.contains(String(name)) else { return }
    let isDeclaration = first == "let" || first == "var"
    if !isDeclaration || code.contains(" = ") {
      searchOperators(index)
      searchNumbers(index)
      searchConstants(index)
      searchLocks(index)
    }
    searchConditions(index)
    searchStatements(index, code)
  }

  private mutating func add(_ kind: Mutant.Kind, _ index: Int, _ range: Range<Int>, _ change: String) {
    let line = source.lines[index]
    found.append(
      Mutant(kind: kind, path: path, line: index + 1, range: range, text: trimmed(line), change: change))
  }

  private static let operators: [(text: String, kind: Mutant.Kind, instead: String)] = [
    ("<", .comparison, "<="), ("<=", .comparison, "<"), (">", .comparison, ">="), (">=", .comparison, ">"),
    ("==", .equality, "!="), ("!=", .equality, "=="), ("&&", .logic, "||"), ("||", .logic, "&&"),
    ("&+", .arithmetic, "&-"), ("&-", .arithmetic, "&+"), ("+", .arithmetic, "-"), ("-", .arithmetic, "+"),
  ]

  private mutating func searchOperators(_ index: Int) {
    let code = source.code[index]
    for each in Self.operators {
      let token = Array(" \(each.text) ".utf8)
      for start in places(of: token, in: code) {
        add(each.kind, index, start + 1..<start + token.count - 1, "`\(each.text)` is `\(each.instead)`")
      }
    }
  }

  private func places(of token: [UInt8], in code: [UInt8]) -> [Int] {
    guard code.count >= token.count else { return [] }
    return (0...code.count - token.count).filter { start in
      code[start] == token[0] && code[start..<start + token.count].elementsEqual(token)
    }
  }

  private static let beforeNumber = [
    "+", "-", "&+", "&-", "*", "&*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "<<", ">>", "&<<", "&>>", "=",
    "return",
  ]

  private mutating func searchNumbers(_ index: Int) {
    let code = source.code[index]
    for each in Self.beforeNumber {
      let token = Array(" \(each) ".utf8)
      for place in places(of: token, in: code) {
        let start = place + token.count
        let end = code[start...].firstIndex { !Self.isOfNumber($0) } ?? code.count
        guard start < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(code[start]) else { continue }
        // Not of a fraction, a range or a member.
        guard
          end == code.count || code[end] == UInt8(ascii: " ") || code[end] == UInt8(ascii: ")")
            || code[end] == UInt8(ascii: ",") || code[end] == UInt8(ascii: "]")
        else { continue }
        let number = text(code[start..<end])
        add(.number, index, start..<end, "`\(number)` is `\(number) + 1`")
      }
    }
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private mutating func searchConstants(_ index: Int) {
    let code = source.code[index]
    // Not what a parameter is by default.
    let isParameter = !text(code).contains("let ") && !text(code).contains("var ") && text(code).contains(": Bool = ")
    for before in isParameter ? [] : ["return ", " = "] {
      for constant in ["true", "false"] {
        let token = Array((before + constant).utf8)
        for start in places(of: token, in: code) where start + token.count == code.count {
          add(
            .constant, index, start + before.utf8.count..<code.count,
            "`\(constant)` is `\(constant == "true" ? "false" : "true")`")
        }
      }
    }
  }

  private mutating func searchLocks(_ index: Int) {
    let token = Array("withLock {".utf8)
    for start in places(of: token, in: source.code[index]) {
      add(.lock, index, start..<start + token.count - 2, "`withLock` takes no lock")
    }
  }

  /// The condition of a line such as `guard a < b else {`, without bindings and lists.
  private mutating func searchConditions(_ index: Int) {
    let code = source.code[index]
    guard let indentation = code.firstIndex(where: { $0 != UInt8(ascii: " ") }) else { return }
    for (keyword, end) in [("guard ", " else {"), ("if ", " {"), ("} else if ", " {"), ("while ", " {")]
    where code[indentation...].starts(with: Array(keyword.utf8)) {
      let start = indentation + keyword.utf8.count
      guard let stop = places(of: Array(end.utf8), in: code).first(where: { $0 > start }) else { continue }
      let condition = text(code[start..<stop])
      let isPlain =
        !condition.contains("{") && !condition.contains(" = ") && depths(condition).isBalanced
        && !depths(condition).hasList && !["#", "case ", "try ", "let ", "var "].contains { condition.hasPrefix($0) }
      if isPlain { add(.condition, index, start..<stop, "`\(text(source.lines[index][start..<stop]))` is negated") }
    }
  }

  /// Whether the brackets of a text are paired, and whether a comma stands outside of them.
  private func depths(_ text: String) -> (isBalanced: Bool, hasList: Bool) {
    var (depth, least, hasList) = (0, 0, false)
    for character in text {
      switch character {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      case "," where depth == 0: hasList = true
      default: break
      }
      least = min(least, depth)
    }
    return (depth == 0 && least == 0, hasList)
  }

  /// A line that is a statement by itself: a call, or a change of a variable.
  private mutating func searchStatements(_ index: Int, _ code: String) {
    guard let first = code.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return }
    let name = code.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    guard !Self.keywords.contains(String(name)), !code.hasPrefix("try") || code.hasPrefix("try ") else { return }
    guard depths(code).isBalanced, !depths(code).hasList, !code.contains("{") else { return }
    let rest = code.dropFirst(name.count)
    let isCall = code.hasSuffix(")") && (rest.hasPrefix("(") || code.hasPrefix("try "))
    let isChange = [" += ", " -= ", " &+= ", " &-= ", " |= ", " &= ", " ^= ", " = "].contains { rest.hasPrefix($0) }
    guard isCall || isChange, !name.hasPrefix("self.") else { return }
    // Lines beside that it may belong to.
    let before = index > 0 ? trimmed(source.code[index - 1]) : ""
    let after = index + 1 < source.code.count ? trimmed(source.code[index + 1]) : ""
    let isContinued = ["(", ",", "=", "[", "+", "-", "&&", "||", "??", ":", "?", "return", "in"].contains {
      before.hasSuffix($0) && before != "default:" && !before.hasPrefix("case ")
    }
    let continues = [".", "+", "-", "&&", "||", "??", "?", ":", "==", "*", "{", "=", "<", ">"].contains {
      after.hasPrefix($0)
    }
    guard !isContinued, !continues else { return }
    let line = source.lines[index]
    let start = line.firstIndex { $0 != UInt8(ascii: " ") } ?? 0
    let end = (source.code[index].lastIndex { $0 != UInt8(ascii: " ") } ?? 0) + 1
    add(.statement, index, start..<end, "`\(text(line[start..<end]))` is skipped")
  }
}

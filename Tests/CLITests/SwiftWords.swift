/// Words that mean something to Swift: those of "The Swift Programming Language", "Lexical Structure", and those that have
/// come since.
enum SwiftWords {
  static let all =
    declarations + statements + expressions + contextual

  private static let declarations = [
    "associatedtype", "borrowing", "class", "consuming", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "nonisolated", "open", "operator", "precedencegroup", "private", "protocol",
    "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
  ]

  private static let statements = [
    "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in",
    "repeat", "return", "switch", "throw", "where", "while",
  ]

  private static let expressions = [
    "Any", "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try",
  ]

  private static let contextual = [
    "actor", "any", "associativity", "async", "consume", "convenience", "copy", "didSet", "discard", "distributed",
    "dynamic", "each", "final", "get", "indirect", "infix", "isolated", "lazy", "left", "macro", "modify", "module",
    "mutating", "none", "nonmutating", "nonsending", "of", "optional", "override", "package", "postfix", "precedence",
    "prefix", "Protocol", "read", "reasync", "required", "right", "sending", "set", "some", "then", "Type", "unowned",
    "unsafe", "using", "weak", "willSet", "yield",
  ]
}

/// Words that Swift reserves, and what must be done to use them as names.
enum SwiftKeywords {
  /// Words that need backticks wherever they are declared or used as a name.
  /// From The Swift Programming Language, "Lexical Structure": keywords in declarations, statements, expressions and types.
  static let reserved: Set<String> = [
    "Any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
    "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
    "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "self", "Self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws",
    "true", "try", "typealias", "var", "where", "while",
  ]

  /// `name`, in backticks where Swift needs them.
  static func escape(_ name: String) -> String {
    reserved.contains(name) ? "`\(name)`" : name
  }
}

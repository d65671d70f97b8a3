/// The words that Swift reserves, and the escapes that make names of them.
package enum SwiftKeywords {
  /// Words that need backticks wherever they are declared or used as a name.
  /// From The Swift Programming Language, "Lexical Structure": keywords in declarations, statements, expressions and types;
  /// the words that stand before a type (`any`, `borrowing`, `consuming`, `each`, `isolated`, `nonisolated`, `sending`,
  /// `some`), and those that would begin an accessor or observer where a getter begins with a type's name (`_modify`,
  /// `_read`, `didSet`, `willSet`).
  static let reserved: Set<String> = [
    "Any", "_modify", "_read", "any", "as", "associatedtype", "await", "borrowing", "break", "case", "catch", "class",
    "consuming", "continue", "default", "defer", "deinit", "didSet", "do", "each", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
    "is", "isolated", "let", "nil", "nonisolated", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "Self", "self", "sending",
    "some", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
    "where", "while", "willSet",
  ]

  /// Returns `name` as the label of an argument in a call, where nearly all keywords are ordinary names.
  static func escapeLabel(_ name: String) -> String {
    name == "inout" ? "`inout`" : name
  }

  /// Returns an argument's label as the parameter's name in a declaration.
  static func escapeParameter(_ name: String) -> String {
    name == "let" || name == "var" ? "`\(name)`" : name
  }

  /// Returns `name` as the name of a type or namespace, in backticks if Swift needs them.
  static func escapeType(_ name: String) -> String {
    contextual.contains(name) ? "`\(name)`" : escape(name)
  }

  /// Returns a type's name with those of the types and the module around it, each in backticks if Swift needs them.
  /// In the position of a type, Swift takes a keyword for a name only in backticks, after a period as well.
  static func escapePath(_ path: String) -> String {
    path.split(separator: ".").map { escapeType(String($0)) }.joined(separator: ".")
  }

  /// Words with a meaning in some positions of a type: after `->`, or at the start of a getter.
  private static let contextual: Set<String> = [
    "Protocol", "Type", "actor", "async", "consume", "convenience", "copy", "discard", "distributed", "dynamic",
    "final",
    "get", "indirect", "infix", "lazy", "macro", "modify", "mutating", "nonmutating", "nonsending", "of", "open",
    "optional", "override", "package", "postfix", "prefix", "read", "reasync", "required", "set", "then", "unowned",
    "unsafe", "using", "weak", "yield",
  ]

  /// Returns `name`, in backticks if Swift needs them.
  package static func escape(_ name: String) -> String {
    reserved.contains(name) ? "`\(name)`" : name
  }
}

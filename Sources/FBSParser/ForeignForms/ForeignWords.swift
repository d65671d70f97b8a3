/// Words with which other languages begin a definition, a statement or a field, and what a schema has in their place.
///
/// None of these words is reserved: each is looked up only where the text cannot be read as a schema.
enum ForeignWords {
  /// The diagnostic's texts for a statement that schemas do not have.
  struct Statement {
    let message: String
    let advice: String
    /// Whether nothing is lost if the statement is taken out.
    let isRemovable: Bool

    init(_ message: String, _ advice: String, isRemovable: Bool = false) {
      self.message = message
      self.advice = advice
      self.isRemovable = isRemovable
    }
  }

  /// The keyword that a schema has for a definition of another language.
  static let definitions = [
    "message": "table", "class": "table", "type": "table", "record": "table", "interface": "table", "input": "table",
    "entity": "table", "model": "table", "object": "table", "exception": "table", "trait": "table", "protocol": "table",
    "oneof": "union", "variant": "union", "choice": "union", "package": "namespace", "module": "namespace",
    "import": "include", "require": "include", "service": "rpc_service", "flags": "enum", "root": "root_type",
    "root_table": "root_type",
  ]

  /// Words that other languages write before the keyword of a definition.
  static let definitionModifiers: Set<String> = [
    "public", "private", "internal", "protected", "fileprivate", "open", "final", "abstract", "sealed", "static",
    "export", "declare", "extern", "data", "pub", "default", "partial", "indirect", "inline", "create", "or", "replace",
    "temporary", "unlogged",
  ]

  /// Words that other languages write before a field.
  static let fieldModifiers: Set<String> = [
    "required", "optional", "repeated", "var", "let", "val", "const", "constexpr", "static", "mutable", "mut", "final",
    "readonly", "public", "private", "internal", "protected", "fileprivate", "open", "pub", "lazy", "weak", "unowned",
    "volatile", "override", "lateinit", "field", "attr", "property", "column", "final",
  ]

  /// Words that other languages write before a method.
  static let methodModifiers: Set<String> = [
    "rpc", "func", "fun", "fn", "def", "function", "async", "oneway", "method", "query", "mutation", "public",
  ]

  /// Words that begin a function.
  static let functions: Set<String> = [
    "func", "fun", "fn", "def", "function", "init", "deinit", "constructor", "get", "set", "override", "static",
  ]

  /// Statements at the top of a file that a schema does not have.
  static let statements: [String: Statement] = {
    let constant = Statement("a schema holds no constants", "write an enum for numbers that belong to the data")
    let alias = Statement("a type has one name", "write the type where it is used, or a struct or table around it")
    let function = Statement("a schema holds no functions", "methods of a service stand in `rpc_service S { ... }`")
    let extensions = Statement(
      "a definition stands in one piece", "write its fields where it is defined: new ones go to its end")
    let query = Statement("a schema holds no statements of SQL", "write `table T { name: string; }` for a table")
    let option = Statement("a schema has no options", "remove it", isRemovable: true)
    return [
      "syntax": Statement("a schema does not name its syntax", "remove it", isRemovable: true),
      "edition": Statement("a schema does not name its syntax", "remove it", isRemovable: true),
      "option": option, "set": option, "pragma": option,
      "scalar": Statement(
        "a schema defines no scalars", "write `string` or `long` where it is used, or a struct around it"),
      "const": constant, "constant": constant, "let": constant, "var": constant, "val": constant, "define": constant,
      "using": alias, "typedef": alias, "typealias": alias, "alias": alias, "newtype": alias,
      "func": function, "fun": function, "fn": function, "def": function, "function": function,
      "extend": extensions, "extension": extensions, "impl": extensions,
      "create": query, "alter": query, "insert": query, "drop": query, "select": query,
      "directive": Statement("a schema defines no directives", "write `attribute \"name\";` for an attribute"),
      "reserved": reserved, "extensions": reserved,
    ]
  }()

  private static let reserved = Statement(
    "numbers and names are not reserved", "keep a field that is not used any more, and mark it `(deprecated)`",
    isRemovable: true)

  /// Statements within a table or struct that a schema does not have.
  static let fieldStatements: [String: Statement] = {
    let constraint = Statement(
      "a table holds fields alone", "write attributes behind a field, such as `(primary)`, `(indexed)` or `(unique)`")
    return [
      "reserved": reserved, "extensions": reserved,
      "option": Statement("a table has no options", "remove it", isRemovable: true),
      "primary": constraint, "foreign": constraint, "unique": constraint, "index": constraint, "key": constraint,
      "constraint": constraint, "check": constraint,
    ]
  }()
}

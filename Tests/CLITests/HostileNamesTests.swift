import Foundation
import Testing

/// Names that mean something to Swift, or to the generated code, are names like any other in a schema.
@Suite("Hostile names")
struct HostileNamesTests {
  private static let names = [
    "Any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "get", "guard",
    "if", "import", "in", "init", "inout", "internal", "is", "lazy", "let", "nil", "none", "open", "operator",
    "private",
    "precedencegroup", "protocol", "public", "repeat", "rethrows", "return", "set", "some", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "Type", "typealias", "var", "weak", "where",
    "while",
    "yield", "description", "hashValue", "table", "structure", "builder", "buffer", "verifier", "writer", "position",
    "text", "value", "member", "object", "lhs", "rhs", "index", "element", "offset", "slot", "title", "to", "from",
    "verify", "create", "path", "change", "rowid", "record",
  ]

  @Test("They compile without warnings as fields of tables and structs, and as cases of enums and unions")
  func namesCompile() throws {
    let types = ["int", "string", "E", "[string]", "[int]", "S", "Other", "U"]
    func fields(_ types: [String]) -> String {
      Self.names.enumerated().map { "\($1): \(types[$0 % types.count]);" }.joined(separator: " ")
    }
    let schema = """
      enum E: int { \(Self.names.joined(separator: ", ")) }
      struct S { \(fields(["int", "E", "[ubyte:2]"])) }
      table A { x: int; }
      table B { x: int; }
      table C { x: int; }
      union U { class: A, self_: B, default: C }
      table Other { \(fields(["int", "string", "E", "[string]", "[int]", "S"])) }
      table Root { id_: int (primary); \(fields(types)) }
      root_type Root;
      """
    try withFolder { folder in
      try folder.write(schema, to: "names.fbs")
      let compiled = try dflatc("compile", "-o", ".", "names.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      let result = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder)
      #expect(result.status == 0, "\(result.error.prefix(4000))")
      #expect(!result.error.contains("warning:"), "\(result.error.prefix(4000))")
    }
  }
}

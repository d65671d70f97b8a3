import Foundation
import Testing

/// Names that mean something to Swift, or to the generated code, are names like any other in a schema.
@Suite("Hostile names")
struct HostileNamesTests {
  private static let names =
    SwiftWords.all + [
      "description", "hashValue", "table", "structure", "builder", "buffer", "verifier", "writer", "position", "text",
      "value", "member", "object", "lhs", "rhs", "index", "element", "offset", "slot", "title", "to", "from", "verify",
      "create", "path", "change", "rowid", "record", "custom_mirror", "field_values", "primary_key",
    ]

  @Test("Hostile names compile without warnings as fields of tables and structs, and as cases of enums and unions")
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

  /// Names that the accessors and editors give to members of their own.
  private static let ownNames = [
    "mutate", "replace", "key", "key_slot", "file_identifier", "file_extension", "has_identifier", "root",
    "size_prefixed", "code", "codes", "members", "unknown_", "byte_size", "byte_alignment", "write", "vector_stride",
    "editor_stride", "editor", "window", "bytes", "f_root", "Reader", "self_", "count",
    "first", "keys", "optional_scalar", "all_cases", "_path", "_record", "_change", "_rowid", "_value", "Fields",
  ]

  /// Types that only what is generated for a store names, and those that are named like Swift's own modules.
  private static let typeNames = [
    "Atom", "Equatable", "ByteBuffer", "CaseIterable", "QueryExpression", "RecordField", "Foundation", "Post",
    "Data", "Result", "Error", "Code", "Element", "View", "Slice", "Set", "Dictionary", "Never", "Void", "UTF8",
  ]

  @Test("More hostile names compile for the accessors and editors alone, without a root type")
  func accessorsAlone() throws {
    let names = Self.names + Self.ownNames
    let types = [
      "int", "string", "E", "[string]", "[int]", "S", "Other", "U", "[U]", "[Other]", "[S]", "[E]", "E = null",
      "double = null",
    ]
    func fields(_ names: [String], _ types: [String]) -> String {
      names.enumerated().map { "\($1): \(types[$0 % types.count]);" }.joined(separator: " ")
    }
    let more = Self.typeNames.enumerated().map { index, name in
      switch index % 3 {
      case 0: "table \(name) { a: \(name); b: [U]; k: string (key); }"
      case 1: "struct \(name) { a: int; b: [ubyte:2]; k: uint (key); }"
      default: "enum \(name): ushort { a, B }"
      }
    }
    let schema = """
      namespace Type_.FlatBuffersCore_;
      enum E: int { \(names.joined(separator: ", ")) }
      enum F: ubyte (bit_flags) { \(["none", "All", "init", "class", "Element", "isEmpty", "union"].joined(separator: ", ")) }
      struct S { \(fields(names, ["int", "E", "[ubyte:2]", "bool"])) }
      table A { x: int; f: [ubyte] (nested_flatbuffer: "A"); f_root: F; }
      table B { self_: B; }
      union U { class: A, self_: B, default: A, Code: S, code_: string, Member: B }
      table Other { \(fields(names, types)) }
      \(more.joined(separator: "\n"))
      """
    try withFolder { folder in
      try folder.write(schema, to: "names.fbs")
      let compiled = try dflatc("compile", "--emit", "accessors,editors", "-o", ".", "names.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      let result = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder)
      #expect(result.status == 0, "\(result.error.prefix(6000))")
      #expect(!result.error.contains("warning:"), "\(result.error.prefix(4000))")
    }
  }

  @Test("Fields with wrappers that are called like generated members compile without warnings")
  func wrappedFieldsCalledLikeGeneratedMembers() throws {
    let names = [
      "path", "record", "values", "change", "state", "rowid", "commit_version", "field_values", "primary_key", "taken",
      "differs", "file_identifier", "object", "table",
    ]
    let types = [
      "string (url)", "long (date: \"ms\")", "[long] (date: \"s\")", "string (uuid)", "int = null (decimal: \"2\")",
    ]
    let fields = names.enumerated().map { "\($1): \(types[$0 % types.count]);" }.joined(separator: " ")
    let schema = """
      struct S { path: long (date: "ms"); value: uint (duration: "s"); check: short (decimal: "1"); bytes: long; }
      table Other (codable) { \(fields) s: S; }
      table Circle { \(names.map { "\($0): Circle;" }.joined(separator: " ")) }
      table Root (codable, v: "1.1") {
        id_: int (primary); \(fields) other: Other; flat_buffers_schema_version: string (url);
      }
      root_type Root;
      """
    try withFolder { folder in
      try folder.write(schema, to: "wrapped.fbs")
      let compiled = try dflatc("compile", "-o", ".", "wrapped.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      let result = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder)
      #expect(result.status == 0, "\(result.error.prefix(4000))")
      #expect(!result.error.contains("warning:"), "\(result.error.prefix(4000))")
    }
  }

  @Test("Fields of unions without members, and numbers called as those that are none, compile without warnings")
  func emptyUnionsAndNumbersThatAreNone() throws {
    let schema = """
      union Empty {}
      union Nothing (codable) {}
      struct S (codable) { nan: float; infinity: double; isNaN: float; }
      table T (codable) { nan: float = nan; infinity: double = inf; e: Empty; n: [Nothing]; s: S; t: T; }
      table Root {
        id: int (primary); nan: double = nan; isNaN: float; inf: float = -inf; e: Empty; n: Nothing (required); t: T;
        es: [Empty]; zero: float = nan (indexed);
      }
      root_type Root;
      """
    try withFolder { folder in
      try folder.write(schema, to: "none.fbs")
      let emitters = "accessors,data-model,mutating,query,editors"
      let compiled = try dflatc("compile", "--emit", emitters, "-o", ".", "none.fbs", in: folder)
      #expect(compiled.status == 0, "\(compiled.error)")
      let result = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error.prefix(4000))")
    }
  }
}

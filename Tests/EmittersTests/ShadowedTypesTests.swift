import Emitters
import TestSupport
import Testing

/// Which names of a schema shadow imported types, and where the module then stands.
@Suite("Shadowed types")
struct ShadowedTypesTests {
  @Test(
    "A type, a namespace or a chosen name shadows an imported type of the same name",
    arguments: [
      "table String { x: int; }", "struct String { x: int; }", "enum String: int { a }",
      "table A { x: int; } union String { A }", "table X (swift_name: \"String\") { x: int; }",
      "namespace String; table X { x: int; } namespace;", "namespace A.String.B; table X { x: int; } namespace;",
      "namespace A; table X { x: int; } table String { x: int; } namespace;",
    ])
  func shadowing(text: String) throws {
    let code = try emit("accessors", text + " table T { s: string; v: [string]; n: int; }")
    #expect(code.contains(" var s: Swift.String? { _table.string("))
    #expect(code.contains(" var v: FlatBufferVector<Swift.String> {"))
    // Only a shadowed name has its module in front.
    #expect(code.contains(" var n: Int32 {"))
  }

  @Test(
    "A member, or a name that only resembles an imported type's, shadows no imported type",
    arguments: [
      "table T { s: string; String: int; }", "table T { s: string; } enum E: int { String, Int }",
      "table T { s: string; } union U { String: T }", "table T { s: string; } table Strings { x: int; }",
      "table T { s: string; } table Object { x: int; } table R { id: int (primary); } root_type R;",
      "table T { s: string; } table string_ { x: int; }",
    ])
  func notShadowing(text: String) throws {
    for emitter in ["accessors", "data-model", "mutating", "query", "editors"] {
      let code = try emit(emitter, text)
      for module in ["Swift", "Dflat", "FlatBuffersCore"] { #expect(!code.contains("\(module).")) }
    }
  }

  @Test("A type that an emitter generates beside another shadows names in the code of every emitter")
  func suffixes() throws {
    let root = "table Object { id: int (primary); } root_type Object;"
    #expect(try emit("data-model", root).contains("public struct ObjectBuilder: Dflat.ObjectBuilder {"))
    let table = "table FlatBufferTable { x: int; }"
    #expect(try emit("accessors", table).contains("public let _table: FlatBuffersCore.FlatBufferTable\n"))
    #expect(try emit("editors", table).contains("public let _editor: FlatBuffersCore.FlatBufferTableEditor\n"))
    let request = "table Generated { id: int (primary); } root_type Generated;"
    let code = try emit("mutating", request)
    #expect(code.contains("public final class GeneratedChangeRequest: Dflat.GeneratedChangeRequest {"))
  }

  @Test("The schema's own type keeps its name where it is declared, extended and used")
  func ownTypes() throws {
    let text = "table UnionField { x: int; f: UnionField; } union U { UnionField }"
    let code = try emit("query", text)
    #expect(code.contains("\nextension UnionField {"))
    #expect(code.contains("\nextension Dflat.UnionField where Union == U {"))
    #expect(code.contains("-> UnionField.Fields<Element> {"))
  }

  @Test("A member with the name of a shadowed type keeps it")
  func members() throws {
    let text = "table String { x: int; } table T { s: string (swift_name: \"String\"); }"
    #expect(try emit("accessors", text).contains(" var String: Swift.String? { _table.string("))
    let model = try emit("data-model", text)
    #expect(model.contains("  public var String: Swift.String?\n"))
    #expect(model.contains("self.String = String\n"))
  }

  @Test("Comments and string literals stay as they are, with any characters")
  func commentsAndLiterals() throws {
    let text = """
      /// A String, \u{1}String and an Int.
      table String { x: int; s: string = "an Int, \\u0001Int"; }
      table Int { x: int; }
      /// Two of String.
      union U { String, a: string, b: string }
      """
    let code = try emit("data-model", text)
    #expect(code.contains("\n/// A String, \u{1}String and an Int.\npublic struct String: "))
    #expect(code.contains(" ?? \"an Int, \\u{1}Int\""))
    #expect(try emit("query", text).contains("/// Whether the union holds a `String`, whichever member that is.\n"))
  }

  @Test("Lines are broken where they are too long with the modules")
  func lineLength() throws {
    let fields = (0..<40).map { "field\($0): string;" }.joined(separator: " ")
    let code = try emit("data-model", "table String { x: int; } table T { \(fields) }")
    #expect(code.contains("field0: Swift.String? = nil, "))
    for line in code.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
  }
}

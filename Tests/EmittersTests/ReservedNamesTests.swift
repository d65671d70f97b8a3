import Emitters
import Testing

/// Which names of members, types and namespaces are refused, and which only look as if they had to be.
@Suite("Names that the generated code needs")
struct ReservedNamesTests {
  @Test(
    "A member is refused where one of that name is generated",
    arguments: [
      "_table", "_rowid", "_commitVersion", "_record", "_change", "_differs", "_fieldValues", "_fields", "_path",
      "_primaryKey",
    ].map { ("table T { \($0): int; }", $0) }
      + ["_structure", "_value", "_path", "byteSize", "byte_alignment"].map { ("struct T { \($0): int; }", $0) }
      + ["rawValue", "raw", "allCases"].map { ("enum T: int { \($0) }", $0) }
      + ["unknown", "Unknown", "_typeCode"].map { ("table A { x: int; } union T { \($0): A }", $0) })
  func members(text: String, name: String) {
    let isFree = name == "raw"
    #expect(
      complaints(text)
        == (isFree ? [] : ["D0303 `\(name)` would hide a member of that name in the generated code"]))
  }

  @Test("The editors have one more", arguments: ["table T { _editor: int; }", "struct T { _editor: int; }"])
  func editors(text: String) throws {
    #expect(complaints(text) == [])
    #expect(try !emit("accessors", text).isEmpty)
    let emitter = try #require(EmitterRegistry.emitter(named: "editors"))
    #expect(Generator(schema: schema(text), emitters: [emitter]).diagnostics.map { $0.code.id } == ["D0303"])
  }

  @Test(
    "Types and namespaces are refused where the generated code means something else by their names",
    arguments: [
      ("table Self { x: int; }", "a type cannot be called `Self` in Swift"),
      ("table verifier { x: int; }", "a type cannot be called `verifier` in Swift"),
      ("table CodingKeys { x: int; }", "a type cannot be called `CodingKeys` in Swift"),
      // Where `String` is the schema's own, Swift's is called by its module.
      ("table String { x: int; } table Swift { x: int; }", "a type cannot be called `Swift` in Swift"),
      ("namespace Self; table T { x: int; }", "a namespace cannot be called `Self` in Swift"),
      ("namespace A.Self; table T { x: int; }", "a namespace cannot be called `Self` in Swift"),
      ("namespace verifier; table T { x: int; }", "a namespace cannot be called `verifier` in Swift"),
    ])
  func types(text: String, message: String) {
    #expect(complaints(text) == ["D0303 " + message])
  }

  @Test(
    "Within a namespace, and without what they would hide, they are names like any other",
    arguments: [
      "namespace N; table verifier { x: int; }", "namespace N.verifier; table T { x: int; }",
      "table Swift { x: int; }", "namespace A; table B { x: int; } namespace B; table A { x: int; }",
    ])
  func free(text: String) {
    #expect(complaints(text) == [])
  }

  @Test func whatOnlyTheDataModelHasWithinItsTypesIsNoMatterToTheAccessors() throws {
    #expect(try !emit("accessors", "table Fields { x: int; } table CodingKeys { x: int; }").isEmpty)
  }

  @Test("What a namespace hides is said once", arguments: [false, true])
  func once(isNamespace: Bool) {
    let types = isNamespace ? "table T { x: int; } table V { x: int; }" : "table Self { x: int; }"
    #expect(complaints("namespace N\(isNamespace ? ".Self" : ""); \(types)").count == 1)
  }

  @Test(
    "A name that a namespace around its use has too is refused",
    arguments: [
      ("namespace A; table A { x: int; }", "A", "A"), ("namespace A.A; table T { x: int; }", "A", "A"),
      // What is generated beside a type hides as well.
      ("table PReader { x: int; } namespace N; table P { f: PReader; }", "PReader", "N"),
    ])
  func hiding(text: String, name: String, namespace: String) {
    #expect(complaints(text) == ["D0303 `\(name)` in the namespace `\(namespace)` hides another `\(name)`"])
  }

  @Test(
    "A member may not be called as a type that is named beside it",
    arguments: ["table item { x: int; } table T { item_reader: item; }", "table item { item_reader: int; }"])
  func membersLikeTypes(text: String) {
    #expect(
      complaints(text) == ["D0302 `item_reader` hides the type or namespace `itemReader` in the generated code"])
  }
}

import Testing

@Suite("Identifiable classes")
struct IdentifiableClassTests {
  /// The class is `Identifiable` by the property that is given; nil if it is not to be.
  private func expectIdentity(_ property: String?, _ text: String) throws {
    let output = try emit("data-model", text)
    #expect(output.contains(": GeneratedAtom, IdentifiableAtom, Equatable, ") == (property != nil), "\(text)")
    #expect(output.contains(": GeneratedAtom, Equatable, ") == (property == nil), "\(text)")
    #expect(output.contains("_primaryKey") == (property != nil), "\(text)")
    if let property { #expect(output.contains("  public var _primaryKey: \(property) }\n"), "\(output)") }
  }

  @Test(
    "The primary key of one field is the identity, whatever its type",
    arguments: [
      ("string", "String"), ("ulong", "UInt64"), ("bool", "Bool"), ("double", "Double"), ("Color", "Color"),
      ("Flags", "Flags"),
    ])
  func singleKeys(type: String, swift: String) throws {
    try expectIdentity(
      "\(swift) { self.theKey",
      """
      enum Color: byte { Red } enum Flags: ubyte (bit_flags) { A }
      table Post { text: string; the_key: \(type) (primary); } root_type Post;
      """)
  }

  @Test(
    "The units of a primary key are said if its field counts other ones than seconds or wholes",
    arguments: [
      ("long (primary, date: \"ms\")", "1000"), ("ulong (primary, duration: \"ns\")", "1000000000"),
      ("double (primary, date: \"s\")", "0"), ("short (primary, decimal: \"2\")", "100"),
      ("long (primary, date: \"s\")", nil), ("long (primary, decimal: \"0\")", nil),
      ("string (primary, uuid)", nil), ("uint (primary, swift_type: \"Number\")", nil), ("long (primary)", nil),
    ] as [(String, String?)])
  func unitsOfKeys(type: String, units: String?) throws {
    let output = try emit("data-model", "table Post { key: \(type); } root_type Post;")
    #expect(output.contains("_primaryKeyUnits") == (units != nil), "\(output)")
    guard let units else { return }
    #expect(output.contains("  public static var _primaryKeyUnits: Int64 { \(units) }\n"), "\(output)")
  }

  @Test("A primary key of several fields gives no identity")
  func aPrimaryKeyOfSeveralFieldsIsNoIdentity() throws {
    try expectIdentity(nil, "table Post { a: string (primary); b: int (primary); } root_type Post;")
  }

  @Test("The identity is the primary key, not a unique field")
  func anIndexedFieldIsNoIdentity() throws {
    try expectIdentity("Int32 { self.key", "table Post { a: string (unique); key: int (primary); } root_type Post;")
  }

  @Test("A field that is `id` in Swift is the identity if it is the key", arguments: ["id", "Id", "id "])
  func fieldsCalledID(name: String) throws {
    try expectIdentity("String { self.id", "table Post { \(name): string (primary); b: int; } root_type Post;")
  }

  @Test(
    "A field that is called `id` or `ID` in Swift and is not the key leaves no conformance",
    arguments: ["id: int", "Id: string", "ID: int", "id: string (unique)", "id: [int]"])
  func otherFieldsCalledID(field: String) throws {
    try expectIdentity(nil, "table Post { title: string (primary); \(field); } root_type Post;")
  }

  @Test("A primary key called ID leaves out the conformance to Identifiable")
  func aKeyCalledIDInCapitalsLeavesNoConformance() throws {
    // `Post.ID` is its query already.
    try expectIdentity(nil, "table Post { ID: string (primary); } root_type Post;")
  }

  @Test(
    "Fields with other names, and deprecated ones, do not matter",
    arguments: [
      "_id: int", "id_: int", "i_d: int", "Identifiable: int", "id: int (deprecated)", "ID: int (deprecated)",
    ])
  func fieldsWithOtherNames(field: String) throws {
    try expectIdentity("String { self.title", "table Post { title: string (primary); \(field); } root_type Post;")
  }

  @Test(
    "A type or namespace that the class names, and that a member of it would hide, leaves no conformance",
    arguments: [
      "enum ID: byte { A } table Post { title: string (primary); kind: ID; } root_type Post;",
      "enum ID: byte { A } table Post { kind: ID (primary); } root_type Post;",
      "table id { x: int; } table Post { title: string (primary); list: [id]; } root_type Post;",
      "table T { x: int; } union ID { T } table Post { title: string (primary); kind: ID; } root_type Post;",
      "table ID { title: string (primary); } root_type ID;",
      "namespace ID; table Post { title: string (primary); } root_type Post;",
      "namespace ID.A; enum E: byte { A } namespace B; table Post { t: string (primary); e: ID.A.E; } root_type Post;",
    ])
  func hiddenTypes(text: String) throws {
    try expectIdentity(nil, text)
  }

  @Test(
    "Types with such names that the class does not name by that do not matter",
    arguments: [
      "enum ID: byte { A } table Other { kind: ID; } table Post { title: string (primary); o: Other; } root_type Post;",
      "enum ID: byte { A } table Post { title: string (primary); kind: ID (deprecated); } root_type Post;",
      "namespace N; enum ID: byte { A } table Post { title: string (primary); kind: ID; } root_type Post;",
      "namespace N.ID; table Post { title: string (primary); } root_type Post;",
      "enum Id: byte { A } table Post { title: string (primary); kind: Id; } root_type Post;",
      "enum Identifiable: byte { A } table Post { title: string (primary); kind: Identifiable; } root_type Post;",
    ])
  func typesWithOtherNames(text: String) throws {
    try expectIdentity("String { self.title", text)
  }

  @Test("A protocol that a type of the schema shadows is written with its module")
  func theProtocolIsSpelledWithItsModuleWhereTheSchemaHidesIt() throws {
    let output = try emit(
      "data-model",
      "table IdentifiableAtom { x: int; } table Post { title: string (primary); } root_type Post;")
    #expect(output.contains("public final class Post: GeneratedAtom, Dflat.IdentifiableAtom, "))
  }

  @Test("A table that is not a root has no identity")
  func aTableThatIsNoRootHasNoIdentity() throws {
    let output = try emit("data-model", "table Post { id: string; } table Key { title: string (key); }")
    #expect(!output.contains("_primaryKey"))
    #expect(!output.contains("Identifiable"))
  }

  @Test("The values of an object are the builder of its namespace")
  func theValuesAreTheBuilderOfTheSameNamespace() throws {
    let output = try emit("data-model", "namespace A.B; table post { post_builder: string (primary); } root_type post;")
    #expect(output.contains("public let _values: A.B.postBuilder\n"))
  }

  @Test("Only a struct with indirect values gets a custom mirror")
  func onlyStructsThatKeepValuesElsewhereGetAMirror() throws {
    let output = try emit("data-model", "table List { in: int; next: List; } table T { l: List; }")
    #expect(output.contains("struct List: Equatable, Sendable, FlatBufferTableDecodable, CustomReflectable {"))
    #expect(output.contains(#"Mirror(self, children: ["in": self.`in` as Any, "next": self._next], "#))
    #expect(output.contains("struct T: Equatable, Sendable, FlatBufferTableDecodable {"))
    let named = try emit("data-model", "table List { custom_mirror: int; next: List; }")
    #expect(!named.contains("CustomReflectable"))
  }
}

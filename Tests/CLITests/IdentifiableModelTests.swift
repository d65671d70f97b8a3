import Foundation
import Testing

/// Generated classes are `Identifiable` where they can be, and compile wherever names stand in the way, of the schema or of
/// the app.
@Suite("Identifiable classes, compiled")
struct IdentifiableModelTests {
  /// Compiles schemas, and checks the Swift that they become beside code of an app.
  private func check(_ schemas: [String: String], app: String, version: String = "6") throws {
    try withFolder { folder in
      for (name, text) in schemas {
        try folder.write(text, to: name + ".fbs")
        let result = try dflatc("compile", "-o", ".", name + ".fbs", in: folder)
        #expect(result.status == 0, "\(result.error)")
      }
      try folder.write("import Dflat\nimport SQLiteDflat\n" + app, to: "app.swift")
      let result = try typecheck(folder.names().filter { $0.hasSuffix(".swift") }, in: folder, version: version)
      #expect(result.status == 0, "\(result.error.prefix(6000))")
      #expect(!result.error.contains("warning:"), "\(result.error.prefix(4000))")
    }
  }

  @Test("Names in a schema that resemble those of Identifiable and Mirror still compile")
  func namesOfTheSchemaDoNotStandInTheWay() throws {
    try check(
      [
        "type": """
        enum ID: byte { A } union Id { Leaf } table Leaf { x: int; }
        table WithTypes (codable) { title: string (primary); kind: ID; kinds: [ID]; other: Id; } root_type WithTypes;
        """,
        "lower":
          "enum id: byte { A, B } table WithLower { title: string (primary); kind: id = B; } root_type WithLower;",
        "capitals": "table Capitals { ID: string (primary); title: string; } root_type Capitals;",
        "upper": "table Upper (codable) { Id: ulong (primary); _id: int; id_: int; i_d: int; } root_type Upper;",
        "other": "table Other (codable) { title: string (primary); id: int; } root_type Other;",
        "deprecated": "table Former { id: int (deprecated); title: string (primary); } root_type Former;",
        "enum": """
        enum Color: byte { Red } table Identifiable { color: Color (primary); self_: Identifiable; }
        root_type Identifiable;
        """,
        "flags": "enum Flag: ubyte (bit_flags) { A } table Flagged { flag: Flag (primary); } root_type Flagged;",
        "keyword": "table Keyword { get: string (primary); set: int; description: string; } root_type Keyword;",
        "mirror": """
        table Mirror { k: int (primary); custom_mirror: string; description: int; list: CustomReflectable; }
        table CustomReflectable { class: int; next: CustomReflectable; custom: List; }
        table List { custom_mirror: int; next: List; } root_type Mirror;
        """,
      ],
      app: """
        func check<T: Swift.Identifiable, Key>(_: T.Type, _: Key.Type) where T.ID == Key {}
        func checkAll() {
          check(Upper.self, UInt64.self)
          check(Former.self, String.self)
          check(Identifiable.self, Color.self)
          check(Flagged.self, Flag.self)
          check(Keyword.self, String.self)
          check(Mirror.self, Int32.self)
          _ = Capitals.ID == "x"
          _ = Upper.id == 3
        }
        """)
  }

  @Test("Declarations that an app for Dflat 0.6 may have still compile", arguments: ["5", "6"])
  func declarationsOfTheApp(version: String) throws {
    let names = ["Described", "Conforming", "Keyed", "Derived", "Refined"]
    var schemas = Dictionary(
      uniqueKeysWithValues: names.map { ($0, "table \($0) { title: string (primary); } root_type \($0);") })
    schemas["Plain"] = "table Plain { id: string (primary); } root_type Plain;"
    schemas["Unkeyed"] = "table Unkeyed { title: string (primary); id: string; } root_type Unkeyed;"
    try check(
      schemas,
      app: """
        extension Described: CustomStringConvertible { public var description: String { title } }
        extension Described: CustomDebugStringConvertible { public var debugDescription: String { title } }
        extension Described: CustomReflectable { public var customMirror: Mirror { Mirror(self, children: []) } }
        extension Conforming: Identifiable {}
        extension Plain: Identifiable {}
        extension Unkeyed: Identifiable {}
        extension Keyed: Identifiable { public var id: Int { title.count } }
        extension Derived { public var id: Int { title.count } }
        protocol Item: Identifiable where ID == String { var title: String { get } }
        extension Refined: Item {}
        func check<T: Identifiable, Key>(_: T.Type, _: Key.Type) where T.ID == Key {}
        func checkAll(_ derived: Derived) -> Int {
          check(Plain.self, String.self)
          check(Unkeyed.self, String?.self)
          check(Keyed.self, Int.self)
          check(Refined.self, String.self)
          return derived.id
        }
        """, version: version)
  }
}

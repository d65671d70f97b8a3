import Emitters
import FBSSchema
import Foundation
import SchemaEvolution
import Testing

/// Rules that warn of what reading an object does not show: each is shown in the way that it is meant.
@Suite("Rules about changes that reading data does not show report them", .enabled(if: DataOracle.isAvailable))
struct PrecautionTests {
  /// The buffer that the C++ library writes for an object.
  private func write(_ schema: String, _ json: String) throws -> [UInt8] {
    var batch = DataOracle.Batch()
    batch.read(
      writing: schema, written: schema, reading: schema, backward: false,
      [.init(root: "Post", other: "Post", json: json)])
    var answers = try DataOracle.shared.get().ask(batch)
    return try answers.object().bytes
  }

  @Test("hash: the same text is another number")
  func hash() throws {
    let old = "table Post { tag: uint (hash: \"fnv1_32\"); } root_type Post;"
    let new = old.replacing("fnv1_32", with: "fnv1a_32")
    #expect(try rules(old, new) == ["hash"])
    #expect(try write(old, "{\"tag\": \"text\"}") != write(new, "{\"tag\": \"text\"}"))
    #expect(try write(old, "{\"tag\": 5}") == write(new, "{\"tag\": 5}"))
  }

  @Test("value-unit: the same bytes are other values")
  func valueUnit() throws {
    let old = "table Post { a: long (date: \"s\"); } root_type Post;"
    let plain = "table Post { a: long; } root_type Post;"
    let units = ["date: \"ms\"", "duration: \"s\"", "decimal: \"2\""]
    for unit in units {
      let new = old.replacing("date: \"s\"", with: unit)
      #expect(try rules(old, new).contains("value-unit"))
      #expect(try rules(new, old).contains("value-unit"))
      #expect(try rules(plain, new) == ["value-type"])
      #expect(try rules(new, plain) == ["value-type"])
      #expect(try rules(new, new).isEmpty)
    }
    // The library in C++ knows none of this, and writes a number.
    #expect(try write(plain, "{\"a\": 5}").contains(5))
    let text = "table Post { a: string; } root_type Post;"
    let identified = text.replacing("string", with: "string (uuid)")
    #expect(Set(try rules(text, identified)) == ["value-unit", "value-type"])
    #expect(try findings(text, identified).allSatisfy { $0.severity == .warning })
    #expect(try rules(identified, text) == ["value-type"])
    #expect(try rules(identified, text.replacing("string", with: "string (url)")).contains("value-unit"))
    let own = text.replacing("string", with: "string (swift_type: \"Name\")")
    #expect(try rules(text, own) == ["value-type"])
    #expect(try rules(own, own.replacing("Name", with: "Title")) == ["value-type"])
  }

  @Test("shared: the same content is other bytes")
  func shared() throws {
    let old = "table Post { a: string; b: string; } root_type Post;"
    let new = old.replacing(": string", with: ": string (shared)")
    #expect(Set(try rules(old, new)) == ["shared"])
    let json = "{\"a\": \"the same text\", \"b\": \"the same text\"}"
    #expect(try write(new, json).count < write(old, json).count)
  }

  @Test("key: vectors are sorted by it when they are written")
  func key() throws {
    let old = "table Tag { id: int (key); rank: int; } table Post { tags: [Tag]; } root_type Post;"
    let new = "table Tag { id: int; rank: int (key); } table Post { tags: [Tag]; } root_type Post;"
    #expect(try rules(old, new) == ["key", "key"])
    let json = "{\"tags\": [{\"id\": 1, \"rank\": 9}, {\"id\": 2, \"rank\": 3}]}"
    #expect(try write(old, json) != write(new, json))
  }

  @Test("file-identifier: the four bytes are in the buffer, and readers ask for them")
  func identifier() throws {
    let old = "table Post { a: int; } root_type Post; file_identifier \"ABCD\";"
    let new = old.replacing("ABCD", with: "EFGH")
    #expect(try rules(old, new) == ["file-identifier"])
    #expect(try write(old, "{\"a\": 1}")[4..<8].elementsEqual("ABCD".utf8))
    #expect(try write(new, "{\"a\": 1}")[4..<8].elementsEqual("EFGH".utf8))
    let without = "table Post { a: int; } root_type Post;"
    #expect(try rules(old, without) == ["file-identifier"])
    #expect(try rules(without, old) == ["file-identifier"])
  }

  @Test("enum-type: the codes of a union have another width, which flatc 2.0.8 cannot write")
  func codesOfUnions() throws {
    let plain = "table A { x: int; } union U { A } table Post { u: U; v: [U]; } root_type Post;"
    let wide = plain.replacing("union U", with: "union U: int")
    for (old, new) in [(plain, wide), (wide, plain), (wide, plain.replacing("union U", with: "union U: short"))] {
      let found = SchemaEvolution.compare(old: try version(old), new: try version(new))
      #expect(found.map(\.rule.id) == ["enum-type"] && found.allSatisfy { $0.severity == .error })
    }
    let named = plain.replacing("union U", with: "union U: ubyte")
    #expect(try rules(plain, named).isEmpty && rules(named, plain).isEmpty, "it is what unions have without a type")
    let signed = SchemaEvolution.compare(
      old: try version(plain), new: try version(plain.replacing("union U", with: "union U: byte")))
    #expect(signed.map(\.severity) == [.warning])
  }

  @Test("nested-flatbuffer: a table that is renamed is no other, one of other fields is")
  func nested() throws {
    let old = "table A { x: int; } table Post { d: [ubyte] (nested_flatbuffer: \"A\"); } root_type Post;"
    #expect(try rules(old, old.replacing("A", with: "B")) == ["type-renamed"])
    #expect(try rules(old, old.replacing("x: int", with: "x: long")) == ["field-type"])
    let other =
      "table A { x: int; } table B { y: string; } table Post { d: [ubyte] (nested_flatbuffer: \"B\"); } root_type Post;"
    #expect(
      try rules(old.replacing("table Post", with: "table B { y: string; } table Post"), other) == ["nested-flatbuffer"])
    // A nearer table of that name, in a file that is not included, is not the one that is nested.
    let post =
      "include \"n.fbs\"; namespace A; table Post { d: [ubyte] (nested_flatbuffer: \"N\"); } root_type Post;"
    let files = ["s/a.fbs": post, "s/n.fbs": "table N { x: int; }"]
    let more = files.merging(["s/b.fbs": "namespace A; table N { y: string; }"]) { first, _ in first }
    let found = SchemaEvolution.compare(old: try version(files), new: try version(more))
    #expect(found.map(\.rule.id) == [])
  }

  @Test("offset64: a slot of one width holds something else when it is read as the other")
  func offset64() throws {
    let old = "table Post { a: [ubyte]; b: int; c: int; } root_type Post;"
    let new = old.replacing("[ubyte]", with: "[ubyte] (offset64)")
    #expect(try rules(old, new) == ["offset64"] && rules(new, old) == ["offset64"])
    #expect(try findings(old, new).allSatisfy { $0.severity == .error && $0.evidence == .data })
    // No library at hand writes such offsets: what a reader of 64 bits sees is worked out.
    let bytes = try write(old, "{\"a\": [1, 2], \"b\": 7, \"c\": 9}")
    func number(_ place: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) } }
    let table = number(0, 4)
    let vtable = table - Int(Int32(truncatingIfNeeded: number(table, 4)))
    let slot = table + number(vtable + 4, 2)
    #expect(slot + number(slot, 4) + 4 < bytes.count)
    #expect(number(slot, 8) > bytes.count)
  }

  @Test("codable: the Swift type, and what it holds, loses the conformance; other holders keep it")
  func codable() throws {
    func swift(_ text: String) throws -> String {
      let emitters = EmitterRegistry.all.filter { $0.name == "data-model" }
      let files = try #require(CheckedSchema(schema: try version(text).schema, emitters: emitters).generator).files()
      return files.map { String(decoding: $0.content, as: UTF8.self) }.joined()
    }
    let old = "table Post (codable) { id: string (primary); } root_type Post;"
    let new = old.replacing(" (codable)", with: "")
    #expect(try rules(old, new) == ["codable"] && rules(new, old) == [])
    #expect(try swift(old).contains("Codable") && !swift(new).contains("Codable"))
    let held = "table A (codable) { x: int; } table Post (codable) { id: string (primary); a: A; } root_type Post;"
    #expect(try rules(held, held.replacing("A (codable)", with: "A")) == [])
  }

  @Test("value-type: a struct of bytes becomes a UUID in Swift and nothing else, also in a struct, and back")
  func structsOfBytes() throws {
    let old = """
      struct ID { bytes: [ubyte:16]; } struct Pair { a: ID; b: ID (uuid); }
      table Post { id: ID (primary); all: [ID]; pair: Pair; } root_type Post;
      """
    let new = old.replacing("a: ID;", with: "a: ID (uuid);").replacing("(primary)", with: "(uuid, primary)")
      .replacing("[ID]", with: "[ID] (uuid)")
    #expect(try rules(old, new) == ["value-type", "value-type", "value-type"])
    #expect(try rules(new, old) == ["value-type", "value-type", "value-type"])
    #expect(try findings(old, new).allSatisfy { $0.severity == .warning })
    #expect(try rules(old, old.replacing("all: [ID]", with: "all: [ID] (indexed)")) == ["index-added"])
  }

  @Test("A default of a vector changes nothing here; what is in it need not be")
  func vectorDefaults() throws {
    let (old, new) = ("table Post { a: [int]; }", "table Post { a: [int] = []; }")
    for found in [try findings(old, new), try findings(new, old)] {
      #expect(found.map(\.rule.id) == ["field-default"])
      #expect(found.allSatisfy { $0.severity == .warning && $0.evidence == .precaution })
    }
  }

  @Test("A default of a string is not in binary schemas, and is compared wherever it can be")
  func stringDefaults() throws {
    let (old, new) = ("table Post { a: string = \"x\"; }", "table Post { a: string = \"y\"; }")
    #expect(try rules(old, new) == ["field-default"])
    let binary = try version(["a.fbs": new], binary: true)
    #expect(SchemaEvolution.compare(old: try version(old), new: binary).isEmpty)
  }

  @Test("A change of a deprecated field is a warning, and an error if the field is read again")
  func deprecated() throws {
    let old = "table Post { a: int (deprecated); b: int; } root_type Post;"
    let found = try findings(old, old.replacing("a: int", with: "a: string"))
    #expect(found.map(\.rule.id) == ["field-type"] && found[0].severity == .warning && found[0].evidence == .precaution)
    let again = try findings(old, "table Post { a: string; b: int; } root_type Post;")
    #expect(again.allSatisfy { $0.severity == .error })
    #expect(Set(again.map(\.rule.id)) == ["field-undeprecated", "field-type"])
  }
}

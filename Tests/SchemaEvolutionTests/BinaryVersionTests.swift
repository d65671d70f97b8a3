import BinarySchemas
import ConformanceSupport
import Emitters
import FBSSchema
import FlatBuffersCore
import Foundation
import SchemaEvolution
import TestSupport
import Testing

@Suite("Binary schemas as a side of a check")
struct BinaryVersionTests {
  private func binary(_ version: SchemaVersion) throws -> [UInt8] {
    let emitters = EmitterRegistry.all.filter { $0.name == "bfbs" }
    return try #require(try CheckedSchema(schema: version.schema, emitters: emitters).generator?.files().first).content
  }

  @Test("The text of a random schema's binary form means the same")
  func roundTrip() throws {
    var count = 0
    for seed in 1...150 {
      var random = SeededGenerator(seed: seed)
      guard let schema = try? version(SchemaModel.random(&random).text()) else { continue }
      let text = try BinarySchema.text(of: try binary(schema))
      let read = try version(["a.fbs": text], binary: true)
      for found in [
        SchemaEvolution.compare(old: schema, new: read), SchemaEvolution.compare(old: read, new: schema),
      ] {
        #expect(found.isEmpty, "seed \(seed): \(found.map(\.message))\n\(text)")
      }
      count += 1
    }
    #expect(count > 75)
  }

  @Test("Names of one number come through a binary schema, whose order of them is no finding")
  func aliases() throws {
    let schema = try version(
      """
      enum E: byte { a, z, b = 1 } enum F: ubyte (bit_flags) { x, y, c = 1 } table T { e: E = z; f: F = "c"; }
      root_type T;
      """)
    let text = try BinarySchema.text(of: try binary(schema))
    let read = try version(["a.fbs": text], binary: true)
    #expect(read.schema.enums.map { $0.values.map(\.name) } == [["a", "b"], ["x", "c"]])
    #expect(read.schema.enums.map { $0.aliases.map(\.name) } == [["z"], ["y"]])
    for found in [SchemaEvolution.compare(old: schema, new: read), SchemaEvolution.compare(old: read, new: schema)] {
      #expect(found.isEmpty, "\(found.map(\.message))")
    }
  }

  @Test("Every attribute that a rule is about comes through a binary schema")
  func attributes() throws {
    let schema = try version(
      """
      enum E: ubyte (bit_flags, codable) { a, b } struct S (force_align: 16, codable) { x: int (indexed); y: uint (hash: "fnv1_32"); }
      table N (codable) { k: int (key); } union U (codable) { N, S }
      union Wide: ulong { N, S = 18446744073709551615 } union Narrow: ubyte { N }
      table T (v: "1.1", codable) {
        a: string (primary); b: int (unique); c: [ubyte] (nested_flatbuffer: "N"); d: [ubyte] (flexbuffer);
        e: string (shared); f: [ubyte] (offset64); g: [S] (vector64); h: string (offset64, required); i: [int] (force_align: 8);
        j: uint (hash: "fnv1a_32"); k: U; l: [U]; m: E = "a b"; n: [double] (vector64); o: int (deprecated);
        p: Wide; q: [Wide]; r: [Narrow]; s: ubyte;
      }
      root_type T;
      """)
    let read = try version(["a.fbs": try BinarySchema.text(of: try binary(schema))], binary: true)
    for found in [SchemaEvolution.compare(old: schema, new: read), SchemaEvolution.compare(old: read, new: schema)] {
      #expect(found.isEmpty, "\(found.map(\.message))")
    }
    // Both are there: what one of them loses is found.
    let bare = try version("table T { f: [ubyte]; } root_type T;")
    #expect(SchemaEvolution.compare(old: read, new: bare).contains { $0.rule.id == "codable" })
  }

  @Test(
    "A default that flatc cannot write is no change, and a real change is one", .enabled(if: DataOracle.isAvailable),
    arguments: FlatcTool.all)
  func defaults(_ tool: FlatcTool) throws {
    let text = """
      table T { a: double = rad(180); b: double = -0.0; c: ulong = 18446744073709551615; d: float = 0.1;
        e: float = rad(90); f: double = 0.1; }
      root_type T;
      """
    func read(_ text: String) throws -> SchemaVersion {
      try withTemporaryFolder { folder in
        try Data(text.utf8).write(to: folder.appendingPathComponent("a.fbs"))
        let content = try BinarySchema.content(of: #require(try tool.binarySchema(of: "a.fbs", in: folder, [])))
        return try version(["a.fbs": content.text], binary: true)
      }
    }
    let schema = try version(text)
    let same = try read(text)
    for found in [SchemaEvolution.compare(old: schema, new: same), SchemaEvolution.compare(old: same, new: schema)] {
      #expect(found.isEmpty, "\(found.map(\.message))")
    }
    for (old, new) in [("rad(180)", "rad(181)"), ("0.1;", "0.2;"), ("double = 0.1", "double = 0.1000000000001")] {
      let found = SchemaEvolution.compare(old: schema, new: try read(text.replacing(old, with: new)))
      #expect(!found.isEmpty && found.allSatisfy { $0.rule.id == "field-default" }, "\(old) to \(new)")
    }
  }

  @Test("A value that means nothing, and a number in quotes, are no change of an attribute")
  func attributeValues() throws {
    for (old, new, isChange) in [
      ("key", "key: 1", false), ("shared", "shared: \"yes\"", false), ("force_align: 8", "force_align: \"8\"", false),
      ("force_align: 8", "force_align: 16", true), ("shared", "shared, key", true),
    ] {
      let type = old.hasPrefix("force") ? "[int]" : "string"
      let found = try findings("table T { x: \(type) (\(old)); }", "table T { x: \(type) (\(new)); }")
      #expect(found.isEmpty != isChange, "\(old) to \(new): \(found.map(\.message))")
    }
  }

  @Test("Damaged bytes are refused, or make a schema: nothing crashes")
  func damage() throws {
    var random = SeededGenerator(seed: 5)
    var refused = 0
    for seed in 1...20 {
      var own = SeededGenerator(seed: seed)
      guard let schema = try? version(SchemaModel.random(&own).text()) else { continue }
      let bytes = try binary(schema)
      for _ in 0..<60 {
        var damaged = bytes
        for _ in 0...random.next(4) {
          damaged[random.next(damaged.count)] = UInt8(random.pick([0, 1, 255, random.next(256)]))
        }
        if random.once(in: 5) { damaged = Array(damaged.prefix(random.next(damaged.count))) }
        guard let text = try? BinarySchema.text(of: damaged), let read = try? version(["a.fbs": text], binary: true)
        else {
          refused += 1
          continue
        }
        _ = SchemaEvolution.compare(old: schema, new: read)
      }
    }
    #expect(refused > 100)
  }

  /// Reads bytes as a side of a check, as far as they let it.
  private func read(_ bytes: [UInt8], against schema: SchemaVersion) -> Bool {
    guard let text = try? BinarySchema.text(of: bytes), let read = try? version(["a.fbs": text], binary: true) else {
      return false
    }
    _ = SchemaEvolution.compare(old: schema, new: read)
    _ = SchemaEvolution.compare(old: read, new: schema)
    return true
  }

  @Test("Cut off at any byte, a binary schema is refused")
  func truncation() throws {
    let schema = try version(
      "enum E: byte { a } struct S { x: int; } table T { s: S; e: E; u: U; } union U { T } root_type T;")
    let bytes = try binary(schema)
    #expect(read(bytes, against: schema))
    var accepted: [Int] = []
    for count in bytes.indices where read(Array(bytes[..<count]), against: schema) { accepted.append(count) }
    // Padding at the end may go.
    #expect(accepted.allSatisfy { bytes.count - $0 < 8 }, "\(accepted)")
  }

  @Test("With any one bit flipped, a binary schema is refused or another schema: nothing crashes")
  func flippedBits() throws {
    let schema = try version("enum E: byte { a } struct S { x: int; } table T { s: S; e: E; } root_type T;")
    let bytes = try binary(schema)
    var refused = 0
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        if !read(damaged, against: schema) { refused += 1 }
      }
    }
    #expect(refused > bytes.count && refused < bytes.count * 8)
  }

  /// FlatBuffers' reflection schema as a later version may have it: with fields that nobody knows yet, in every table.
  private static let laterReflection = """
    namespace reflection;
    table Type { base_type: byte; element: byte; index: int = -1; fixed_length: ushort; base_size: uint = 4;
      element_size: uint; newer: [Type]; }
    table KeyValue { key: string (required, key); value: string; newer: string; }
    table EnumVal { name: string (required); value: long (key); object: int (deprecated); union_type: Type;
      documentation: [string]; attributes: [KeyValue]; newer: int; }
    table Enum { name: string (required, key); values: [EnumVal] (required); is_union: bool; underlying_type: Type (required);
      attributes: [KeyValue]; documentation: [string]; declaration_file: string; newer: [ubyte]; }
    table Field { name: string (required, key); type: Type (required); id: ushort; offset: ushort; default_integer: long;
      default_real: double; deprecated: bool; required: bool; key: bool; attributes: [KeyValue]; documentation: [string];
      optional: bool; padding: ushort; offset64: bool; newer: Type; }
    table Object { name: string (required, key); fields: [Field] (required); is_struct: bool; minalign: int; bytesize: int;
      attributes: [KeyValue]; documentation: [string]; declaration_file: string; newer: double; }
    table Schema { objects: [Object] (required); enums: [Enum] (required); file_ident: string; file_ext: string;
      root_table: Object; services: [Object]; advanced_features: ulong; fbs_files: [Object]; newer: string; }
    root_type Schema; file_identifier "BFBS";
    """

  private func laterBinary(_ json: String) throws -> [UInt8] {
    var batch = DataOracle.Batch()
    batch.read(
      writing: Self.laterReflection, written: Self.laterReflection, reading: Self.laterReflection, backward: false,
      [.init(root: "reflection.Schema", other: "reflection.Schema", json: json)])
    var answers = try DataOracle.shared.get().ask(batch)
    return try answers.object().bytes
  }

  @Test("A binary schema of a later version reads as far as it is known", .enabled(if: DataOracle.isAvailable))
  func laterVersion() throws {
    let object = """
      { "name": "N.T", "fields": [ { "name": "x", "id": 0, "offset": 4, "default_integer": 3, "type": { "base_type": 7,
        "newer": [{}] }, "newer": {} } ], "newer": 1.5 }
      """
    let bytes = try laterBinary(
      "{ \"objects\": [\(object)], \"enums\": [], \"root_table\": \(object), \"advanced_features\": 255, \"newer\": \"x\" }"
    )
    let read = try version(["a.fbs": try BinarySchema.text(of: bytes)], binary: true)
    let schema = try version("namespace N; table T { x: int = 3; } root_type T;")
    #expect(SchemaEvolution.compare(old: schema, new: read).isEmpty)
    #expect(
      SchemaEvolution.compare(old: try version("namespace N; table T { x: int = 4; } root_type T;"), new: read).map(
        \.rule.id) == ["field-default"])
  }

  @Test("Binary schemas whose types lead to themselves, or nowhere, are refused", .enabled(if: DataOracle.isAvailable))
  func cycles() throws {
    func object(_ name: String, _ isStruct: Bool, _ type: String) -> String {
      """
      { "name": "\(name)", "is_struct": \(isStruct), "minalign": 4, "bytesize": 4,
        "fields": [ { "name": "x", "id": 0, "offset": \(isStruct ? 0 : 4), "type": { \(type) } } ] }
      """
    }
    for (types, isValid) in [
      // Base type 15 is an object, 16 a union, 17 an array, 14 a vector.
      ([object("A", true, "\"base_type\": 15, \"index\": 0")], false),
      (
        [object("A", true, "\"base_type\": 15, \"index\": 1"), object("B", true, "\"base_type\": 15, \"index\": 0")],
        false
      ),
      ([object("A", false, "\"base_type\": 15, \"index\": 0")], true),
      ([object("A", false, "\"base_type\": 15, \"index\": 1")], false),
      ([object("A", false, "\"base_type\": 15, \"index\": -5")], false),
      ([object("A", false, "\"base_type\": 16, \"index\": 0")], false),
      ([object("A", false, "\"base_type\": 99")], false),
      ([object("A", false, "\"base_type\": 14, \"element\": 14, \"index\": 0")], false),
      ([object("A", true, "\"base_type\": 17, \"element\": 15, \"index\": 0, \"fixed_length\": 9")], false),
    ] {
      let bytes = try laterBinary("{ \"objects\": [\(types.joined(separator: ", "))], \"enums\": [] }")
      let schema = try version("table A { x: int; }")
      #expect(read(bytes, against: schema) == isValid, "\(types)")
    }
  }

  @Test("Layouts that are not those of the fields are refused", .enabled(if: DataOracle.isAvailable))
  func contradictions() throws {
    func object(
      _ isStruct: Bool, _ alignment: Int, _ size: Int, _ fields: [(id: Int, offset: Int, type: Int)]
    ) -> String {
      let texts = fields.map {
        """
        { "name": "x\($0.id)", "id": \($0.id), "offset": \($0.offset), "type": { "base_type": \($0.type) } }
        """
      }
      return """
        { "name": "A", "is_struct": \(isStruct), "minalign": \(alignment), "bytesize": \(size),
          "fields": [ \(texts.joined(separator: ", ")) ] }
        """
    }
    // Base type 3 is a byte, 7 an int.
    for (type, text) in [
      (object(true, 4, 8, [(0, 0, 3), (1, 4, 7)]), "struct A { x0: byte; x1: int; }"),
      (object(true, 16, 16, [(0, 0, 3), (1, 4, 7)]), "struct A (force_align: 16) { x0: byte; x1: int; }"),
      (object(true, 4, 8, [(0, 0, 3), (1, 1, 7)]), nil), (object(true, 4, 12, [(0, 0, 3), (1, 4, 7)]), nil),
      (object(true, 2, 8, [(0, 0, 3), (1, 4, 7)]), nil), (object(true, 3, 8, [(0, 0, 3), (1, 4, 7)]), nil),
      (object(true, 64, 64, [(0, 0, 3), (1, 4, 7)]), nil), (object(true, 4, -8, [(0, 0, 3), (1, 4, 7)]), nil),
      (object(false, 1, 0, [(0, 4, 3), (1, 6, 7)]), "table A { x0: byte; x1: int; }"),
      (object(false, 1, 0, [(0, 4, 3), (2, 8, 7)]), nil), (object(false, 1, 0, [(0, 4, 3), (1, 8, 7)]), nil),
      (object(false, 1, 0, [(0, 4, 3), (0, 4, 7)]), nil),
    ] {
      let bytes = try laterBinary("{ \"objects\": [\(type)], \"enums\": [] }")
      guard let text else {
        #expect(throws: BinarySchema.Failure.self, "\(type)") { try BinarySchema.text(of: bytes) }
        continue
      }
      let read = try version(["a.fbs": try BinarySchema.text(of: bytes)], binary: true)
      #expect(SchemaEvolution.compare(old: try version(text), new: read).isEmpty, "\(type)")
    }
  }

  @Test("A long attribute that is referred to many times makes no text without end")
  func repeatedAttributes() throws {
    var builder = FlatBufferBuilder()
    let (key, value) = (builder.create("k"), builder.create(String(repeating: "x", count: 20_000)))
    builder.startTable(fieldCount: 2)
    builder.add(key, at: ReflectionSlot.Attribute.key)
    builder.add(value, at: ReflectionSlot.Attribute.value)
    let attribute = builder.endTable()
    let attributes = builder.create(vector: [Offset](repeating: attribute, count: 20_000))
    let (name, none) = (builder.create("A"), builder.create(vector: [Offset]()))
    builder.startTable(fieldCount: 8)
    builder.add(name, at: ReflectionSlot.Object.name)
    builder.add(none, at: ReflectionSlot.Object.fields)
    builder.add(attributes, at: ReflectionSlot.Object.attributes)
    let object = builder.endTable()
    let objects = builder.create(vector: [object])
    builder.startTable(fieldCount: 8)
    builder.add(objects, at: ReflectionSlot.Schema.objects)
    builder.add(none, at: ReflectionSlot.Schema.enums)
    try builder.finish(builder.endTable(), fileIdentifier: "BFBS")
    let bytes = builder.withFinishedBytes { Array($0) }
    #expect(throws: BinarySchema.Failure.self) { try BinarySchema.text(of: bytes) }
  }

  @Test("A name that is no identifier cannot smuggle text into the schema")
  func names() throws {
    let schema = try version("table Abcdefgh { x: int; }")
    var bytes = try binary(schema)
    let name = Array("Abcdefgh".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    bytes.replaceSubrange(place..<place + name.count, with: "A{}B;//x".utf8)
    #expect(throws: BinarySchema.Failure.self) { try BinarySchema.text(of: bytes) }
  }
}

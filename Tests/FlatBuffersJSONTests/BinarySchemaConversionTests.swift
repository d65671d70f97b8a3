import BinarySchemas
import ConformanceSupport
import FBSSchema
import FlatBuffersJSON
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// What flatc says of a schema is read back: by each version of flatc that there is, with attributes and without.
@Suite("Schemas as flatc writes them in binary form")
struct BinarySchemaConversionTests {
  /// A flatc, and whether it writes the attributes of the language.
  struct Writer: CustomTestStringConvertible, Sendable {
    let tool: FlatcTool
    let hasAttributes: Bool

    var testDescription: String { "\(tool), \(hasAttributes ? "with" : "without") --bfbs-builtins" }

    static let all = FlatcTool.all.flatMap { tool in [true, false].map { Writer(tool: tool, hasAttributes: $0) } }

    func content(_ files: [(name: String, text: String)]) throws -> BinarySchema.Content? {
      try withFiles(files) { file in
        let bytes = try tool.binarySchema(
          of: file.lastPathComponent, in: file.deletingLastPathComponent(), hasAttributes ? ["--bfbs-builtins"] : [])
        return try bytes.map { try BinarySchema.content(of: $0) }
      }
    }
  }

  @Test("Layouts are those of the schema, and so is JSON; a check finds no difference", arguments: Writer.all)
  func random(_ writer: Writer) throws {
    var (alike, sure) = (0, 0)
    for seed in 1...24 {
      let random = RandomSchema(seed: seed, index: seed)
      let files = random.files.map { ($0.name, $0.cppText) }
      let root = "\(random.namespace).T\(seed % random.tableCount)"
      let content = try #require(try writer.content(files), "seed \(seed)")
      let (schema, read) = (try JSONSchema(files, root: root), try JSONSchema(content.text, root: root))
      compare(schema, read, content, "\(writer.testDescription), seed \(seed):\n\(content.text)")
      let text = files.map(\.1).joined()
      // flatc loses such defaults, and what attributes do cannot be known without them.
      let isWhole = !text.contains("18446744073709551615")
      let isKnown = writer.hasAttributes || !text.contains("nested_flatbuffer") && !text.contains("hash")
      sure += isWhole ? 1 : 0
      guard isKnown, isWhole else { continue }
      var objects = RandomObject(schema.schema, seed: seed)
      for json in (0..<5).map({ _ in objects.table(schema.root) }) {
        guard let bytes = schema.binary(json).bytes else { continue }
        #expect(read.binary(json).bytes == bytes, "\(writer.testDescription), seed \(seed): \(json)")
        #expect(try read.json(bytes).get() == schema.json(bytes).get(), "\(writer.testDescription), seed \(seed)")
        alike += 1
      }
    }
    #expect(alike > 20 && sure > 12)
  }

  /// What only facts tell where attributes are left out.
  private static let layouts = """
    enum Flags: ubyte (bit_flags) { a, b, c, aa = 2, bb = 1 }
    struct Wide (force_align: 16) { x: int; y: [short: 3]; }
    struct Holder { z: byte; wide: Wide; list: [Wide: 2]; }
    table K { k: int (key); gone: int (deprecated); last: float = 0.1; }
    union U { K, Other: K = 7 }
    table T {
      flags: Flags; both: Flags = "a c"; holder: Holder; holders: [Holder]; ks: [K] (required); u: U; us: [U] (required);
      some: int = null; after: string (required);
    }
    root_type T; file_identifier "LAYO"; file_extension "lay";
    """

  private static let layoutJSON = """
    {
      flags: "a bb", both: "b",
      holder: { z: 1, wide: { x: 2, y: [3, 4, 5] }, list: [{ x: 6, y: [7, 8, 9] }, { x: 10, y: [11, 12, 13] }] },
      holders: [{ z: 1, wide: { x: 2, y: [3, 4, 5] }, list: [{ x: 6, y: [7, 8, 9] }, { x: 10, y: [11, 12, 13] }] }],
      ks: [{ k: 2 }, { k: 1, last: 0.5 }], u_type: "Other", u: { k: 3 }, us_type: ["K", "Other"], us: [{}, { k: 4 }],
      some: 0, after: "text"
    }
    """

  @Test("Alignments, flags, keys and required fields are taken from what the layout says", arguments: Writer.all)
  func layouts(_ writer: Writer) throws {
    try expectAlike(Self.layouts, Self.layoutJSON, writer)
  }

  @Test(
    "64-bit offsets and lengths, and unions' number types, are taken from what the layout says",
    .enabled(if: FlatcTool.newest != nil, "the newest flatc cannot be had"))
  func widths() throws {
    let newest = try #require(FlatcTool.newest)
    let text = """
      struct S { a: long; b: byte; }
      table K { k: int; }
      union U: ushort { K, Other: K = 700 }
      table T {
        near: [ubyte]; text: string (offset64, required); far: [ubyte] (offset64); long: [double] (vector64);
        structs: [S] (vector64); u: U; us: [U]; after: int;
      }
      root_type T;
      """
    let json = """
      {
        near: [1], text: "t", far: [2, 3], long: [0.5, 1.5], structs: [{ a: 1, b: 2 }, { a: 3, b: 4 }], u_type: "Other",
        u: { k: 1 }, us_type: ["K", "Other"], us: [{ k: 2 }, { k: 3 }], after: 5
      }
      """
    for hasAttributes in [true, false] {
      try expectAlike(text, json, Writer(tool: newest, hasAttributes: hasAttributes))
    }
  }

  private func expectAlike(_ text: String, _ json: String, _ writer: Writer) throws {
    let content = try #require(try writer.content([("schema.fbs", text)]))
    let (schema, read) = (try JSONSchema(text), try JSONSchema(content.text))
    compare(schema, read, content, "\(writer.testDescription):\n\(content.text)")
    let made = schema.binary(json)
    let bytes = try #require(made.bytes, "\(made.diagnostics.map(\.message))")
    #expect(read.binary(json).bytes == bytes)
    #expect(try read.json(bytes).get() == schema.json(bytes).get())
    #expect(read.schema.files.first?.fileExtension == schema.schema.files.first?.fileExtension)
    #expect((content.builtinAttributes == .held) == writer.hasAttributes)
  }

  /// Compares what two schemas say of bytes, and checks that each may replace the other one.
  private func compare(
    _ schema: JSONSchema, _ read: JSONSchema, _ content: BinarySchema.Content, _ place: String
  ) {
    let (first, second) = (layout(of: schema.schema), layout(of: read.schema))
    #expect(first == second, "\(place)\n\(Set(first).symmetricDifference(second).sorted())")
    let text = SchemaVersion(schema: schema.schema, sources: schema.resolver.compilation.sources)
    let binary = SchemaVersion(
      schema: read.schema, sources: read.resolver.compilation.sources, isBinary: true,
      unknownAttributes: content.builtinAttributes.unknownNames)
    for found in [
      SchemaEvolution.compare(old: text, new: binary), SchemaEvolution.compare(old: binary, new: text),
    ] {
      #expect(found.isEmpty, "\(found.map(\.message)) \(place)")
    }
  }

  /// What decides where data is and how wide it is, a line for each fact.
  private func layout(of schema: Schema) -> [String] {
    func name(_ id: DefinitionID?) -> String { id.map { schema.name(of: $0).description } ?? "" }
    var lines: [String] = []
    for structure in schema.structs {
      lines.append("\(structure.name): \(structure.size) bytes at \(structure.alignment)")
      for field in structure.fields { lines.append("\(structure.name).\(field.name) at \(field.offset)") }
    }
    for table in schema.tables {
      lines.append("\(table.name): \(table.slotCount) slots")
      for field in table.fields {
        lines.append(
          "\(table.name).\(field.name): \(field.id), wide \(field.hasWideOffset) \(field.hasWideLength), "
            + "\(field.isDeprecated), \(field.presence == .required), \(field.presence == .optional)")
      }
    }
    for union in schema.unions {
      lines.append("\(union.name): \(union.underlyingType) \(union.members.map { "\($0.name) \($0.code)" }.sorted())")
    }
    for enumeration in schema.enums {
      lines.append(
        "\(enumeration.name): \(enumeration.underlyingType) "
          + "\(enumeration.names.map { "\($0.name) \($0.number)" }.sorted())")
    }
    return lines.sorted()
  }
}

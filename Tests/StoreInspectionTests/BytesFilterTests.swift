import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON
import StoreInspection
import Testing

@Suite("Conditions on structs of bytes, and how they are shown")
struct BytesFilterTests {
  private static let schema = """
    struct ID { bytes: [ubyte:16]; }
    struct Tiny { raw: [ubyte:2]; }
    struct Pair { first: ID (uuid); second: Tiny; }
    table Order {
      id: ID (uuid);
      parent: ID (uuid);
      raw: ID;
      tiny: Tiny;
      all: [ID] (uuid);
      pair: Pair;
      name: string (uuid);
      names: [string] (uuid);
      old: string (uuid);
      title: string;
    }
    root_type Order;
    """

  private static let id = "[ 14, 55, 223, 54, 246, 152, 17, 230, 141, 212, 203, 156, 237, 61, 249, 118 ]"
  private static let text = "0e37df36-f698-11e6-8dd4-cb9ced3df976"
  private static let json = """
    { id: { bytes: \(id) }, raw: { bytes: \(id) }, tiny: { raw: [ 0, 255 ] }, all: [ { bytes: \(id) } ],
      pair: { first: { bytes: \(id) }, second: { raw: [ 1, 2 ] } },
      name: "\(text)", names: [ "\(text)" ], old: "x-\(text.uppercased())", title: "\(text)" }
    """

  private let converter: FlatBufferJSON
  private let root: TableID
  private let bytes: [UInt8]

  init() throws {
    let resolver = ObjectResolver(inputs: ["schema.fbs"], provider: SchemaTexts([("schema.fbs", Self.schema)]))
    converter = FlatBufferJSON(resolver.compilation.schema)
    root = try #require(converter.layouts.table(named: "Order"))
    let object = resolver.resolve(json: Array(Self.json.utf8), path: "data.json", as: root).object
    bytes = try converter.binary(from: #require(object)).bytes
  }

  private func read(_ condition: String) -> (filter: Filter?, diagnostic: Diagnostic?) {
    let file = SourceFile(id: FileID(0), path: "--where", bytes: Array(condition.utf8))
    return FilterReader(root, converter.layouts).filter(file)
  }

  @Test("A UUID is written in quotes in any case, and other bytes as hexadecimal digits")
  func conditions() throws {
    let object = try converter.object(bytes, as: root)
    for (condition, isTrue) in [
      ("id = '\(Self.text)'", true), ("id = '\(Self.text.uppercased())'", true), ("'\(Self.text)' != id", false),
      ("id > '00000000-0000-0000-0000-000000000000'", true), ("id < '0e37df36-f698-11e6-8dd4-cb9ced3df976'", false),
      ("id in ('\(Self.text)')", true), ("parent = '\(Self.text)'", nil), ("parent is null", true),
      ("id is null", false), ("id = raw", true), ("tiny = '00ff'", true), ("tiny = '00FF'", true),
      ("tiny > '00fe'", true), ("raw = '\(Self.text.replacing("-", with: ""))'", true),
      ("all contains '\(Self.text)'", true), ("all contains '00000000-0000-0000-0000-000000000000'", false),
      ("pair.first = '\(Self.text)'", true), ("pair.second < '0103'", true),
    ] as [(String, Bool?)] {
      let (filter, diagnostic) = read(condition)
      try #require(filter != nil, "\(condition): \(diagnostic?.message ?? "")")
      #expect(filter?.evaluate(object) == isTrue, "\(condition)")
    }
  }

  @Test("A UUID that is stored as a text is written in any case, and another text as it is stored")
  func textsOfUUIDs() throws {
    let object = try converter.object(bytes, as: root)
    let capitals = Self.text.uppercased()
    for (condition, isTrue) in [
      ("name = '\(Self.text)'", true), ("name = '\(capitals)'", true), ("'\(capitals)' != name", false),
      ("name in ('\(capitals)')", true), ("name <= '\(capitals)'", true), ("names contains '\(capitals)'", true),
      ("names contains any ('\(capitals)', 'x')", true), ("names contains (it = '\(capitals)')", true),
      ("old = 'x-\(capitals)'", true), ("old = 'X-\(capitals)'", false), ("old.foldedCase has prefix 'X'", true),
      ("title = '\(capitals)'", false),
    ] {
      let (filter, diagnostic) = read(condition)
      #expect(filter?.evaluate(object) == isTrue, "\(condition): \(diagnostic?.message ?? "")")
    }
  }

  @Test("A text of another form is told what is due")
  func mistakes() {
    for (condition, message) in [
      ("id = 'x'", "a UUID is due here"), ("id = '0e37df36f69811e68dd4cb9ced3df976'", "a UUID is due here"),
      ("id = '0e37df36-f698-11e6-8dd4-cb9ced3df9'", "a UUID is due here"), ("id = 1", "a UUID is due here"),
      ("tiny = '00'", "4 hexadecimal digits are due here"), ("tiny = '00f'", "4 hexadecimal digits are due here"),
      ("tiny = '00gg'", "4 hexadecimal digits are due here"),
      ("all = 'x'", "a vector has no single value to compare"), ("all contains 'x'", "a UUID is due here"),
    ] {
      let (filter, diagnostic) = read(condition)
      #expect(filter == nil, "\(condition)")
      #expect(diagnostic?.message == message, "\(condition): \(diagnostic?.message ?? "")")
    }
  }

  @Test("JSON has the structs, unless texts for people are asked for")
  func shown() throws {
    var options = JSONOptions(indentation: nil, isStrict: true)
    let object = try converter.object(bytes, as: root)
    let digits = Self.id.replacing(" ", with: "")
    let plain = String(decoding: try object.json(options), as: UTF8.self).replacing(" ", with: "")
    #expect(plain.contains("\"id\":{\"bytes\":\(digits)}"), "\(plain)")
    options.showsValues = true
    let shown = String(decoding: try object.json(options), as: UTF8.self).replacing(" ", with: "")
    #expect(shown.contains("\"id\":\"\(Self.text)\""), "\(shown)")
    #expect(shown.contains("\"raw\":{\"bytes\":\(digits)}"), "\(shown)")
    #expect(shown.contains("\"all\":[\"\(Self.text)\"]"), "\(shown)")
    #expect(shown.contains("\"pair\":{\"first\":\"\(Self.text)\",\"second\":{\"raw\":[1,2]}}"), "\(shown)")
  }
}

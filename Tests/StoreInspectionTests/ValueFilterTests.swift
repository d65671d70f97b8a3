import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON
import StoreInspection
import Testing

@Suite("Conditions on dates, durations and decimal numbers, and how they are shown")
struct ValueFilterTests {
  private static let schema = """
    struct Period { from: long (date: "s"); }
    table Order {
      created: long (date: "ms");
      due: long = null (date: "s");
      took: long (duration: "us");
      price: long (decimal: "2");
      visits: [long] (date: "ms");
      open: Period;
    }
    root_type Order;
    """

  private static let json = """
    { created: 1795882191250, took: 1500000, price: 1999, visits: [ 0, 1000 ], open: { from: 86400 } }
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

  @Test("A text in quotes is what people write, and a number is what is stored")
  func conditions() throws {
    let object = try converter.object(bytes, as: root)
    for (condition, isTrue) in [
      ("created >= '2026-11-28'", true), ("created < '2026-11-28'", false),
      ("created = '2026-11-28T16:09:51.25Z'", true), ("created > '2026-11-28T16:09:51.2499Z'", true),
      ("created = 1795882191250", true), ("'2026-11-28' <= created", true), ("took = '1.5 s'", true),
      ("took < '1 min'", true), ("took = 1500000", true), ("price = '19.99'", true), ("price < '19.991'", true),
      ("price = 1999", true), ("price = 19.99", false), ("open.from = '1970-01-02'", true),
      ("price in ('1', '19.99')", true), ("due is null", true), ("created = created", true),
    ] {
      let (filter, diagnostic) = read(condition)
      #expect(filter?.evaluate(object) == isTrue, "\(condition): \(diagnostic?.message ?? "")")
    }
  }

  @Test("A text of another form is told with an example, and fields that count in different units are not compared")
  func mistakes() throws {
    for (condition, message) in [
      ("created > 'today'", "a date is due here"), ("took = '5'", "a duration is due here"),
      ("price = '1,5'", "a number is due here"), ("created = due", "a date is due here"),
      ("created > took", "a date is due here"),
    ] {
      let (filter, diagnostic) = read(condition)
      #expect(filter == nil, "\(condition)")
      #expect(
        diagnostic?.code.id == "D0503" && diagnostic?.message == message, "\(condition): \(diagnostic?.message ?? "")")
      #expect(diagnostic?.advice.hasPrefix("such as '") == true, "\(condition)")
    }
  }

  @Test("JSON has the stored numbers, unless texts for people are asked for")
  func shown() throws {
    var options = JSONOptions(indentation: nil, isStrict: true)
    let object = try converter.object(bytes, as: root)
    let plain = String(decoding: try object.json(options), as: UTF8.self)
    #expect(plain.contains("\"price\": 1999") && plain.contains("\"visits\": [0,1000]"), "\(plain)")
    options.showsValues = true
    let shown = String(decoding: try object.json(options), as: UTF8.self)
    for part in [
      "\"created\": \"2026-11-28T16:09:51.25Z\"", "\"took\": \"1.5 s\"", "\"price\": \"19.99\"",
      "\"visits\": [\"1970-01-01T00:00:00Z\",\"1970-01-01T00:00:01Z\"]", "\"from\": \"1970-01-02T00:00:00Z\"",
    ] {
      #expect(shown.contains(part), "\(shown)")
    }
  }
}

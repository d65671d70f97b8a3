import ConformanceSupport
import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON
import StoreInspection
import Testing

@Suite("Conditions on numbers that a Double cannot tell from their neighbors")
struct ExactNumberFilterTests {
  private static let schema = """
    table Order {
      id: ulong;
      odd: long;
      least: long;
      created: long (date: "us");
      due: long = null (date: "us");
      seen: double (date: "s");
      took: long (duration: "ns");
      kept: ulong (duration: "s");
      price: ulong (decimal: "2");
      times: [long] (date: "us");
    }
    root_type Order;
    """

  private static let json = """
    {
      id: 18446744073709551615, odd: 9007199254740993, least: -9223372036854775808, created: 1795882191123456,
      seen: 1795882191.25, took: 1, kept: 18446744073709551615, price: 18446744073709551615,
      times: [ 1795882191123456 ]
    }
    """

  /// Returns what conditions say of an object.
  ///
  /// - Returns: for each condition, whether it is true; nil if that is unknown.
  private static func evaluate(_ conditions: [String], _ schema: String, _ json: String) throws -> [Bool?] {
    let resolver = ObjectResolver(inputs: ["schema.fbs"], provider: SchemaTexts([("schema.fbs", schema)]))
    let converter = FlatBufferJSON(resolver.compilation.schema)
    let root = try #require(converter.layouts.table(named: "Order"))
    let resolved = resolver.resolve(json: Array(json.utf8), path: "data.json", as: root).object
    let bytes = try converter.binary(from: #require(resolved)).bytes
    let object = try converter.object(bytes, as: root)
    return try conditions.map { condition in
      let file = SourceFile(id: FileID(0), path: "--where", bytes: Array(condition.utf8))
      let (filter, diagnostic) = FilterReader(root, converter.layouts).filter(file)
      return try #require(filter, "\(condition): \(diagnostic?.message ?? "")").evaluate(object)
    }
  }

  private static func expect(_ cases: [(condition: String, isTrue: Bool?)], _ schema: String, _ json: String) throws {
    let values = try evaluate(cases.map(\.condition), schema, json)
    for (value, (condition, isTrue)) in zip(values, cases) { #expect(value == isTrue, "\(condition)") }
  }

  @Test("A date, duration or decimal number between two numbers of a field equals neither, and is ordered exactly")
  func finerThanTheUnit() throws {
    let (date, below, above) = (
      "'2026-11-28T16:09:51.123456Z'", "'2026-11-28T16:09:51.1234559Z'", "'2026-11-28T16:09:51.1234561Z'"
    )
    try Self.expect(
      [
        ("created = \(date)", true), ("created = \(above)", false), ("created != \(above)", true),
        ("created < \(above)", true), ("created <= \(above)", true), ("created > \(above)", false),
        ("created >= \(above)", false), ("created = \(below)", false), ("created > \(below)", true),
        ("created >= \(below)", true), ("created <= \(below)", false), ("\(above) > created", true),
        ("\(above) = created", false), ("\(below) < created", true), ("\(above) <= created", false),
        ("created in (\(above), \(below))", false), ("created in (\(above), \(date))", true),
        ("not (created = \(above))", true), ("due = \(above)", nil), ("due != \(above)", nil),
        ("times contains \(date)", true), ("times contains \(above)", false),
        ("times contains (it < \(above))", true),
        ("seen = '2026-11-28T16:09:51.25'", true), ("seen > '2026-11-28T16:09:51.2499'", true),
        ("took = '1.0000000000 ns'", true), ("took = '1.0000000001 ns'", false), ("took < '1.0000000001 ns'", true),
        ("took > '0.9999999999 ns'", true), ("took > '-0.0000000001 ns'", true),
        ("took < '9000000000000000.001 h'", true),
        ("kept = '18446744073709551615 s'", true), ("kept < '18446744073709551615.1 s'", true),
        ("kept > '9223372036854775808 s'", true), ("kept < '18446744073709551616 s'", true),
        ("price = '184467440737095516.15'", true), ("price < '184467440737095516.151'", true),
        ("price > '184467440737095516.149'", true), ("price = '184467440737095516.151'", false),
      ], Self.schema, Self.json)
  }

  @Test("Values of enums, bit flags and unions above Int64.max are found by their names")
  func namesOfLargeNumbers() throws {
    let schema = """
      enum Level: ulong { Low = 1, High = 9223372036854775808, Top = 18446744073709551615 }
      enum Marks: ulong (bit_flags) { Bold = 0, Big = 62, Last = 63 }
      enum Small: long { Least = -9223372036854775808, Zero = 0 }
      union Far: ulong { Near: string = 1, Link: string = 18446744073709551615 }
      table Order {
        level: Level = Low; marks: Marks; small: Small = Zero; far: Far; levels: [Level]; fars: [Far];
        number: ulong;
      }
      root_type Order;
      """
    let json = """
      {
        level: "High", marks: "Bold Last", small: "Least", far_type: "Link", far: "x", levels: [ "Low", "Top" ],
        fars_type: [ "Near", "Link" ], fars: [ "a", "b" ], number: 9223372036854775808
      }
      """
    try Self.expect(
      [
        ("level = High", true), ("High = level", true), ("level = 'High'", true), ("level != Top", true),
        ("level in (Low, Top)", false), ("level = 9223372036854775808", true), ("level > Low", true),
        ("level = number", true), ("levels contains Top", true), ("levels contains High", false),
        ("marks = 'Bold Last'", true), ("marks = Last", false), ("marks > Big", true), ("marks > Last", true),
        ("small = Least", true), ("small < Zero", true),
        ("far = Link", true), ("far = Near", false), ("far_type = Link", true), ("far = 18446744073709551615", true),
        ("fars contains Link", true), ("fars contains (it = Near)", true),
      ], schema, json)
  }

  @Test("An integer is compared exactly with numbers that have a point or an exponent, or more than 64 bits")
  func writtenNumbers() throws {
    try Self.expect(
      [
        ("odd = 9007199254740993.0", true), ("odd = 9007199254740992.0", false), ("odd = 9.007199254740993e15", true),
        ("odd = 90071992547409930e-1", true), ("odd = 9007199254740992.5", false),
        ("odd > 9007199254740992.5", true), ("odd = 9007199254740993.5", false), ("odd < 9007199254740993.5", true),
        ("odd < 1e400", true), ("odd > -1e400", true), ("odd > 1e-400", true),
        ("id = 18446744073709551615", true), ("id = 18446744073709551615.0", true),
        ("id = 1.8446744073709551615e19", true), ("id = 18446744073709551616", false),
        ("id < 18446744073709551616", true), ("id > 18446744073709551614.5", true),
        ("least = -9223372036854775808.0", true), ("least = -9223372036854775809", false),
        ("least > -9223372036854775809", true), ("least > -9223372036854775808.5", true),
        ("least < -9223372036854775807.5", true), ("created = 1795882191123456.5", false),
        ("seen = 1795882191.25", true),
      ], Self.schema, Self.json)
  }
}

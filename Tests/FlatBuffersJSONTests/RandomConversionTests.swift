import ConformanceSupport
import FBSParser
import FlatBuffersJSON
import Foundation
import TestSupport
import Testing

/// `JSON_SEED=7` begins with another schema, `JSON_SCHEMAS=500` makes more of them.
@Suite("Random objects of random schemas, here and in C++")
struct RandomConversionTests {
  private func number(_ variable: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? standard
  }

  @Test("JSON becomes the very bytes that C++ writes, and these the very text that C++ prints")
  func agreement() throws {
    let oracle = try JSONOracle.shared.get()
    let first = number("JSON_SEED", 1)
    var (converted, all) = (0, 0)
    for seed in first..<(first + number("JSON_SCHEMAS", 10)) {
      let random = RandomSchema(seed: seed, index: seed)
      let files = random.files.map { ($0.name, $0.cppText) }
      let schema = try JSONSchema(files, root: "\(random.namespace).T\(seed % random.tableCount)")
      var objects = RandomObject(schema.schema, seed: seed)
      let texts = (0..<5).map { _ in objects.table(schema.root) }
      all += texts.count
      converted += try compare(texts, schema, files, oracle, "seed \(seed)")
    }
    // Some say what the schema does not allow, which both refuse.
    #expect(converted * 5 >= all * 4)
  }

  /// - Returns: how many texts were converted.
  private func compare(
    _ texts: [String], _ schema: JSONSchema, _ files: [(name: String, text: String)], _ oracle: JSONOracle,
    _ place: String
  ) throws -> Int {
    try withFiles(files) { file in
      let written: [OracleOptions] = [[], .forceDefaults, .sizePrefixed]
      let answers = try oracle.ask(
        texts.flatMap { text in written.map { (.binary(json: Array(text.utf8)), $0) } }, schema: file,
        root: schema.rootName)
      var binaries: [[UInt8]] = []
      for (index, text) in texts.enumerated() {
        for (kind, options) in written.enumerated() {
          let (bytes, diagnostics) = schema.binary(
            text, sizePrefixed: options == .sizePrefixed, forcesDefaults: options == .forceDefaults)
          let theirs = answers[index * written.count + kind]
          // The parser of flatc puts a size before nested buffers, too, which then nobody can read.
          if options == .sizePrefixed, files.contains(where: { $0.text.contains("nested_flatbuffer") }) { continue }
          let isEqual = bytes == theirs.bytes
          #expect(
            isEqual,
            "\(place), options \(options.rawValue): \(text)\n\(diagnostics.map(\.message)) \(theirs.bytes == nil ? "\(theirs)" : "")"
          )
        }
        if let bytes = schema.binary(text).bytes { binaries.append(bytes) }
      }
      try comparePrinting(binaries, schema, file, oracle, place)
      return binaries.count
    }
  }

  private func comparePrinting(
    _ binaries: [[UInt8]], _ schema: JSONSchema, _ file: URL, _ oracle: JSONOracle, _ place: String
  ) throws {
    let printed: [(OracleOptions, JSONOptions)] = [
      ([], .init()), (.strictJSON, .init(isStrict: true)), (.defaultsJSON, .init(writesDefaults: true)),
      (.naturalUTF8, .init(hasNaturalUTF8: true)), (.oneLine, .init(indentation: nil)),
    ]
    let answers = try oracle.ask(
      binaries.flatMap { bytes in printed.map { (.json(binary: bytes), $0.0) } }, schema: file, root: schema.rootName)
    for (index, bytes) in binaries.enumerated() {
      for (kind, options) in printed.enumerated() {
        let theirs = answers[index * printed.count + kind].bytes.map { options.1.isStrict ? strict($0) : String($0) }
        let ours = try schema.json(bytes, options.1).get()
        #expect(ours == theirs, "\(place), options \(options.0.rawValue): \(firstDifference(ours, theirs ?? ""))")
      }
      // With all their digits, numbers survive, and so do the bytes.
      let exact = try schema.json(bytes, .init(hasExactNumbers: true)).get()
      let again = schema.binary(exact)
      #expect(again.bytes != nil, "\(place): \(again.diagnostics.map(\.message)) \(exact)")
      #expect(try again.bytes.map { try schema.json($0, .init(hasExactNumbers: true)).get() } == exact, "\(place)")
    }
  }
}

/// The strict JSON of C++ as we write it: with quotes around infinities and NaN, which JSON has not.
/// - Parameter isFlexible: Whether they stand in a FlexBuffer, where an infinity is a number that is too large.
func strict(_ json: [UInt8], isFlexible: Bool = false) -> String {
  String(json).replacing(/"(?:[^"\\]|\\.)*"|-?(?:inf|nan)/) { match -> String in
    if match.0.hasPrefix("\"") { return String(match.0) }
    return isFlexible && match.0.hasSuffix("inf")
      ? String(match.0).replacing("inf", with: "1e999") : "\"\(match.0)\""
  }
}

/// The first lines that differ.
private func firstDifference(_ first: String, _ second: String) -> String {
  let (a, b) = (first.split(separator: "\n"), second.split(separator: "\n"))
  let place = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
  return "\(a.dropFirst(place).prefix(2)) and \(b.dropFirst(place).prefix(2))"
}

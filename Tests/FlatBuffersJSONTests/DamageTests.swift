import ConformanceSupport
import FBSSchema
import FlatBuffersCore
import FlatBuffersJSON
import Foundation
import Golden_post
import Golden_union_vectors
import TestSupport
import Testing

@Suite("Bytes that are no FlatBuffer of the schema")
struct DamageTests {
  private func golden(_ name: String, root: String) throws -> JSONSchema {
    let url = packageFolder.appendingPathComponent("Fixtures/\(name)/schema.fbs")
    // The runtime requires a string of the primary key, which for FlatBuffers is a field like others.
    let text = try String(contentsOf: url, encoding: .utf8).replacingOccurrences(of: "(primary)", with: "(required)")
    return try JSONSchema(text, root: root)
  }

  /// Damages `bytes` in many ways, and gives each to `body`.
  private func damage(_ bytes: [UInt8], seed: Int, _ body: ([UInt8]) throws -> Void) rethrows {
    var random = SeededGenerator(seed: seed)
    for count in stride(from: 0, through: bytes.count, by: 3) { try body(Array(bytes.prefix(count))) }
    for _ in 0..<600 {
      var damaged = bytes
      for _ in 0...random.next(3) {
        let place = random.next(damaged.count)
        damaged[place] = random.pick([0, 1, 4, 0x7F, 0x80, 0xFF, UInt8(random.next(256)), damaged[place] &+ 4])
      }
      try body(damaged)
    }
  }

  private func compare<View: FlatBufferTableView>(_ schema: JSONSchema, _ json: String, as view: View.Type) throws {
    let bytes = try #require(schema.binary(json).bytes)
    var verdicts: [Bool: Int] = [:]
    damage(bytes, seed: 3) { damaged in
      let isValid = ByteBuffer(damaged).isValid(as: view)
      verdicts[isValid, default: 0] += 1
      let ours = Result { () throws(BufferFault) in try schema.converter.verify(damaged, as: schema.root) }
      switch ours {
      case .success: #expect(isValid, "\(damaged)")
      case .failure(let fault): #expect(!isValid, "\(fault) \(damaged)")
      }
      _ = schema.json(damaged, .init(allowsInvalidUTF8: true))
    }
    #expect((verdicts[true] ?? 0) > 50 && (verdicts[false] ?? 0) > 50)
  }

  @Test("Damaged rows have the verdict of the runtime's verifier, and none is a crash")
  func rows() throws {
    let json = """
      { title: "a title", color: Blue, tag: "t", priority: 7, content_type: ImageContent,
        content: { images: ["a", "bc", ""] } }
      """
    try compare(golden("post", root: "Post"), json, as: PostReader.self)
    let book = """
      { pages: [{ items_type: [Point, Text, Warning], items: [[1, 2], "x", { text: "y" }], next: { cover_type: Note,
        cover: {} } }, {}], extras_type: [Note], extras: [{ text: "z" }] }
      """
    try compare(golden("union-vectors", root: "Book"), book, as: BookReader.self)
  }

  @Test("Damaged FlexBuffers and nested buffers are printed or refused")
  func flexible() throws {
    let schema = try JSONSchema(ConversionTests.text)
    let json = """
      { any: { a: [1, "x", null], b: -1.5, c: { q: 300 } }, nested: { any: [1, [2]], us_type: ["S"], us: [[1, 2]] },
        us_type: [str, I], us: ["x", { s: "y" }], named: [{ k: "a" }] }
      """
    let bytes = try #require(schema.binary(json).bytes)
    var refused = 0
    damage(bytes, seed: 5) { damaged in
      if case .failure = schema.json(damaged) { refused += 1 }
    }
    #expect(refused > 100)
  }

  @Test("A fault names the field and the position")
  func places() throws {
    let schema = try JSONSchema("table I { s: string; } table T { items: [I]; } root_type T;")
    var bytes = try #require(schema.binary("{ items: [{ s: \"one\" }, { s: \"two\" }] }").bytes)
    let place = try #require((0..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual("two\0".utf8) })
    bytes[place + 3] = 1
    guard case .failure(let fault) = schema.json(bytes) else {
      Issue.record("It was taken.")
      return
    }
    #expect(fault.path == "items[1].s" && fault.position == place - 4 && fault.reason == .unterminatedString)
    #expect("\(fault)" == "items[1].s, at byte \(place - 4): the string has no zero byte after it")
  }

  @Test("Tables that share others are not followed without end")
  func sharing() throws {
    // Each table has a vector that names the next one 32 times: 32^20 tables, in a few kilobytes.
    let schema = try JSONSchema("table T { v: [T]; } root_type T;")
    var bytes: [UInt8] = []
    func append(_ number: Int, _ size: Int) {
      for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }
    append(8, 4)
    append(0, 4)
    for level in 0..<20 {
      // A table, its vtable, and the vector; the last one's is empty.
      append(-8, 4)
      append(12, 4)
      append(6, 2)
      append(8, 2)
      append(4, 2)
      append(0, 2)
      let count = level == 19 ? 0 : 32
      append(count, 4)
      for index in 0..<count { append(4 * (count - index), 4) }
    }
    guard case .failure(let fault) = schema.json(bytes) else {
      Issue.record("It was taken.")
      return
    }
    #expect(fault.reason == .tooMuch(limit: 1_000_000))
  }

  @Test("Strings that are shared do not fill the memory")
  func largeText() throws {
    let schema = try JSONSchema("table T { v: [string]; } root_type T;")
    let bytes = try #require(
      schema.binary("{ v: [\(Array(repeating: "\"abcdefgh\"", count: 50).joined(separator: ","))] }").bytes)
    guard case .failure(let fault) = schema.json(bytes, .init(maximumSize: 200)) else {
      Issue.record("It was taken.")
      return
    }
    #expect(fault.reason == .textTooLarge(limit: 200))
  }

  @Test("Strings that are not UTF-8 and unions of a newer schema are refused by name, or shown if asked for")
  func newerData() throws {
    let schema = try JSONSchema("table A { s: string; } union U { A } table T { u: U; s: string; } root_type T;")
    let newer = try JSONSchema(
      "table A { s: string; } table B {} union U { A, B } table T { u: U; s: string; } root_type T;")
    let bytes = try #require(newer.binary("{ u_type: B, u: {}, s: \"x\" }").bytes)
    guard case .failure(let fault) = schema.json(bytes) else {
      Issue.record("It was taken.")
      return
    }
    #expect(fault.path == "u" && fault.reason == .unknownMember(code: 2, union: "U"))
    #expect(try schema.json(bytes, .init(indentation: nil, unknownMembers: .omit)).get() == "{u_type: 2,s: \"x\"}")
    var broken = try #require(schema.binary("{ s: \"ab\" }").bytes)
    broken[try #require(broken.firstIndex(of: UInt8(ascii: "a")))] = 0xFF
    guard case .failure(let invalid) = schema.json(broken) else {
      Issue.record("It was taken.")
      return
    }
    #expect(invalid.reason == .invalidUTF8 && invalid.path == "s")
    #expect(try schema.json(broken, .init(indentation: nil, allowsInvalidUTF8: true)).get() == "{s: \"\\xFFb\"}")
  }
}

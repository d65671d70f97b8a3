import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// The C++ that flatc makes tells what it takes a schema to mean: sizes, slots, numbers and defaults.
@Suite("Agreement with flatc on what schemas mean", .enabled(if: Flatc.isInstalled))
struct FlatcMeaningTests {
  @Test("Random schemas have flatc's struct sizes, vtable offsets, enum numbers and defaults", arguments: 0..<24)
  func randomSchema(_ seed: Int) throws {
    var generator = SchemaGenerator(seed: UInt64(seed))
    let text = generator.schema()
    let compilation = compile(text)
    #expect(compilation.errors.isEmpty, "\(compilation.errors.map(\.message)) in\n\(text)")
    let expected = try CPlusPlusFacts(ofSchema: text)
    let schema = compilation.schema
    var structs: [String: [Int]] = [:]
    for definition in schema.structs { structs[definition.name.name] = [definition.size, definition.alignment] }
    #expect(structs == expected.structs, "\(text)")
    var slots: [String: Int] = [:]
    for table in schema.tables {
      for field in table.fields {
        slots["\(table.name.name).\(field.name.uppercased())"] = field.vtableOffset
        switch field.type {
        case .union, .vector(of: .union):
          slots["\(table.name.name).\(field.name.uppercased())_TYPE"] = field.vtableOffset - 2
        default: break
        }
      }
    }
    #expect(slots == expected.slots, "\(text)")
    var numbers: [String: String] = [:]
    for definition in schema.enums {
      for value in definition.values {
        numbers["\(definition.name.name)_\(value.name)"] =
          definition.underlyingType == .uint64 ? String(UInt64(bitPattern: value.number)) : String(value.number)
      }
    }
    for union in schema.unions {
      for member in union.members { numbers["\(union.name.name)_\(member.name)"] = String(member.code) }
    }
    for (name, number) in numbers { #expect(expected.numbers[name] == number, "\(name) in\n\(text)") }
    var defaults: [String: String] = [:]
    for table in schema.tables {
      for field in table.fields {
        guard case .defaulted(let value) = field.presence, case .scalar(let type) = field.type, type.isInteger else {
          continue
        }
        switch value {
        case .integer(let number): defaults["\(table.name.name).\(field.name.uppercased())"] = String(number)
        case .unsigned(let number): defaults["\(table.name.name).\(field.name.uppercased())"] = String(number)
        case .bool, .real: break
        }
      }
    }
    for (name, value) in defaults { #expect(expected.defaults[name] == value, "\(name) in\n\(text)") }
    #expect(!expected.structs.isEmpty && !expected.slots.isEmpty && !defaults.isEmpty)
  }
}

/// What generated C++ says.
private struct CPlusPlusFacts {
  /// Size and alignment, by struct.
  var structs: [String: [Int]] = [:]
  /// Vtable offsets, by table and field.
  var slots: [String: Int] = [:]
  /// Values of enums, by enum and value.
  var numbers: [String: String] = [:]
  /// Defaults of whole numbers, by table and field.
  var defaults: [String: String] = [:]

  init(ofSchema text: String) throws {
    var current = ""
    var alignment = 1
    for line in try Flatc.header(text).split(separator: "\n") {
      // Most lines say nothing of interest, and regular expressions are slow.
      guard line.hasPrefix("FLATBUFFERS_") || line.contains(" = ") || line.contains("VT_") || line.contains(": private")
      else { continue }
      if let match = line.firstMatch(of: #/^FLATBUFFERS_MANUALLY_ALIGNED_STRUCT\((\d+)\) (\w+)/#) {
        alignment = Int(match.1) ?? 0
      } else if let match = line.firstMatch(of: #/^FLATBUFFERS_STRUCT_END\((\w+), (\d+)\)/#) {
        structs[String(match.1)] = [Int(match.2) ?? 0, alignment]
      } else if let match = line.firstMatch(of: #/^struct (\w+) FLATBUFFERS_FINAL_CLASS : private flatbuffers::Table/#)
      {
        current = String(match.1)
      } else if let match = line.firstMatch(of: #/^    VT_(\w+) = (\d+)/#) {
        slots["\(current).\(match.1)"] = Int(match.2)
      } else if let match = line.firstMatch(of: #/^  (\w+) = (-?\d+)[uUlL]*,?$/#) {
        numbers[String(match.1)] = String(match.2)
      } else if let match = line.firstMatch(of: #/GetField<u?int\d+_t>\(VT_(\w+), (-?\d+)[uUlL]*\)/#) {
        defaults["\(current).\(match.1)"] = String(match.2)
      }
    }
  }
}

extension Flatc {
  /// The C++ header that flatc makes of a schema.
  fileprivate static func header(_ text: String) throws -> String {
    try withTemporaryFolder { folder in
      try Data(text.utf8).write(to: folder.appendingPathComponent("a.fbs"))
      try runTool(try #require(path), ["--cpp", "a.fbs"], in: folder)
      return String(decoding: try Data(contentsOf: folder.appendingPathComponent("a_generated.h")), as: UTF8.self)
    }
  }
}

/// Writes schemas that are valid, and as mixed as they come.
private struct SchemaGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x2545_F491_4F6C_DD1D &+ 0x9E37_79B9_7F4A_7C15
  }

  private mutating func random(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  private mutating func pick(_ choices: [String]) -> String { choices[random(choices.count)] }

  private let scalars = ["byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "bool"]

  mutating func schema() -> String {
    var text = ""
    for index in 0..<3 {
      let type = pick(["byte", "ubyte", "short", "uint", "long", "ulong"])
      let isFlags = type.hasPrefix("u") && random(2) == 0
      var number = 0
      let values = (0..<(1 + random(5))).map { place -> String in
        guard random(2) == 0, place > 0 else {
          number += place == 0 ? 0 : 1
          return "V\(place)"
        }
        number += 1 + random(isFlags ? 1 : 20)
        return "V\(place) = \(random(2) == 0 ? String(number) : "0x" + String(number, radix: 16))"
      }
      text += "enum E\(index): \(type)\(isFlags ? " (bit_flags)" : "") { \(values.joined(separator: ", ")) }\n"
    }
    for index in 0..<4 {
      let fields = (0..<(1 + random(5))).map { place -> String in
        var type = random(4) == 0 ? "E\(random(3))" : pick(scalars)
        if index > 0, random(3) == 0 { type = "S\(random(index))" }
        return "f\(place): " + (random(4) == 0 ? "[\(type):\(1 + random(7))]" : type) + ";"
      }
      text += "struct S\(index)\(random(4) == 0 ? " (force_align: 16)" : "") { \(fields.joined(separator: " ")) }\n"
      // A struct inside must not be aligned more than one that says 16, and 16 is the most here.
    }
    text += "union U { T0, alias: T1 = \(3 + random(9)), T2 }\n"
    for index in 0..<3 { text += table(index) }
    return text
  }

  private mutating func table(_ index: Int) -> String {
    var fields = (0..<(2 + random(8))).map { place -> (text: String, slots: Int) in
      let name = "g\(place)"
      switch random(8) {
      case 0: return ("\(name): string", 1)
      case 1: return ("\(name): U", 2)
      case 2: return ("\(name): [\(pick(scalars + ["string", "T0", "S1", "E1"]))]", 1)
      case 3: return ("\(name): S\(random(4))", 1)
      case 4: return ("\(name): T\(random(3))", 1)
      case 5: return ("\(name): uint = 0x\(String(random(100_000), radix: 16))", 1)
      case 6: return ("\(name): byte = -\(random(129))", 1)
      default: return ("\(name): ulong = 18446744073709551\(600 + random(16))", 1)
      }
    }
    fields.append(("last: int = \(random(1_000))", 1))
    var ids = [Int](repeating: -1, count: fields.count)
    let isExplicit = random(2) == 0
    if isExplicit {
      var order = Array(fields.indices)
      for place in order.indices.dropLast() { order.swapAt(place, place + random(order.count - place)) }
      var next = 0
      for field in order {
        next += fields[field].slots
        ids[field] = next - 1
      }
    }
    let lines = fields.indices.map { place -> String in
      "  \(fields[place].text)\(isExplicit ? " (id: \(ids[place]))" : "");"
    }
    return "table T\(index) {\n\(lines.joined(separator: "\n"))\n}\n"
  }
}

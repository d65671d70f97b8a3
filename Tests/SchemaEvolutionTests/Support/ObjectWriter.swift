import ConformanceSupport
import TestSupport

/// Random objects of a schema, as JSON.
struct ObjectWriter {
  let model: SchemaModel
  /// Which of several: the first has nothing that may be absent, others everything, the rest something. Enum values and union
  /// members go round, so that each is there.
  let number: Int
  var random: SeededGenerator
  /// Whether deprecated fields are written, as they once were.
  let isLive: Bool
  private var turn = 0

  init(_ model: SchemaModel, number: Int, seed: Int, isLive: Bool) {
    self.model = model
    self.number = number
    self.isLive = isLive
    random = SeededGenerator(seed: seed &* 31 &+ number)
    turn = number
  }

  /// How many objects show everything, if each value of an enum and each member of a union must come.
  static let count = 14

  mutating func object(of id: Int) -> String {
    guard let place = model.place(id) else { return "{}" }
    return table(model.definitions[place], 0)
  }

  private func isPresent(_ member: SchemaModel.Member, _ depth: Int, _ random: inout SeededGenerator) -> Bool {
    if member.attributes.contains("required") || member.attributes.contains("primary") { return true }
    if depth > 4 { return false }
    switch number {
    case 0: return false
    case 1, 2, 3: return true
    default: return random.once(in: 2)
    }
  }

  private mutating func table(_ definition: SchemaModel.Definition, _ depth: Int) -> String {
    var parts: [String] = []
    for member in definition.members where !(member.isDeprecated && !isLive) {
      guard isPresent(member, depth, &random) else { continue }
      // Below, only what must be there: required tables that hold themselves never end, and are left out.
      if depth > 8 { continue }
      if let id = member.type.definition, let place = model.place(id), model.definitions[place].kind == .union {
        parts.append(union(member, model.definitions[place], depth))
      } else if let nested = member.nested {
        parts.append("\"\(member.name)\": \(value(.definition(nested), depth + 1))")
      } else if member.attributes.contains("primary"), depth == 0 {
        parts.append("\"\(member.name)\": \(key(member))")
      } else {
        parts.append("\"\(member.name)\": \(value(member.type, depth))")
      }
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  /// A value that no other object has: two that are the same cannot both be stored.
  private func key(_ member: SchemaModel.Member) -> String {
    let type = member.type
    // One has the default, which is not written: it shows what becomes of a default.
    if number == 0, case .scalar(let word) = type, word != "bool" { return member.value ?? "0" }
    // Nor has another field of the key the same: else their order would not matter.
    let number = number * 300 + member.name.utf8.reduce(0) { ($0 &* 10 &+ Int($1)) % 300 }
    return switch type {
    case .string: "\"key\(number)\""
    case .definition(let id): "\"\(model.place(id).map { model.definitions[$0].members[0].name } ?? "")\""
    default:
      type.isReal ? "\(number).5" : type.isBool ? "\(number % 2 == 0)" : type.isByte ? "\(number / 300)" : "\(number)"
    }
  }

  private mutating func union(
    _ field: SchemaModel.Member, _ definition: SchemaModel.Definition, _ depth: Int
  ) -> String {
    func one(_ writer: inout ObjectWriter) -> (String, String) {
      writer.turn += 1
      let place = writer.number < 4 ? writer.turn : writer.random.next(definition.members.count)
      let member = definition.members[place % definition.members.count]
      return ("\"\(member.name)\"", writer.value(member.type, depth))
    }
    if field.isVector {
      let all = (0..<definition.members.count).map { _ in one(&self) }
      let (types, values) = (all.map(\.0).joined(separator: ", "), all.map(\.1).joined(separator: ", "))
      return "\"\(field.name)_type\": [\(types)], \"\(field.name)\": [\(values)]"
    }
    let (type, value) = one(&self)
    return "\"\(field.name)_type\": \(type), \"\(field.name)\": \(value)"
  }

  private mutating func value(_ type: SchemaModel.TypeModel, _ depth: Int) -> String {
    switch type {
    case .scalar(let word): return scalar(word)
    case .string: return "\"text\(random.next(100))\""
    case .vector(let element):
      // Enough for every value of an enum; structs one after another show their size.
      let count = depth > 3 ? 1 : 5
      return "[\((0..<count).map { _ in value(element, depth + 1) }.joined(separator: ", "))]"
    case .array(let element, let count):
      return "[\((0..<count).map { _ in value(element, depth + 1) }.joined(separator: ", "))]"
    case .definition(let id):
      guard let place = model.place(id) else { return "0" }
      let definition = model.definitions[place]
      switch definition.kind {
      case .enumeration: return enumValue(definition)
      case .structure:
        let fields = definition.members.map { "\"\($0.name)\": \(value($0.type, depth + 1))" }
        return "{\(fields.joined(separator: ", "))}"
      case .table: return table(definition, depth + 1)
      case .union: return "{}"
      }
    }
  }

  private mutating func enumValue(_ definition: SchemaModel.Definition) -> String {
    turn += 1
    if definition.attributes == ["bit_flags"] {
      if random.once(in: 4) { return "\"\(definition.members.map(\.name).joined(separator: " "))\"" }
      if random.once(in: 6) { return "0" }
    }
    // In step with something else, a round may pass over a value for ever.
    let place = number < 4 ? turn + number : random.next(definition.members.count)
    return "\"\(definition.members[place % definition.members.count].name)\""
  }

  private mutating func scalar(_ word: String) -> String {
    // The bounds come first: they show what a change of width or sign does.
    turn += 1
    let edge = number < 4 ? turn % 3 : random.next(3)
    switch word {
    case "bool": return (number < 4 ? turn % 2 == 0 : random.once(in: 2)) ? "true" : "false"
    case "float", "double": return edge == 0 ? "-1.5" : edge == 1 ? "3.25" : "\(random.next(1000)).5"
    case "byte": return edge == 0 ? "-128" : edge == 1 ? "127" : String(random.next(100))
    case "ubyte": return edge == 0 ? "255" : edge == 1 ? "131" : String(random.next(100))
    case "short": return edge == 0 ? "-32768" : edge == 1 ? "32767" : String(random.next(1000))
    case "ushort": return edge == 0 ? "65535" : edge == 1 ? "33003" : String(random.next(1000))
    case "int": return edge == 0 ? "-2147483648" : edge == 1 ? "2147483647" : String(random.next(100_000))
    case "uint": return edge == 0 ? "4294967295" : edge == 1 ? "2147483653" : String(random.next(100_000))
    case "long":
      return edge == 0 ? "-9223372036854775808" : edge == 1 ? "9223372036854775807" : "\(random.next(1 << 40))"
    default: return edge == 0 ? "18446744073709551615" : edge == 1 ? "9223372036854775813" : "\(random.next(1 << 40))"
    }
  }
}

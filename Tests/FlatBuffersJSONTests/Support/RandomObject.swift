import ConformanceSupport
import FBSSchema
import TestSupport

/// Writes random JSON objects of a schema, such as people and programs write them: fields in any order, enums by name and by
/// number, lists in place of objects.
struct RandomObject {
  private let schema: Schema
  private var random: SeededGenerator
  /// Keys are different from one another, since what has equal keys has no order of its own.
  private var nextKey = 0
  /// Whether fields may be missing or wrong, and unions lack their type or their value.
  private let breaksThings: Bool

  init(_ schema: Schema, seed: Int, breaksThings: Bool = false) {
    self.schema = schema
    self.breaksThings = breaksThings
    random = SeededGenerator(seed: seed)
  }

  /// Objects that are nested deeper have only what they must have.
  private static let maximumDepth = 4

  mutating func table(_ id: TableID, depth: Int = 0) -> String {
    let table = schema[id]
    var fields: [String] = []
    for field in table.fields.sorted(by: { $0.id < $1.id }) {
      let isRequired = field.presence == .required || field.declaration.attribute("key") != nil
      guard isRequired || (depth < Self.maximumDepth && !random.once(in: 3)) else { continue }
      fields += self.field(field, depth: depth)
    }
    if breaksThings { breakSomething(of: &fields) }
    // The types of unions stand before their values.
    if breaksThings || fields.allSatisfy({ !$0.contains("_type") }) {
      for place in fields.indices.reversed() { fields.swapAt(place, random.next(place + 1)) }
    }
    let comma = random.once(in: 5) && !fields.isEmpty ? "," : ""
    return "{ \(fields.joined(separator: ", "))\(comma) }"
  }

  private mutating func breakSomething(of fields: inout [String]) {
    guard !fields.isEmpty, random.once(in: 8) else { return }
    let place = random.next(fields.count)
    let name = fields[place].prefix { $0 != ":" }
    switch random.next(4) {
    case 0: fields.remove(at: place)
    case 1: fields.append(fields[place])
    default: fields[place] = "\(name): \(random.pick(["null", "[]", "{}", "[{}]", "0", "\"\"", "NONE"]))"
    }
  }

  private mutating func field(_ field: FieldDefinition, depth: Int) -> [String] {
    let name = random.once(in: 2) ? field.name : "\"\(field.name)\""
    if field.declaration.attribute("key") != nil { return ["\(name): \(key(field.type))"] }
    if case .string(let type) = field.declaration.attribute("nested_flatbuffer")?.value {
      // Tables of random schemas are named by their last name, and are unique.
      guard let index = schema.tables.firstIndex(where: { $0.name.name == type }) else { return [] }
      return depth + 1 < Self.maximumDepth ? ["\(name): \(quoted(table(TableID(index), depth: depth + 2)))"] : []
    }
    if field.declaration.attribute("hash") != nil, random.once(in: 2) { return ["\(name): \"\(word())\""] }
    switch field.type {
    case .union(let id):
      guard let (member, value) = union(id, depth) else { return [] }
      return ["\(field.name)_type: \(member)", "\(name): \(value)"]
    case .vector(of: .union(let id)):
      let members = (0..<count(depth)).compactMap { _ in union(id, depth) }
      var (types, values) = (members.map(\.0), members.map(\.1))
      if breaksThings, random.once(in: 8) { _ = random.once(in: 2) ? types.popLast() : values.popLast() }
      return ["\(field.name)_type: [\(types.joined(separator: ", "))]", "\(name): [\(values.joined(separator: ", "))]"]
    case .vector(let element):
      let values = (0..<count(depth)).map { _ in value(element.fieldType, depth: depth) }
      return ["\(name): [\(values.joined(separator: ", "))]"]
    default:
      if field.presence == .optional, random.once(in: 6) { return ["\(name): null"] }
      return ["\(name): \(value(field.type, depth: depth))"]
    }
  }

  /// What stands in a nested buffer is read before its type is known: no bare words may stand in it.
  private func quoted(_ json: String) -> String {
    var result = ""
    var word = ""
    var isInString = false
    func flushed(_ next: Character?) -> String {
      let isPlain = ["", "true", "false", "null", "inf"].contains(word) || next == ":" || word.first?.isLetter != true
      return isPlain ? word : "\"\(word)\""
    }
    for character in json {
      if character == "\"" { isInString.toggle() }
      if !isInString, character.isLetter || character.isNumber || character == "_" || (character == "-" && word.isEmpty)
      {
        word.append(character)
        continue
      }
      if !word.isEmpty, !isInString || character == "\"" {
        result += flushed(character)
        word = ""
      }
      result.append(character)
    }
    return result
  }

  private mutating func count(_ depth: Int) -> Int { depth < Self.maximumDepth ? random.next(5) : 0 }

  private mutating func word() -> String {
    random.pick([
      "", "a", "ab", "title", "Ünïcödé", "日本", "\\u00e9\\n\\t\\\"", "🎈", "\\/", "nul\\u0000l", "\\u0001\\u007f",
    ])
  }

  private mutating func key(_ type: FieldType) -> String {
    nextKey += 1
    switch type {
    case .string: return "\"\(random.pick(["a", "b", "é", ""]))\(nextKey)\""
    case .scalar(.int8), .scalar(.uint8), .scalar(.bool): return "\(nextKey % 100)"
    case .scalar(let scalar) where scalar.isFloatingPoint: return "\(nextKey).5"
    default: return "\(nextKey)"
    }
  }

  private mutating func union(_ id: UnionID, _ depth: Int) -> (String, String)? {
    let members = schema[id].members.filter { depth < Self.maximumDepth || $0.type == .string }
    guard !members.isEmpty else { return nil }
    let member = random.pick(members)
    let value: String
    switch member.type {
    case .table(let table): value = self.table(table, depth: depth + 1)
    case .structure(let structure): value = self.structure(structure)
    case .string: value = "\"\(word())\""
    }
    return (random.once(in: 4) ? "\(member.code)" : random.once(in: 2) ? member.name : "\"\(member.name)\"", value)
  }

  private mutating func structure(_ id: StructID) -> String {
    let isList = random.once(in: 4)
    let fields = schema[id].fields.map { field -> String in
      let isKey = field.declaration.attribute("key") != nil
      var text = "0"
      switch field.type {
      case .scalar(let scalar): text = isKey ? key(.scalar(scalar)) : value(.scalar(scalar), depth: 0)
      case .enumeration(let id): text = value(.enumeration(id), depth: 0)
      case .structure(let id): text = structure(id)
      case .array(let element, let count):
        text = "[\((0..<count).map { _ in self.element(element) }.joined(separator: ", "))]"
      }
      return isList ? text : "\(field.name): \(text)"
    }
    return (isList ? "[" : "{") + fields.joined(separator: ", ") + (isList ? "]" : "}")
  }

  private mutating func element(_ type: StructDefinition.FieldType) -> String {
    switch type {
    case .scalar(let scalar): value(.scalar(scalar), depth: 0)
    case .enumeration(let id): value(.enumeration(id), depth: 0)
    case .structure(let id): structure(id)
    case .array: "[]"
    }
  }

  private mutating func value(_ type: FieldType, depth: Int) -> String {
    switch type {
    case .string: return "\"\(word())\""
    case .structure(let id): return structure(id)
    case .table(let id): return table(id, depth: depth + 1)
    case .enumeration(let id):
      let definition = schema[id]
      if definition.isBitFlags, random.once(in: 2) {
        return "\"\(random.pick(definition.values).name) \(random.pick(definition.values).name)\""
      }
      let value = random.pick(definition.values)
      return random.once(in: 3) ? "\(value.number)" : "\"\(value.name)\""
    case .scalar(let scalar):
      let text = random.pick(Self.numbers(scalar))
      return random.once(in: 8) && scalar != .bool ? "\"\(text)\"" : text
    case .vector, .union: return "[]"
    }
  }

  private static func numbers(_ type: ScalarType) -> [String] {
    switch type {
    case .bool: ["true", "false", "1", "0"]
    case .int8: ["0", "1", "-128", "127"]
    case .uint8: ["0", "255", "7"]
    case .int16: ["0", "-32768", "32767"]
    case .uint16: ["0", "65535"]
    case .int32: ["0", "-2147483648", "2147483647", "0x10"]
    case .uint32: ["0", "4294967295"]
    case .int64: ["0", "-9223372036854775808", "9223372036854775807"]
    case .uint64: ["0", "18446744073709551615"]
    case .float: ["0.0", "1.5", "-0.25", "3.14159265", "1e-20", "3e38", "16777217", "inf", "-inf", "0.1"]
    case .double: ["0.0", "1.5", "-0.25", "3.141592653589793", "1e-20", "1.7e308", "1", "inf", "0.1"]
    }
  }
}

extension ElementType {
  var fieldType: FieldType {
    switch self {
    case .scalar(let type): .scalar(type)
    case .enumeration(let id): .enumeration(id)
    case .string: .string
    case .structure(let id): .structure(id)
    case .table(let id): .table(id)
    case .union(let id): .union(id)
    }
  }
}

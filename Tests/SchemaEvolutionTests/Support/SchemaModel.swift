import ConformanceSupport
import TestSupport

/// A schema that can be edited: its own model of what schemas are, apart from the one that is tested. Definitions refer to one
/// another by number, so that they may be renamed and moved.
struct SchemaModel {
  enum Kind { case enumeration, structure, union, table }

  indirect enum TypeModel: Sendable {
    case scalar(String)
    case string
    case definition(Int)
    case vector(TypeModel)
    case array(TypeModel, Int)

    var isReal: Bool {
      if case .scalar("float") = self { true } else if case .scalar("double") = self { true } else { false }
    }
    var isByte: Bool {
      if case .scalar("byte") = self { true } else if case .scalar("ubyte") = self { true } else { false }
    }
    var isBool: Bool { if case .scalar("bool") = self { true } else { false } }

    var definition: Int? {
      switch self {
      case .scalar, .string: nil
      case .definition(let id): id
      case .vector(let element), .array(let element, _): element.definition
      }
    }
  }

  struct Member {
    var name: String
    var type: TypeModel
    /// A field's default, an enum value's number or a union member's code.
    var value: String?
    var attributes: [String] = []
    /// The table whose FlatBuffer a vector of bytes holds.
    var nested: Int?
    var isDeprecated: Bool { attributes.contains("deprecated") }
  }

  struct Definition {
    let id: Int
    var kind: Kind
    var name: String
    var namespace = ""
    var members: [Member]
    var attributes: [String] = []
    /// An enum's type.
    var underlying = "int"
    var hasIDs = false

    var fullName: String { namespace.isEmpty ? name : "\(namespace).\(name)" }
  }

  var definitions: [Definition] = []
  var root: Int?
  var count = 0
  var identifier: String?

  /// Where a definition is. Those that are gone are nowhere.
  func place(_ id: Int) -> Int? { definitions.firstIndex { $0.id == id } }

  func name(_ type: TypeModel) -> String {
    switch type {
    case .scalar(let word): word
    case .string: "string"
    case .definition(let id): place(id).map { definitions[$0].fullName } ?? "Missing"
    case .vector(let element): "[\(name(element))]"
    case .array(let element, let length): "[\(name(element)):\(length)]"
    }
  }

  func kind(_ type: TypeModel) -> Kind? { type.definition.flatMap { place($0) }.map { definitions[$0].kind } }

  func takesTwo(_ type: TypeModel) -> Bool { kind(type) == .union }

  /// The text. Enums stand before structs, those before unions, those before tables: flatc asks for that.
  /// - Parameter isLive: Whether deprecated fields are written as if they were not, as they once were.
  /// - Parameter isForCpp: Whether flatc's library reads it.
  func text(isLive: Bool = false, isForCpp: Bool = false) -> String {
    var output = ""
    // flatc asks for the declaration of what is not its own.
    for name in ["primary", "indexed", "unique", "v"] where uses(name) { output += "attribute \"\(name)\";\n" }
    for kind in [Kind.enumeration, .structure, .union, .table] {
      for definition in definitions where definition.kind == kind {
        output += definition.namespace.isEmpty ? "namespace;\n" : "namespace \(definition.namespace);\n"
        output += text(definition, isLive, isForCpp)
      }
    }
    output += "namespace;\n"
    if let root, let place = place(root) { output += "root_type \(definitions[place].fullName);\n" }
    if let identifier { output += "file_identifier \"\(identifier)\";\n" }
    return output
  }

  private func uses(_ attribute: String) -> Bool {
    definitions.contains { definition in
      (definition.attributes + definition.members.flatMap(\.attributes)).contains {
        $0 == attribute || $0.hasPrefix(attribute + ":")
      }
    }
  }

  func text(_ definition: Definition, _ isLive: Bool, _ isForCpp: Bool) -> String {
    func list(_ attributes: [String]) -> String {
      attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))"
    }
    switch definition.kind {
    case .enumeration:
      let values = definition.members.map { "  \($0.name)\($0.value.map { " = \($0)" } ?? "")" }
      return "enum \(definition.name): \(definition.underlying)\(list(definition.attributes)) {\n"
        + values.joined(separator: ",\n") + "\n}\n"
    case .union:
      let members = definition.members.map { "  \($0.name): \(name($0.type))\($0.value.map { " = \($0)" } ?? "")" }
      return "union \(definition.name) {\n\(members.joined(separator: ",\n"))\n}\n"
    case .structure, .table:
      var next = 0
      var lines: [(id: Int, text: String)] = []
      for member in definition.members {
        next += takesTwo(member.type) ? 2 : 1
        var attributes = member.attributes.filter { !isLive || $0 != "deprecated" }
        if definition.hasIDs { attributes.append("id: \(next - 1)") }
        if let nested = member.nested { attributes.append("nested_flatbuffer: \"\(name(.definition(nested)))\"") }
        var value = member.value.map { " = \($0)" } ?? ""
        // C++ does not keep the defaults of strings.
        if isForCpp, value.hasSuffix("\"") { value = "" }
        lines.append((next - 1, "  \(member.name): \(name(member.type))\(value)\(list(attributes));\n"))
      }
      // With ids, the order of the text is free.
      if definition.hasIDs { lines.reverse() }
      let word = definition.kind == .table ? "table" : "struct"
      return "\(word) \(definition.name)\(list(definition.attributes)) {\n\(lines.map(\.text).joined())}\n"
    }
  }

  mutating func fresh(_ prefix: String) -> String {
    count += 1
    return "\(prefix)\(count)"
  }

  // MARK: SeededGenerator schemas

  static let integers = ["byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong"]
  static let scalars = integers + ["bool", "float", "double"]

  static func random(_ random: inout SeededGenerator) -> SchemaModel {
    var model = SchemaModel()
    let kinds: [(Kind, Int)] = [
      (.enumeration, 1 + random.next(2)), (.structure, 1 + random.next(2)), (.union, random.next(2)),
      (.table, 1 + random.next(3)),
    ]
    for (kind, count) in kinds {
      for _ in 0..<count {
        let id = model.definitions.count
        model.definitions.append(
          Definition(
            id: id, kind: kind, name: model.fresh("T"), namespace: random.pick(["", "", "N", "N.M"]), members: []))
      }
    }
    for place in model.definitions.indices { model.fill(place, &random) }
    let tables = model.definitions.filter { $0.kind == .table }
    if random.once(in: 2) { model.root = tables[0].id }
    if random.once(in: 6) { model.identifier = "ID\(10 + random.next(80))" }
    return model
  }

  private mutating func fill(_ place: Int, _ random: inout SeededGenerator) {
    switch definitions[place].kind {
    case .enumeration:
      let isFlags = random.once(in: 3)
      definitions[place].underlying = random.pick(isFlags ? ["ubyte", "ushort", "uint"] : Self.integers)
      if isFlags { definitions[place].attributes = ["bit_flags"] }
      var number = 0
      for _ in 0...(1 + random.next(3)) {
        definitions[place].members.append(
          Member(name: fresh("v"), type: .string, value: random.once(in: 3) ? nil : String(number)))
        if definitions[place].members[definitions[place].members.count - 1].value == nil, number > 0, random.once(in: 2)
        {
          definitions[place].members[definitions[place].members.count - 1].value = String(number)
        }
        number += 1
      }
    case .structure:
      for _ in 0...random.next(3) {
        definitions[place].members.append(Member(name: fresh("s"), type: structType(before: place, &random)))
      }
    case .union:
      for _ in 0...(1 + random.next(2)) {
        let choices = definitions.filter { $0.kind == .table || $0.kind == .structure }.map(\.id)
        let type: TypeModel = random.once(in: 5) ? .string : .definition(random.pick(choices))
        definitions[place].members.append(Member(name: fresh("m"), type: type))
      }
    case .table:
      definitions[place].hasIDs = random.once(in: 4)
      for _ in 0...(1 + random.next(5)) { definitions[place].members.append(newField(&random)) }
    }
  }

  func structType(before place: Int, _ random: inout SeededGenerator) -> TypeModel {
    let structs = definitions[..<place].filter { $0.kind == .structure && !$0.members.isEmpty }.map(\.id)
    if !structs.isEmpty, random.once(in: 4) { return .definition(random.pick(structs)) }
    let enums = definitions.filter { $0.kind == .enumeration }.map(\.id)
    var type = TypeModel.scalar(random.pick(Self.scalars))
    if !enums.isEmpty, random.once(in: 4) { type = .definition(random.pick(enums)) }
    return random.once(in: 5) ? .array(type, 1 + random.next(3)) : type
  }

  mutating func newField(_ random: inout SeededGenerator) -> Member {
    var field = Member(name: fresh("f"), type: fieldType(&random))
    switch field.type {
    case .scalar(let word):
      field.value = random.once(in: 6) ? "null" : random.once(in: 2) ? nil : Self.defaultValue(of: word, &random)
    case .definition(let id):
      if let place = place(id), definitions[place].kind == .enumeration {
        field.value = definitions[place].members.first?.name
      } else if let place = place(id), definitions[place].kind == .structure, random.once(in: 6) {
        // Not tables: one that must hold itself never ends.
        field.attributes = ["required"]
      }
    case .string, .vector: if random.once(in: 8) { field.attributes = ["required"] }
    case .array: break
    }
    if case .vector(.scalar("ubyte")) = field.type, random.once(in: 2) {
      field.nested = definitions.filter { $0.kind == .table }.randomID(&random)
    }
    if field.attributes.isEmpty, random.once(in: 8) { field.attributes = ["deprecated"] }
    return field
  }

  private func fieldType(_ random: inout SeededGenerator) -> TypeModel {
    switch random.next(8) {
    case 0: return .string
    case 1:
      let element: TypeModel =
        random.once(in: 3)
        ? .definition(random.pick(definitions).id) : random.once(in: 3) ? .string : .scalar(random.pick(Self.scalars))
      return .vector(element)
    case 2, 3, 4: return .definition(random.pick(definitions).id)
    default: return .scalar(random.pick(Self.scalars))
    }
  }

  static func defaultValue(of word: String, _ random: inout SeededGenerator) -> String {
    switch word {
    case "bool": random.pick(["true", "false"])
    case "float", "double": random.pick(["1.5", "-0.25", "100.0", "0.0"])
    default: String(1 + random.next(100))
    }
  }
}

extension [SchemaModel.Definition] {
  /// The id of one of them, if there is one.
  func randomID(_ random: inout SeededGenerator) -> Int? { isEmpty ? nil : random.pick(map(\.id)) }
}

extension SchemaModel {
  /// Whether objects of a type may hold a table.
  func leads(from type: Int?, to table: Int) -> Bool {
    var queue = [type].compactMap { $0 }
    var known = Set(queue)
    while let id = queue.popLast() {
      if id == table { return true }
      guard let place = place(id) else { continue }
      for member in definitions[place].members {
        for inner in [member.type.definition, member.nested].compactMap({ $0 }) where known.insert(inner).inserted {
          queue.append(inner)
        }
      }
    }
    return false
  }
}

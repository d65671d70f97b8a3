import TestSupport

/// A schema that is valid, and combines what the language has. All of it stands in a namespace of its own, so that many fit
/// into one program.
package struct RandomSchema: Sendable {
  /// A file of it.
  package struct File: Sendable {
    package let name: String
    /// What we compile.
    package let text: String
    /// What flatc compiles to C++, which knows no defaults of strings and vectors.
    package let cppText: String
  }

  package let files: [File]
  /// How many tables it has: `T0`, `T1`, ... in ``namespace``.
  package let tableCount: Int
  /// The namespace of its tables, and around all others of it.
  package let namespace: String

  /// - Parameter isForStore: whether it has what a store needs: a root table with a primary key, and indexes, some of which
  ///   may be where there can be none.
  package init(seed: Int, index: Int, isForStore: Bool = false) {
    var writer = SchemaWriter(seed: seed, namespace: "R\(index)", isForStore: isForStore)
    writer.run()
    namespace = "R\(index)"
    tableCount = writer.tableCount
    let types = "types\(index).fbs"
    let texts =
      writer.isSplit
      ? [(types, writer.types), ("schema\(index).fbs", "include \"\(types)\";\n" + writer.tables)]
      : [("schema\(index).fbs", writer.types + writer.tables)]
    files = texts.map { name, text in
      File(name: name, text: Self.resolve(text, keeping: true), cppText: Self.resolve(text, keeping: false))
    }
  }

  /// What stands between angle quotes is for us alone.
  private static func resolve(_ text: String, keeping: Bool) -> String {
    var result = ""
    var isInside = false
    for character in text {
      switch character {
      case "‹": isInside = true
      case "›": isInside = false
      default: if keeping || !isInside { result.append(character) }
      }
    }
    return result
  }
}

/// Writes the text of one schema.
private struct SchemaWriter {
  private var random: SeededGenerator
  private let namespace: String
  private let isForStore: Bool
  private var current: String
  private var count = 0
  private var enums: [(name: String, values: [String])] = []
  private var structs: [String] = []
  private var unions: [(name: String, hasLeaf: Bool)] = []
  let tableCount: Int
  let isSplit: Bool
  private(set) var types = ""
  private(set) var tables = ""

  /// The root table's number, if a store needs one.
  private let storeRoot: Int?

  init(seed: Int, namespace: String, isForStore: Bool) {
    random = SeededGenerator(seed: seed)
    self.namespace = namespace
    self.isForStore = isForStore
    current = namespace
    tableCount = 2 + random.next(4)
    isSplit = random.once(in: 3)
    storeRoot = isForStore ? random.next(tableCount) : nil
  }

  mutating func run() {
    types = isForStore ? "attribute \"primary\"; attribute \"indexed\"; attribute \"unique\";\n" : ""
    types += "namespace \(namespace);\n"
    for _ in 0...random.next(3) { writeEnum() }
    for _ in 0...random.next(4) { writeStruct() }
    // Unions name tables, which are in the other file when there are two.
    types += "namespace \(namespace);\n"
    tables = "namespace \(namespace);\n"
    current = namespace
    for _ in 0...random.next(3) { writeUnion() }
    tables += "namespace \(namespace);\n"
    for index in 0..<tableCount { writeTable(index) }
    if storeRoot != nil || random.once(in: 2) {
      tables += "root_type T\(storeRoot ?? random.next(tableCount));\n"
      if random.once(in: 2) { tables += "file_identifier \"R\(100 + random.next(900))\";\n" }
    }
  }

  private mutating func newName(_ prefix: String, in text: inout String) -> (own: String, full: String) {
    if random.once(in: 3) {
      current = random.pick([namespace, namespace + ".N", namespace + ".N.M", namespace + ".O"])
      text += "namespace \(current);\n"
    }
    count += 1
    return ("\(prefix)\(count)", "\(current).\(prefix)\(count)")
  }

  private mutating func writeEnum() {
    var text = ""
    let name = newName("E", in: &text)
    let type = random.pick(["byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong"])
    let isFlags = type.hasPrefix("u") && random.once(in: 2)
    // Upwards, with a zero, which is what structs start as.
    let hasNegatives = !isFlags && !type.hasPrefix("u") && random.once(in: 2)
    var number = hasNegatives ? -1 - random.next(5) : 0
    var values: [String] = []
    for place in 0...(2 + random.next(4)) {
      values.append("V\(place) = \(number)")
      number = number < 0 ? min(0, number + 1 + random.next(4)) : number + 1 + (isFlags ? 0 : random.next(4))
    }
    if number <= 0 { values.append("Zero = 0") }
    text += "enum \(name.own) : \(type) \(isFlags ? "(bit_flags) " : ""){ \(values.joined(separator: ", ")) }\n"
    types += text
    enums.append((name.full, values.map { String($0.prefix { $0 != " " }) }))
  }

  private static let scalars = [
    "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
  ]

  /// From which field on a type holds no others, so that objects of wide types do not grow beyond measure.
  private static let mostLargeFields = 11

  /// Whether a type is to have so many fields that the code of its data model is laid out otherwise.
  private mutating func isWide() -> Bool { isForStore && random.once(in: 10) }

  private mutating func writeStruct() {
    var text = ""
    let name = newName("S", in: &text)
    let keyPlace = random.once(in: 3) ? random.next(3) : -1
    let fields = (0...((isWide() ? 41 : 2) + random.next(5))).map { place -> String in
      var type = random.pick(Self.scalars)
      if place != keyPlace {
        if !structs.isEmpty, place < Self.mostLargeFields, random.once(in: 4) {
          type = random.pick(structs)
        } else if random.once(in: 4) {
          type = random.pick(enums).name
        }
        if random.once(in: 4) { type = "[\(type):\(1 + random.next(5))]" }
      }
      var attributes = place == keyPlace ? ["key"] : []
      if Self.scalars.contains(type) { attributes += index(once: 6) }
      return "  f\(place): \(type)\(attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))");\n"
    }
    // flatc's generator of C++ stops at more than 16.
    let alignment = random.once(in: 4) ? " (force_align: 16)" : ""
    text += "struct \(name.own)\(alignment) {\n\(fields.joined())}\n"
    types += text
    structs.append(name.full)
  }

  private mutating func writeUnion() {
    var text = ""
    let name = newName("U", in: &text)
    let hasCodes = random.once(in: 3)
    var hasLeaf = false
    let members = (0...random.next(5)).map { place -> String in
      var type = "\(namespace).T\(random.next(tableCount))"
      if random.once(in: 4) {
        type = random.pick(structs)
        hasLeaf = true
      } else if random.once(in: 4) {
        type = "string"
        hasLeaf = true
      }
      return "m\(place): \(type)\(hasCodes ? " = \(place * 7 + 2)" : "")"
    }
    text += "union \(name.own) { \(members.joined(separator: ", ")) }\n"
    tables += text
    unions.append((name.full, hasLeaf))
  }

  /// A field's text without its attributes, those, and how many ids it takes.
  private typealias Field = (text: String, own: [String], slots: Int)

  private mutating func writeTable(_ index: Int) {
    var fields: [Field] = []
    let count = (isWide() ? 41 : 2) + random.next(9)
    for place in 0..<count {
      fields.append(place < Self.mostLargeFields ? field("f\(place)", of: index) : smallField("f\(place)"))
      fields[place].own += indexes(of: fields[place])
    }
    if storeRoot == index {
      for place in 0...random.next(2) {
        let type = random.pick(["int", "string", "ulong", "ubyte", "double", "bool", enums[0].name])
        fields.insert(("p\(place): \(type)", ["primary"], 1), at: random.next(fields.count))
      }
    }
    if random.once(in: 3) {
      fields.append(("key_field: \(random.pick(["int", "string", "ubyte", "double", "ulong", "short"]))", ["key"], 1))
    }
    if random.once(in: 4) {
      var order = Array(fields.indices)
      for place in order.indices.reversed() { order.swapAt(place, random.next(place + 1)) }
      var next = 0
      for field in order {
        next += fields[field].slots
        fields[field].own.append("id: \(next - 1)")
      }
    }
    tables += "table T\(index) {\n"
    for field in fields {
      tables += "  \(field.text)\(field.own.isEmpty ? "" : " (\(field.own.joined(separator: ", ")))");\n"
    }
    tables += "}\n"
  }

  /// The attributes of a field's indexes, sometimes.
  private mutating func indexes(of field: Field) -> [String] {
    guard !field.own.contains("deprecated"), !field.own.contains(where: { $0.hasPrefix("nested") }) else { return [] }
    let type = String(field.text.split(separator: " ")[1].prefix { $0 != "=" && $0 != "‹" })
    guard type.hasPrefix("[") else {
      let isValue = isValue(type) || unions.contains { $0.name == type }
      guard type == "string", isForStore, random.once(in: 3) else { return isValue ? index(once: 4) : [] }
      return random.pick([
        ["indexed: \"folded\""], ["unique: \"folded\""], ["indexed", "unique: \"folded\""],
        ["unique", "indexed: \"folded\""],
      ])
    }
    let element = String(type.dropFirst().dropLast())
    guard isForStore, isValue(element), random.once(in: 3) else { return [] }
    return [element == "string" && random.once(in: 2) ? "indexed: \"folded\"" : "indexed"]
  }

  /// Whether a type is that of single values.
  private func isValue(_ type: String) -> Bool {
    type == "string" || Self.scalars.contains(type) || enums.contains { $0.name == type }
  }

  /// The attribute of an index, sometimes.
  private mutating func index(once times: Int) -> [String] {
    isForStore && random.once(in: times) ? [random.pick(["indexed", "indexed", "unique"])] : []
  }

  private mutating func field(_ name: String, of table: Int) -> Field {
    let required = random.once(in: 5) ? ["required"] : []
    let deprecated = random.once(in: 8) ? ["deprecated"] : []
    switch random.next(13) {
    case 0: return ("\(name): string\(random.once(in: 3) ? "‹ = \"text\"›" : "")", deprecated, 1)
    case 1: return ("\(name): string", required, 1)
    case 2:
      let union = random.pick(unions)
      return ("\(name): \(union.name)", union.hasLeaf ? required : deprecated, 2)
    case 3: return ("\(name): [\(random.pick(unions).name)]", required, 2)
    case 4: return ("\(name): \(random.pick(structs))", required, 1)
    case 5: return ("\(name): [\(random.pick(structs))]", required, 1)
    case 6:
      // What must be there leads to tables with a higher number only, and so to an end.
      let target = random.next(tableCount)
      return ("\(name): T\(target)", target > table ? required : deprecated, 1)
    case 7: return ("\(name): [T\(random.next(tableCount))]", required, 1)
    case 8:
      let type = random.pick(enums)
      if random.once(in: 3) { return ("\(name): [\(type.name)]", [], 1) }
      return ("\(name): \(type.name) = \(random.pick(type.values + ["null"]))", deprecated, 1)
    case 9: return ("\(name): [\(random.pick(Self.scalars + ["string"]))]\(random.once(in: 4) ? "‹ = []›" : "")", [], 1)
    case 10 where random.once(in: 2):
      return ("\(name): [ubyte]", ["nested_flatbuffer: \"T\(random.next(tableCount))\""], 1)
    case 11 where random.once(in: 3): return ("\(name): uint", ["hash: \"fnv1a_32\""], 1)
    default:
      let type = random.pick(Self.scalars)
      let value = random.once(in: 3) ? "" : " = " + random.pick(Self.defaults(type) + ["null"])
      return ("\(name): \(type)\(value)", deprecated, 1)
    }
  }

  /// A field that holds no object of another type.
  private mutating func smallField(_ name: String) -> Field {
    let type = random.pick(enums)
    let deprecated = random.once(in: 8) ? ["deprecated"] : []
    switch random.next(4) {
    case 0: return ("\(name): string", random.once(in: 3) ? ["required"] : deprecated, 1)
    case 1: return ("\(name): \(type.name) = \(random.pick(type.values + ["null"]))", deprecated, 1)
    case 2: return ("\(name): [\(random.pick(Self.scalars + [type.name]))]", deprecated, 1)
    default:
      let type = random.pick(Self.scalars)
      return ("\(name): \(type) = \(random.pick(Self.defaults(type) + ["null"]))", deprecated, 1)
    }
  }

  private static func defaults(_ type: String) -> [String] {
    switch type {
    case "bool": ["true", "false"]
    case "byte": ["-128", "127"]
    case "ubyte": ["255"]
    case "short": ["-32768", "12"]
    case "ushort": ["65535"]
    case "int": ["2147483647", "-2147483648"]
    case "uint": ["4294967295"]
    case "long": ["9223372036854775807", "-9223372036854775808"]
    case "ulong": ["18446744073709551615", "1"]
    case "float": ["1.5", "-0.25", "inf", "nan"]
    default: ["3.25", "-inf", "nan", "1e10"]
    }
  }
}

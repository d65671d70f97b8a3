import TestSupport

/// Combines the language's features to schemas that are valid.
///
/// Enums, structs and unions stand before what uses them: flatc asks for that.
struct SchemaGenerator {
  private var random: SeededGenerator
  private var text = ""
  private var enums: [(name: String, values: [String], hasZero: Bool)] = []
  private var structs: [(name: String, alignment: Int)] = []
  private var unions: [String] = []
  private let tables: [String]
  private var namespace = ""
  private var count = 0
  /// No implementation has both arrays in structs and defaults of strings.
  private let hasArrays: Bool

  private init(seed: Int) {
    random = SeededGenerator(seed: seed)
    tables = (0..<(1 + random.next(5))).map { "T\($0)" }
    hasArrays = random.once(in: 2)
  }

  static func schema(seed: Int) -> SchemaCase {
    var generator = SchemaGenerator(seed: seed)
    return SchemaCase(name: "random schema \(seed)", text: generator.run())
  }

  private mutating func run() -> String {
    text += "attribute \"x\";\nattribute \"some_attribute\";\n"
    // Tables stand in the global namespace, which all others see.
    for _ in 0..<random.next(4) { writeEnum() }
    for _ in 0..<random.next(5) { writeStruct() }
    for _ in 0..<random.next(3) { writeUnion() }
    for table in tables { writeTable(table) }
    if random.once(in: 3) { writeService() }
    if random.once(in: 2) { text += "root_type \(random.pick(tables));\n" }
    if random.once(in: 3) { text += "file_identifier \"AB\(10 + random.next(90))\";\n" }
    if random.once(in: 3) { text += "file_extension \"e\(random.next(10))\";\n" }
    return text
  }

  // MARK: Definitions

  /// Opens a namespace now and then, and gives a new name with what it is called from everywhere.
  private mutating func newName(_ prefix: String) -> (own: String, full: String) {
    if random.once(in: 3) {
      namespace = random.pick(["", "N", "M", "N.O", "Z.A"])
      text += namespace.isEmpty ? "namespace;\n" : "namespace \(namespace);\n"
    }
    count += 1
    let name = random.pick(["", "a", "B", "_"]) + prefix + String(count)
    return (name, namespace.isEmpty ? name : namespace + "." + name)
  }

  private mutating func leaveNamespace() {
    if !namespace.isEmpty { text += "namespace;\n" }
    namespace = ""
  }

  private mutating func documentation(_ indentation: String = "") -> String {
    guard random.once(in: 4) else { return "" }
    return (0...random.next(2)).map { "\n\(indentation)///\(random.pick([" ", "", "  "]))line \($0)" }.joined() + "\n"
  }

  private mutating func attributes(_ own: [String] = []) -> String {
    var all = own
    if random.once(in: 5) { all.append(random.pick(["x", "x: 3", "x: \"text\"", "x: -7", "x: 0x1F"])) }
    if random.once(in: 8) { all.append("some_attribute: \"\(random.next(1000))\"") }
    if all.count > 1, random.once(in: 2) { all.swapAt(0, all.count - 1) }
    return all.isEmpty ? "" : " (" + all.joined(separator: ", ") + ")"
  }

  private mutating func writeEnum() {
    let name = newName("E")
    let type = random.pick(["byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "int8", "uint64"])
    let isFlags = random.once(in: 3)
    var number = isFlags || type.hasPrefix("u") ? 0 : -random.next(20)
    var numbers: [Int] = []
    for _ in 0...random.next(6) {
      numbers.append(number)
      number += 1 + random.next(isFlags ? 1 : 5)
    }
    // Out of order, each value has its number.
    let isShuffled = random.once(in: 3)
    if isShuffled { for place in numbers.indices.reversed() { numbers.swapAt(place, random.next(place + 1)) } }
    var lines: [String] = []
    for (place, number) in numbers.enumerated() {
      let isImplied = !isShuffled && (place == 0 ? number == 0 : numbers[place - 1] + 1 == number)
      let written =
        number >= 0 && random.once(in: 3) ? "0x" + String(number, radix: 16) : String(number)
      lines.append("\(documentation("  "))  V\(place)\(isImplied ? "" : " = " + written)")
    }
    var names = numbers.indices.map { "V\($0)" }
    // Every number but the least may have more names, before and after the first in the order of letters.
    for number in numbers where number != numbers.min() && random.once(in: 6) {
      names.append(random.pick(["A", "W"]) + String(names.count))
      lines.append("\(documentation("  "))  \(names[names.count - 1]) = \(number)")
    }
    text += documentation() + "enum \(name.own): \(type)\(attributes(isFlags ? ["bit_flags"] : [])) {\n"
    text += lines.joined(separator: ",\n") + (random.once(in: 4) ? "," : "") + "\n}\n"
    enums.append((name.full, names, isFlags || numbers.contains(0)))
  }

  private mutating func writeStruct() {
    let name = newName("S")
    var alignment = 1
    let usable = enums.filter(\.hasZero).map(\.name)
    let fields = (0...random.next(6)).map { place -> String in
      var (type, own) = random.pick([
        ("bool", 1), ("byte", 1), ("ubyte", 1), ("short", 2), ("ushort", 2), ("int", 4), ("uint", 4), ("long", 8),
        ("ulong", 8), ("float", 4), ("double", 8), ("int16", 2), ("float64", 8),
      ])
      var isScalar = true
      if !structs.isEmpty, random.once(in: 4) {
        (type, own) = random.pick(structs)
        isScalar = false
      } else if !usable.isEmpty, random.once(in: 5) {
        (type, own) = (random.pick(usable), 8)
      }
      alignment = max(alignment, own)
      if hasArrays, random.once(in: 4) {
        type = "[\(type):\(1 + random.next(9))]"
        isScalar = false
      }
      let value = isScalar && !type.contains("E") && type != "bool" && random.once(in: 8) ? " = 0" : ""
      return "\(documentation("  "))  f\(place): \(type)\(value)\(attributes());\n"
    }
    var own: [String] = []
    if random.once(in: 4) {
      alignment = max(alignment, 1 << random.next(6))
      own.append("force_align: \(alignment)")
    }
    text += documentation() + "struct \(name.own)\(attributes(own)) {\n\(fields.joined())}\n"
    structs.append((name.full, alignment))
  }

  private mutating func writeUnion() {
    let name = newName("U")
    var code = 0
    let kinds = random.next(3)
    let members = (0...random.next(4)).map { place -> String in
      var type = random.pick(tables)
      if kinds > 0, !structs.isEmpty, random.once(in: 3) { type = random.pick(structs).name }
      if kinds > 1, random.once(in: 3) { type = "string" }
      code += 1 + random.next(3)
      let value = random.once(in: 3) ? " = \(code)" : ""
      if value.isEmpty { code = min(code, 200) }
      return "\(documentation("  "))  m\(place): \(type)\(value)"
    }
    // Codes that are written must leave room for those that are not.
    let isMixed = members.contains { $0.contains(" = ") }
    let lines = isMixed ? members.enumerated().map { withCode($1, $0) } : members
    text += documentation() + "union \(name.own)\(attributes()) {\n\(lines.joined(separator: ",\n"))\n}\n"
    unions.append(name.full)
  }

  private func withCode(_ member: String, _ place: Int) -> String {
    let end = member.range(of: " = ").map { member[..<$0.lowerBound] } ?? member[...]
    return "\(end) = \(place * 3 + 1)"
  }

  private mutating func writeService() {
    leaveNamespace()
    let methods = (0...random.next(3)).map { place in
      let streaming = random.once(in: 3) ? ["streaming: \"\(random.pick(["none", "server", "bidi"]))\""] : []
      return
        "\(documentation("  "))  m\(9 - place)(\(random.pick(tables))): \(random.pick(tables))\(attributes(streaming));\n"
    }
    text += documentation() + "rpc_service Service\(random.next(9))\(attributes()) {\n\(methods.joined())}\n"
  }

  // MARK: Tables

  private mutating func writeTable(_ name: String) {
    leaveNamespace()
    var fields: [(text: String, own: [String], slots: Int)] = []
    for place in 0..<random.next(12) { fields.append(field(random.pick(["f", "F", "_", "zz_"]) + String(place))) }
    if random.once(in: 4) { fields.append(("key_field: \(random.pick(["int", "string", "ubyte"]))", ["key"], 1)) }
    if random.once(in: 3) {
      var order = Array(fields.indices)
      for place in order.indices.reversed() { order.swapAt(place, random.next(place + 1)) }
      var next = 0
      for field in order {
        next += fields[field].slots
        fields[field].own.append("id: \(next - 1)")
      }
    }
    text += documentation() + "table \(name)\(attributes()) {\n"
    for field in fields { text += "\(documentation("  "))  \(field.text)\(attributes(field.own));\n" }
    text += "}\n"
  }

  private mutating func field(_ name: String) -> (text: String, own: [String], slots: Int) {
    switch random.next(9) {
    case 0: return ("\(name): string\(!hasArrays && random.once(in: 3) ? " = \"text\"" : "")", [], 1)
    case 1 where !unions.isEmpty:
      let own = random.once(in: 4) ? [random.pick(["required", "deprecated"])] : []
      return ("\(name): \(random.pick(unions))", own, 2)
    case 2 where !unions.isEmpty: return ("\(name): [\(random.pick(unions))]", [], 2)
    case 3 where !structs.isEmpty:
      let type = random.pick(structs).name
      return ("\(name): \(random.once(in: 2) ? type : "[\(type)]")", random.once(in: 4) ? ["required"] : [], 1)
    case 4:
      let type = random.pick(tables)
      return ("\(name): \(random.once(in: 2) ? type : "[\(type)]")", random.once(in: 4) ? ["deprecated"] : [], 1)
    case 5 where !enums.isEmpty:
      let type = random.pick(enums)
      if random.once(in: 4) { return ("\(name): [\(type.name)]", [], 1) }
      if random.once(in: 4) { return ("\(name): \(type.name) = null", [], 1) }
      return ("\(name): \(type.name) = \(random.pick(type.values))", [], 1)
    case 6: return ("\(name): [\(random.pick(Array(scalars.keys.sorted()) + ["string"]))]", [], 1)
    default:
      let type = random.pick(Array(scalars.keys.sorted()))
      let value = random.once(in: 3) ? "" : " = " + random.pick((scalars[type] ?? []) + ["null"])
      return ("\(name): \(type)\(value)", random.once(in: 8) ? ["deprecated"] : [], 1)
    }
  }

  private let scalars: [String: [String]] = [
    "bool": ["true", "false", "0", "1"],
    "byte": ["-128", "127", "0x7f", "005"],
    "ubyte": ["255", "0xFF", "\"12\""],
    "short": ["-32768", "32767"],
    "ushort": ["65535", "0"],
    "int": ["2147483647", "-2147483648", "+12", "\"-5\""],
    "uint": ["4294967295", "0xFFFFFFFF"],
    "long": ["9223372036854775807", "-9223372036854775808", "-1"],
    "ulong": ["18446744073709551615", "9223372036854775807", "1"],
    "float": ["1.5", "-0.1", "3", "1e10", ".5", "2.", "nan", "inf", "-inf", "rad(90)", "-0.0", "0x1p4"],
    "double": ["3.14159265358979", "1e-300", "-7", "infinity", "nan", "sin(1)", "cos(rad(60))", "-0.0", "1.0E5"],
  ]
}

import TestSupport

/// Random files of Protocol Buffers, such as `protoc` takes, with names that schemas do not take, and with comments anywhere.
struct RandomProto {
  /// A type that fields may have, by its whole name.
  private struct Known {
    let name: String
    let values: [String]
    var isEnum: Bool { !values.isEmpty }
  }

  /// The texts, by their paths. Each imports only files before it.
  private(set) var files: [(path: String, text: String)] = []
  private var random: SeededGenerator
  private var symbols: Set<String> = []
  /// The numbers of the files whose types have names in schemas: a name may not come twice where a third file imports both.
  private var owners: [String: Int] = [:]
  private var number = 0

  // The file that is being written.
  private var package = ""
  private var isProto2 = false
  private let hasStringDefaults: Bool
  private var known: [Known] = []

  /// - Parameter hasStringDefaults: whether strings have defaults, which flatc takes for few languages.
  init(seed: Int, count: Int, hasStringDefaults: Bool) {
    self.hasStringDefaults = hasStringDefaults
    random = SeededGenerator(seed: seed)
    var exported: [[Known]] = []
    for index in 0..<count {
      package = random.pick(["", "p", "p", "p.q", "other.v1"])
      isProto2 = random.chance(50)
      let imports = (0..<index).filter { _ in random.chance(40) }
      known = imports.flatMap { exported[$0] }
      let start = known.count
      var body = ""
      for _ in 0...random.next(4) { body += random.chance(25) ? enumeration("", package) : message("", package, 0) }
      for _ in 0..<random.next(3) { body += service() }
      exported.append(Array(known[start...]))
      var text = random.chance(20) ? "\u{FEFF}" : ""
      text += comment() + "syntax = \"proto\(isProto2 ? 2 : 3)\";\n"
      if !package.isEmpty { text += "package \(package);" + trailing() }
      for file in imports {
        text += "import \(random.chance(20) ? "public " : "")\"\(files[file].path)\";" + trailing()
      }
      for name in ["empty", "any", "wrappers", "timestamp"] { text += "import \"google/protobuf/\(name).proto\";\n" }
      if random.chance(30) { text += "import \"google/api/none\(index).proto\";\n" }
      text += body
      if random.chance(30) { text = text.replacingNewlines(with: "\r\n") }
      files.append((random.pick(["", "sub/"]) + "f\(index).proto", text))
    }
  }

  // MARK: Blanks and names

  private mutating func words() -> String {
    random.pick(["about it", "a \"b\" {", "} ;", "/ more", "* \u{E9}", "", "message X { int32 y = 1; }", "\\"])
  }

  private mutating func comment() -> String {
    switch random.next(6) {
    case 0: "// \(words())\n"
    case 1: "/* \(words())\n * \(words()) */\n"
    case 2: "// \(words())\n\n"
    default: ""
    }
  }

  private mutating func trailing() -> String {
    switch random.next(6) {
    case 0: " // \(words())\n"
    case 1: " /* \(words()) */\n"
    case 2: " /* \(words()) */ "
    default: "\n"
    }
  }

  /// A name that no other symbol in a scope has. Those outside of packages are not hidden by others.
  private mutating func name(_ scope: String, _ candidates: [String]) -> String {
    var name = random.pick(candidates)
    if package.isEmpty, scope.isEmpty { name = "Root" + name }
    while true {
      let whole = scope.isEmpty ? name : scope + "." + name
      // flatc takes an enum of an outer namespace for a table of an inner one.
      let flat = "\(package.prefix { $0 != "." }) \(whole.dropFirst(package.count).replacing(".", with: "_"))"
      // No table may have the name of a field, also where a third file imports the files of both.
      let shared = Self.typeNames.contains(name) && Self.fieldNames.contains(name) ? name : flat
      if owners[flat] ?? files.count == files.count, owners[shared] ?? files.count == files.count,
        symbols.insert(whole).inserted
      {
        (owners[flat], owners[shared]) = (files.count, files.count)
        return name
      }
      number += 1
      name = random.pick(candidates) + "\(number)"
    }
  }

  private static let typeNames = [
    "Post", "Empty", "StringValue", "A", "A_B", "B", "A_B_C", "long", "ubyte", "text", "value", "Kind", "int",
  ]
  private static let fieldNames = [
    "kind", "kind_type", "text", "value", "key", "NONE", "null", "type", "id", "a", "entry", "table", "namespace",
    "string", "message", "option", "Post", "kind_oneof", "b_element", "optional_", "kindType", "text_length",
    "keyLength", "a_length", "a_length_value", "text_byte_vector", "idByteVector", "a_lengthLength",
  ]

  // MARK: Definitions

  private mutating func enumeration(_ indentation: String, _ scope: String) -> String {
    let name = name(scope, Self.typeNames + ["E"])
    var numbers = [isProto2 && random.chance(50) ? random.next(9) - 4 : 0]
    for _ in 0..<random.next(4) { numbers.append(random.pick([-1, 1, 2, 3, 7, 2_147_483_647, -2_147_483_648])) }
    var text = comment() + "\(indentation)enum \(name) {" + trailing()
    if Set(numbers).count < numbers.count { text += "option allow_alias = true;\n" }
    var values: [String] = []
    for number in numbers {
      // The values of an enum stand in the scope around it.
      let value = self.name(scope, ["NONE", "null", "LOW", "true", "MAX", "inf", "Red"])
      values.append(value)
      let isOctal = number > 0 && random.chance(20)
      text += comment() + "  \(value) = \(isOctal ? "0" + String(number, radix: 8) : "\(number)")"
      text += (random.chance(10) ? " [deprecated = true]" : "") + ";" + trailing()
    }
    known.append(Known(name: scope.isEmpty ? name : scope + "." + name, values: values))
    return text + "}" + trailing()
  }

  private mutating func message(_ indentation: String, _ scope: String, _ depth: Int) -> String {
    let name = name(scope, Self.typeNames)
    let whole = scope.isEmpty ? name : scope + "." + name
    var text = comment() + "\(indentation)message \(name) {" + trailing()
    known.append(Known(name: whole, values: []))
    if depth < 2 {
      for _ in 0..<random.next(3) {
        text +=
          random.chance(50) ? enumeration(indentation + "  ", whole) : message(indentation + "  ", whole, depth + 1)
      }
    }
    var numbers = Array((1...60).filter { _ in random.chance(50) }.shuffled(using: &random).prefix(12))
    numbers += [70, 71, 72]
    for _ in 0..<random.next(6) { text += comment() + field(whole, numbers.removeFirst()) + trailing() }
    if random.chance(40) {
      text += comment() + "oneof \(self.name(whole, Self.fieldNames)) {" + trailing()
      for _ in 0...random.next(4) {
        let type = random.chance(50) ? reference { _ in true } : scalar()
        text += comment() + "\(type) \(self.name(whole, Self.fieldNames)) = \(numbers.removeFirst());" + trailing()
      }
      text += "}" + trailing()
    }
    if random.chance(10) { text += "reserved 100 to 199;\n" }
    if isProto2, random.chance(15) {
      let group = self.name(whole, ["Group"])
      // The field has the same name in lower case.
      symbols.insert(whole + "." + group.lowercased())
      text += "optional group \(group) = \(numbers.removeFirst()) { optional int32 a = 1; }" + trailing()
    }
    return text + "}" + trailing()
  }

  private mutating func scalar() -> String {
    random.pick([
      "int32", "sint64", "fixed32", "uint64", "double", "float", "bool", "string", "bytes",
    ])
  }

  private static let wellKnown = [
    "Empty", "Any", "StringValue", "BytesValue", "Int32Value", "BoolValue", "Timestamp", "Duration", "Struct",
  ].map { ".google.protobuf." + $0 }

  /// The name of a type, from the root.
  private mutating func reference(_ isWanted: (Known) -> Bool) -> String {
    let found = known.filter(isWanted)
    if found.isEmpty || random.chance(20) { return random.pick(Self.wellKnown) }
    return "." + random.pick(found).name
  }

  private mutating func field(_ scope: String, _ number: Int) -> String {
    let name = name(scope, Self.fieldNames)
    var options = random.chance(15) ? ["deprecated = true"] : []
    if random.chance(10) { options.append("(x.y) = { a: \"]\" b: [1] }") }
    func end() -> String { options.isEmpty ? ";" : " [\(options.joined(separator: ", "))];" }
    if random.chance(15) {
      let key = random.pick(["string", "int32", "uint64", "bool", "sfixed32"])
      let value = random.chance(50) ? scalar() : reference { !$0.isEnum }
      return "map<\(key), \(value)> \(name) = \(number)" + end()
    }
    let label =
      isProto2 ? random.pick(["optional ", "required ", "repeated "]) : random.pick(["", "optional ", "repeated "])
    if random.chance(50) {
      let type = scalar()
      if isProto2, label != "repeated ", random.chance(50), hasStringDefaults || type != "string" {
        options.append("default = \(defaultValue(of: type))")
      }
      return "\(label)\(type) \(name) = \(number)" + end()
    }
    let type = reference { _ in true }
    if isProto2, label != "repeated ", let item = known.first(where: { "." + $0.name == type && $0.isEnum }),
      random.chance(50)
    {
      options.append("default = \(random.pick(item.values))")
    }
    return "\(label)\(type) \(name) = \(number)" + end()
  }

  private mutating func defaultValue(of type: String) -> String {
    switch type {
    case "string", "bytes":
      random.pick([
        #""""#, #"'a"b'"#, #""\x41\101\n\t\\" 'b'"#, #""\377""#, #""\u00e9 \U0001F600""#, #""\000""#, "\"\u{E9}\"",
      ])
    case "bool": random.pick(["true", "false"])
    case "double", "float": random.pick(["1.5", "-inf", "nan", "1e-7", "-2E+3", "5.", ".5", "10", "0x10", "010"])
    case "int32", "sint64": random.pick(["-5", "0x7F", "-010", "0", "2147483647"])
    default: random.pick(["7", "0xFF", "017", "0"])
    }
  }

  private mutating func service() -> String {
    let name = name(package, ["Posts", "S", "A_S"])
    var text = comment() + "service \(name) {" + trailing()
    for _ in 0..<random.next(4) {
      let streams = (random.chance(20) ? "stream " : "", random.chance(20) ? "stream " : "")
      text += comment() + "rpc \(self.name(package + "." + name, ["Get", "Empty", "rpc", "table", "List"]))"
      text += "(\(streams.0)\(reference { !$0.isEnum })) returns (\(streams.1)\(reference { !$0.isEnum }))"
      text += (random.chance(20) ? " { option (http) = { get: \"/}\" }; }" : ";") + trailing()
    }
    return text + "}" + trailing()
  }
}

extension String {
  fileprivate func replacingNewlines(with lineEnd: String) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: lineEnd)
  }
}

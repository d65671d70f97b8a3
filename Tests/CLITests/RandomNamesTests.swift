import Foundation
import TestSupport
import Testing

/// Schemas whose namespaces, types, fields, values and members have names at random, out of few: so that they repeat, hide
/// and become each other in all ways. Each compiles, without warnings.
@Suite("Random names")
struct RandomNamesTests {
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    // One number makes one schema, to repeat it.
    if let seed = environment["DFLAT_NAMES_SEED"].flatMap(UInt64.init) { return [seed] }
    // Three of those that have found something, one for bytes alone, and one whose root class is a namespace.
    return environment["DFLAT_ALL_NAMES"] == nil ? [2, 17, 53, 60, 1_002] : Array(1...300) + Array(1_001...1_300)
  }()

  @Test("Random names compile without warnings, with all emitters and with those of bytes alone", arguments: seeds)
  func compile(seed: UInt64) throws {
    var schema = RandomNames(seed: seed)
    let (first, second) = schema.texts(rootIsNamespace: seed > 1_000)
    try withFolder { folder in
      try folder.write(first, to: "first.fbs")
      try folder.write(second, to: "second.fbs")
      let emitters =
        seed % 4 == 0 ? "accessors,editors" : "accessors,data-model,mutating,query,editors"
      let result = try dflatc(
        "compile", "-o", "out", "--emit", emitters, "first.fbs", "second.fbs", in: folder)
      let said = result.error.split(separator: "\n").filter { $0.hasPrefix("error") || $0.hasPrefix("warning") }
      #expect(result.status == 0 && said.isEmpty, "seed \(seed): \(said.prefix(5))")
      guard result.status == 0 else { return }
      let out = folder.appending(path: "out")
      let compiled = try typecheck(out.names(), in: out)
      #expect(compiled.status == 0, "seed \(seed): \(compiled.error.prefix(6000))")
      #expect(!compiled.error.contains("warning:"), "seed \(seed): \(compiled.error.prefix(4000))")
    }
  }
}

/// A schema in two files, with names at random.
private struct RandomNames {
  private enum Kind: CaseIterable {
    case table, structure, enumeration, flags, union
  }

  private struct Definition {
    let namespace: [String]
    let name: String
    let kind: Kind
    var path: [String] { namespace + [name] }
  }

  private static let words =
    HostileTypeNamesTests.words + SwiftWords.all + SwiftWords.standardLibrary + [
      "_", "__", "self", "Self", "_self", "Dflat", "Swift", "FlatBuffersCore", "SQLiteDflat", "Combine", "OpenCombine",
    ]

  /// Names that mean something to the schema language where types stand.
  private static let notTypes: Set<String> = [
    "true", "false", "inf", "infinity", "nan", "null", "bool", "string", "float", "double", "int8", "int16", "int32",
    "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "byte", "ubyte", "short", "ushort", "int",
    "uint", "long", "ulong",
  ]

  private var random: SeededGenerator
  /// Few, so that they meet.
  private let few: [String]
  private var definitions: [Definition] = []
  private var byPath: [[String]: Int] = [:]
  private var rootName = "RootOfAll"

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let all = Self.words.filter { !Self.notTypes.contains($0) }
    few =
      (0..<14).compactMap { _ in all.randomElement(using: &random) }
      + ["Type", "Fields", "Self", "Union"].shuffled(using: &random).prefix(2)
    self.random = random
    define()
  }

  private mutating func define() {
    var namespaces: [[String]] = [[]]
    for _ in 0..<6 { namespaces.append((0..<Int.random(in: 1...3, using: &random)).map { _ in word() }) }
    for _ in 0..<32 {
      // Names that are also what is generated for others.
      let suffix = ["", "", "", "", "", "Reader", "Value", "Editor", "Builder"].randomElement(using: &random) ?? ""
      let definition = Definition(
        namespace: namespaces.randomElement(using: &random) ?? [], name: word() + suffix,
        kind: Kind.allCases.randomElement(using: &random) ?? .table)
      if byPath.updateValue(definitions.count, forKey: definition.path) != nil {
        byPath[definition.path] = definitions.firstIndex { $0.path == definition.path }
      } else {
        definitions.append(definition)
      }
    }
  }

  private mutating func word() -> String { few.randomElement(using: &random) ?? "x" }

  // MARK: Text

  mutating func texts(rootIsNamespace: Bool) -> (String, String) {
    let half = definitions.count / 2
    var path = definitions[half].namespace + ["RootOfAll"]
    var fields = ""
    if rootIsNamespace {
      path = namespace(notNeededBefore: half) ?? path
      // So that nothing else is taken for it.
      byPath[path] = definitions.count
      rootName = path[path.count - 1]
      fields = members().map { "  \($0): int;\n" }.joined()
    }
    var first = ""
    for index in 0..<half { first += text(of: index, before: half) }
    var second = "include \"first.fbs\";\n"
    for index in half..<definitions.count { second += text(of: index, before: definitions.count) }
    let namespace = Array(path.dropLast())
    var root = "namespace \(namespace.joined(separator: "."));\n"
    if namespace.isEmpty { root = "namespace;\n" }
    root += "table \(rootName) (codable) { zid: string (primary);\n" + fields
    for index in definitions.indices {
      guard let name = reference(to: index, from: namespace) else { continue }
      root += "  z\(index): \(name)\(definitions[index].kind == .enumeration ? " = null" : "");\n"
    }
    return (first, second + root + "}\nnamespace;\nroot_type \(path.joined(separator: "."));\n")
  }

  /// A namespace that the first definitions do not need, and that no type is called as.
  private mutating func namespace(notNeededBefore index: Int) -> [String]? {
    var needed: Set<[String]> = []
    var others: [[String]] = []
    for (number, definition) in definitions.enumerated() {
      for length in 1..<definition.namespace.count + 1 {
        let outer = Array(definition.namespace.prefix(length))
        if number < index { needed.insert(outer) } else { others.append(outer) }
      }
    }
    return others.filter { !needed.contains($0) && byPath[$0] == nil }.randomElement(using: &random)
  }

  private mutating func text(of index: Int, before end: Int) -> String {
    let definition = definitions[index]
    let head = "namespace \(definition.namespace.joined(separator: "."));\n"
    let name = definition.name + (index % 3 == 0 ? " (codable)" : "")
    var body: [String]
    switch definition.kind {
    case .enumeration:
      body = members().map { $0.isEmpty ? $0 : "\($0)\(chosenName())" }
      return head
        + "enum \(definition.name): int\(index % 3 == 0 ? " (codable)" : "") { \(body.joined(separator: ", ")) }\n"
    case .flags:
      body = members()
      return head + "enum \(definition.name): ubyte (bit_flags) { \(body.prefix(8).joined(separator: ", ")) }\n"
    case .structure:
      body = members().map { "\($0): \(structType(before: index, from: definition.namespace))\(chosenName());" }
      return head + "struct \(name) { \(body.joined(separator: " ")) }\n"
    case .table:
      body = members().map { "\($0): \(tableType(before: end, from: definition.namespace));" }
      return head + "table \(name) { \(body.joined(separator: " ")) }\n"
    case .union:
      var seen: Set<String> = []
      body = members().compactMap { member in
        guard let type = type(before: end, from: definition.namespace, [.table, .structure]),
          seen.insert(member).inserted
        else { return nil }
        return "\(member): \(type)"
      }
      if body.isEmpty { body = ["text: string"] }
      return head + "union \(name) { \(body.joined(separator: ", ")) }\n"
    }
  }

  /// Names of fields or values: of all words, and of those that name types and namespaces.
  private mutating func members() -> [String] {
    var found: [String] = []
    // What FlatBuffers forbids: that a field is called as what is generated for another, or as a struct.
    var forbidden = Set(definitions.map(\.name) + ["NONE", rootName])
    for suffix in ["_type", "Type", "_length", "Length", "_byte_vector", "ByteVector"] { forbidden.insert(suffix) }
    for _ in 0..<Int.random(in: 3...8, using: &random) {
      let plain =
        (Bool.random(using: &random) ? Self.words.randomElement(using: &random) : few.randomElement(using: &random))
        ?? "x"
      let name =
        [plain, plain, plain.lowercased(), plain + "_", "_" + plain, plain.prefix(1).uppercased() + plain.dropFirst()]
        .randomElement(using: &random) ?? plain
      guard !forbidden.contains(name), !forbidden.contains(where: { name.hasSuffix($0) && $0.count > 5 }),
        !name.hasSuffix("Type"), !name.hasSuffix("_type"), !name.hasSuffix("ength"), !name.hasSuffix("ector")
      else { continue }
      forbidden.insert(name)
      found.append(name)
    }
    return found.isEmpty ? ["x"] : found
  }

  private mutating func chosenName() -> String {
    Int.random(in: 0..<12, using: &random) == 0
      ? " (swift_name: \"chosen\(Int.random(in: 0..<1_000_000, using: &random))\")" : ""
  }

  private mutating func structType(before end: Int, from namespace: [String]) -> String {
    if Bool.random(using: &random), let type = type(before: end, from: namespace, [.structure, .enumeration, .flags]) {
      return Bool.random(using: &random) ? type : "[\(type):2]"
    }
    return ["int", "bool", "[ubyte:3]", "double"].randomElement(using: &random) ?? "int"
  }

  private mutating func tableType(before end: Int, from namespace: [String]) -> String {
    let scalar =
      ["int", "bool = true", "string", "[int]", "double = null", "[string]", "float = nan", "string = \"a\""]
      .randomElement(using: &random) ?? "int"
    guard Int.random(in: 0..<3, using: &random) > 0,
      let type = type(before: end, from: namespace, Kind.allCases)
    else { return scalar.contains("=") ? scalar : scalar + chosenName() }
    return (Bool.random(using: &random) ? type : "[\(type)]") + chosenName()
  }

  private mutating func type(before end: Int, from namespace: [String], _ kinds: [Kind]) -> String? {
    let fitting = definitions.indices.prefix(end).filter { kinds.contains(definitions[$0].kind) }
    guard let index = fitting.randomElement(using: &random) else { return nil }
    return reference(to: index, from: namespace)
  }

  /// How a definition is named from within a namespace; nil where its name means another one there.
  private func reference(to index: Int, from namespace: [String]) -> String? {
    let path = definitions[index].path
    for length in stride(from: namespace.count, through: 1, by: -1) {
      let around = Array(namespace.prefix(length))
      // Not even a part of it may mean something else: flatc does not agree with itself about such names.
      if byPath[around + path] != nil { return nil }
    }
    return path.joined(separator: ".")
  }
}

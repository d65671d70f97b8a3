import FBSSchema

/// Writes a Swift program's part for one schema: for each type of its data model, a function that makes a random value; and
/// through `DriverWriter` those that print what the accessors see.
package struct ModelWriter {
  let schema: Schema
  private let index: Int
  private let roots: Set<TableID>
  private var text = ""

  package init(_ schema: Schema, index: Int) {
    self.schema = schema
    self.index = index
    roots = Set(schema.files.compactMap(\.rootTable))
  }

  /// The functions, and the list of what can be done with each of `tables`, by its name.
  package mutating func run(tables: [String]) -> (functions: String, entries: String) {
    var printer = DriverWriter(schema, index: index, printsOnly: true)
    text = printer.run(tables: tables).functions
    for structure in schema.structs { write(structure) }
    for union in schema.unions { write(union) }
    for table in schema.tables { write(table) }
    let entries = tables.map { name in
      "Entry(\(name).self, \(name)Reader.self, random: { \(make(name))(&$0, 0, -1) }, "
        + "print: { \(printer.function("j", name))($0, &$1) })"
    }
    return (text, "[\n    " + entries.joined(separator: ",\n    ") + "\n  ]")
  }

  private mutating func line(_ line: String) { text += line + "\n" }

  /// The function that makes a value of a type.
  func make(_ name: String) -> String { "r\(index)_d_" + name.split(separator: ".").joined(separator: "_") }
  private func make(_ name: QualifiedName) -> String { make(name.description) }

  private func scalar(_ type: ScalarType) -> String { DriverWriter(schema, index: index).swift(type) }

  private func hasKey(_ declaration: Declaration) -> Bool { declaration.attribute("key") != nil }

  // MARK: Structs and unions

  private mutating func write(_ structure: StructDefinition) {
    line("func \(make(structure.name))(_ r: inout Random, _ key: Int) -> \(structure.name) {")
    line("  var value = \(structure.name)()")
    for field in structure.fields {
      line("  value.\(field.name) = \(value(field.type, isKey: hasKey(field.declaration)))")
    }
    line("  return value\n}")
  }

  private func value(_ type: StructDefinition.FieldType, isKey: Bool) -> String {
    switch type {
    case .scalar(let type): value(type, isKey: isKey)
    case .enumeration(let id): value(id)
    case .structure(let id): "\(make(schema[id].name))(&r, -1)"
    case .array(let element, let count):
      "[" + (0..<count).map { _ in value(element, isKey: false) }.joined(separator: ", ") + "]"
    }
  }

  private func value(_ type: ScalarType, isKey: Bool) -> String {
    isKey ? "r.key(key, \(scalar(type)).self)" : "r.value(\(scalar(type)).self)"
  }

  /// Of an enum, what this version knows; of a set of bits, any.
  private func value(_ id: EnumID) -> String {
    let name = schema[id].name
    return schema[id].isBitFlags ? "\(name)(rawValue: r.value())" : "r.pick(\(name).allCases)"
  }

  private mutating func write(_ union: UnionDefinition) {
    // Deep down, a member that holds nothing is chosen, or none.
    let leaves = union.members.filter { if case .table = $0.type { false } else { true } }
    line("func \(make(union.name))(_ r: inout Random, _ depth: Int) -> \(union.name)? {")
    for (condition, members) in [("depth > 3", leaves), ("true", union.members)] {
      if members.isEmpty {
        line("  if \(condition) { return nil }")
        continue
      }
      line("  if \(condition) { switch r.next(\(members.count)) {")
      for (index, member) in members.enumerated() {
        let value =
          switch member.type {
          case .string: "r.string()"
          case .structure(let id): "\(make(schema[id].name))(&r, -1)"
          case .table(let id): "\(make(schema[id].name))(&r, depth + 1, -1)"
          }
        line("  case \(index): return .\(member.name)(\(value))")
      }
      line("  default: break } }")
    }
    line("  return nil\n}")
  }

  // MARK: Tables

  private mutating func write(_ table: TableDefinition) {
    line("func \(make(table.name))(_ r: inout Random, _ depth: Int, _ key: Int) -> \(table.name) {")
    let live = table.fields.filter { !$0.isDeprecated }
    for field in live { line("  let \(label(field)): \(type(field)) = \(value(field))") }
    // Those without a default come first.
    let ordered = live.filter(mustBeGiven) + live.filter { !mustBeGiven($0) }
    let arguments = ordered.map { "\(label($0)): \(label($0))" }
    line("  return \(table.name)(\(arguments.joined(separator: ", ")))\n}")
  }

  func label(_ field: FieldDefinition) -> String { field.name == "key_field" ? "keyField" : field.name }

  func mustBeGiven(_ field: FieldDefinition) -> Bool { field.isPrimary || field.presence == .required }

  /// The property's type, spelled out so that the compiler need not look for it, and so that it is tested.
  private func type(_ field: FieldDefinition) -> String {
    let optional = mustBeGiven(field) ? "" : "?"
    switch field.type {
    case .scalar(let type): return scalar(type) + (field.presence == .optional ? "?" : "")
    case .enumeration(let id): return "\(schema[id].name)" + (field.presence == .optional ? "?" : "")
    case .string:
      if case .defaultedObject = field.presence { return "String" }
      return "String" + optional
    case .structure(let id): return "\(schema[id].name)" + optional
    case .table(let id): return "\(schema[id].name)" + optional
    case .union(let id): return "\(schema[id].name)?"
    case .vector(let element): return "[\(type(element))]"
    }
  }

  private func type(_ element: ElementType) -> String {
    switch element {
    case .scalar(let type): scalar(type)
    case .enumeration(let id): "\(schema[id].name)"
    case .string: "String"
    case .structure(let id): "\(schema[id].name)"
    case .table(let id): "\(schema[id].name)"
    case .union(let id): "\(schema[id].name)"
    }
  }

  private func value(_ field: FieldDefinition) -> String {
    field.isPrimary ? "r.tame { r in \(freeValue(field)) }" : freeValue(field)
  }

  private func freeValue(_ field: FieldDefinition) -> String {
    let isKey = hasKey(field.declaration)
    let isGiven = mustBeGiven(field)
    switch field.type {
    case .scalar(let type):
      let value = value(type, isKey: isKey)
      guard case .defaulted(let constant) = field.presence else { return "r.once(in: 2) ? \(value) : nil" }
      return isKey || isGiven ? value : "r.once(in: 3) ? \(literal(constant)) : \(value)"
    case .enumeration(let id):
      return field.presence == .optional ? "r.once(in: 2) ? \(value(id)) : nil" : value(id)
    case .string:
      let value = isKey ? "r.key(key)" : "r.string()"
      if case .defaultedObject = field.presence { return value }
      return isGiven ? value : "r.isPresent(depth) ? \(value) : nil"
    case .structure(let id):
      let value = "\(make(schema[id].name))(&r, -1)"
      return isGiven ? value : "r.once(in: 2) ? \(value) : nil"
    case .table(let id):
      let value = "\(make(schema[id].name))(&r, depth + 1, -1)"
      return isGiven ? value : "r.isPresent(depth) ? \(value) : nil"
    case .union(let id):
      let value = "\(make(schema[id].name))(&r, depth + 1)"
      return isGiven ? value : "r.isPresent(depth) ? \(value) : nil"
    case .vector(let element):
      let value = vector(field, element)
      return isGiven ? value : "r.isPresent(depth) ? \(value) : []"
    }
  }

  private func literal(_ value: ScalarValue) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value) where value.isNaN: ".nan"
    case .real(let value): value.isInfinite ? (value < 0 ? "-.infinity" : ".infinity") : "\(value)"
    }
  }

  private func vector(_ field: FieldDefinition, _ element: ElementType) -> String {
    if let nested = DriverWriter(schema, index: index).nestedTable(field) {
      return "bytes(of: \(make(nested))(&r, depth + 2, -1))"
    }
    switch element {
    case .scalar(let type): return "r.list(\(scalar(type)).self)"
    case .enumeration(let id): return "(0..<r.next(5)).map { _ in \(value(id)) }"
    case .string: return "(0..<r.next(4)).map { _ in r.string() }"
    case .structure(let id):
      let key = schema[id].fields.first { hasKey($0.declaration) }
      let isBool = if case .scalar(.bool)? = key?.type { true } else { false }
      let values = "r.indices(\(isBool ? 2 : 4), depth).map { \(make(schema[id].name))(&r, $0) }"
      return values + (key.map { ".sorted { before($0.\($0.name), $1.\($0.name)) }" } ?? "")
    case .table(let id):
      let key = schema[id].fields.first { hasKey($0.declaration) }
      let values = "r.indices(4, depth).map { \(make(schema[id].name))(&r, depth + 1, $0) }"
      return values + (key.map { ".sorted { before($0.\(label($0)), $1.\(label($0))) }" } ?? "")
    case .union(let id):
      return "r.indices(4, depth).compactMap { _ in \(make(schema[id].name))(&r, depth + 1) }"
    }
  }
}

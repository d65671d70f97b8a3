import FBSSchema

/// Writes a Swift program's part for one schema: for each table, a function that writes a random one through the generated
/// `create`, and one that prints what the generated reader sees, as C++ prints JSON.
package struct DriverWriter {
  let schema: Schema
  /// In front of the names of the functions.
  private let prefix: String
  /// Whether objects are printed and not written.
  private let printsOnly: Bool
  private var text = ""

  package init(_ schema: Schema, index: Int, printsOnly: Bool = false) {
    self.printsOnly = printsOnly
    self.schema = schema
    prefix = "r\(index)"
  }

  /// The functions, and the list of what can be done with each of `tables`, by its name.
  package mutating func run(tables: [String]) -> (functions: String, entries: String) {
    for structure in schema.structs { write(structure) }
    for union in schema.unions { write(union) }
    for table in schema.tables { write(table) }
    if printsOnly { return (text, "") }
    for table in schema.tables { writeEdits(table) }
    let entries = tables.map { name in
      "Entry(\(name)Reader.self, write: { \(function("w", name))(&$0, &$1, 0, -1) }, print: { \(function("j", name))($0, &$1) }, edit: { if let e = \(name)Editor(root: $0, sizePrefixed: $1) { \(function("m", name))(e, &$2) } })"
    }
    return (text, "[\n    " + entries.joined(separator: ",\n    ") + "\n  ]")
  }

  func function(_ kind: String, _ name: QualifiedName) -> String { function(kind, name.description) }

  func function(_ kind: String, _ name: String) -> String {
    "\(prefix)_\(kind)_" + name.split(separator: ".").joined(separator: "_")
  }

  mutating func line(_ line: String) { text += line + "\n" }

  func swift(_ type: ScalarType) -> String {
    switch type {
    case .bool: "Bool"
    case .int8: "Int8"
    case .uint8: "UInt8"
    case .int16: "Int16"
    case .uint16: "UInt16"
    case .int32: "Int32"
    case .uint32: "UInt32"
    case .int64: "Int64"
    case .uint64: "UInt64"
    case .float: "Float"
    case .double: "Double"
    }
  }

  // MARK: Structs

  private func randomValue(_ type: StructDefinition.FieldType, isKey: Bool = false) -> String {
    switch type {
    case .scalar(let scalar): isKey ? "r.key(key, \(swift(scalar)).self)" : "r.value(\(swift(scalar)).self)"
    case .enumeration(let id): "\(schema[id].name)Value(rawValue: r.value())"
    case .structure(let id): "\(function("v", schema[id].name))(&r, -1)"
    case .array(let element, let count):
      "[" + (0..<count).map { _ in randomValue(element) }.joined(separator: ", ") + "]"
    }
  }

  private mutating func write(_ structure: StructDefinition) {
    line("func \(function("v", structure.name))(_ r: inout Random, _ key: Int) -> \(structure.name)Value {")
    line("  var value = \(structure.name)Value()")
    for field in structure.fields {
      line("  value.\(field.name) = \(randomValue(field.type, isKey: field.declaration.attribute("key") != nil))")
    }
    line("  return value\n}")
    line("func \(function("j", structure.name))(_ t: \(structure.name)Reader, _ o: inout Output) {")
    line("  o.open(\"{\")")
    for field in structure.fields {
      line("  o.key(\"\(field.name)\")")
      if case .array(let element, let count) = field.type {
        line("  o.check(t.\(field.name).count == \(count))")
        line("  o.open(\"[\"); for e in t.\(field.name) { o.item(); \(print(element, "e")) }; o.close(\"]\")")
      } else {
        line("  " + print(field.type, "t.\(field.name)"))
      }
    }
    line("  o.close(\"}\")\n}")
  }

  private func print(_ type: StructDefinition.FieldType, _ value: String) -> String {
    switch type {
    case .scalar: "o.value(\(value))"
    case .enumeration: "o.value(\(value).rawValue)"
    case .structure(let id): "\(function("j", schema[id].name))(\(value), &o)"
    case .array: "fatal"
    }
  }

  // MARK: Unions

  private mutating func write(_ union: UnionDefinition) {
    // Deep down, a member that holds nothing is chosen, or none.
    let leaves = union.members.filter { if case .table = $0.type { false } else { true } }
    line(
      "func \(function("w", union.name))(_ r: inout Random, _ b: inout FlatBufferBuilder, _ depth: Int) -> (code: UInt8, member: Offset) {"
    )
    for (condition, members) in [("depth > 3", leaves), ("true", union.members)] {
      if members.isEmpty {
        line("  if \(condition) { return (0, .null) }")
        continue
      }
      line("  if \(condition) { switch r.next(\(members.count)) {")
      for (index, member) in members.enumerated() {
        let write =
          switch member.type {
          case .string: "b.create(r.string())"
          case .structure(let id): "b.create(\(function("v", schema[id].name))(&r, -1))"
          case .table(let id): "\(function("w", schema[id].name))(&r, &b, depth + 1, -1)"
          }
        line("  case \(index): return (\(union.name)Reader.Code.\(member.name), \(write))")
      }
      line("  default: break } }")
    }
    line("  return (0, .null)\n}")
    line("func \(function("j", union.name))(_ u: \(union.name)Reader?, _ o: inout Output) {")
    line("  switch u {")
    line("  case nil: o.check(false)")
    line("  case .unknown?: o.check(false)")
    for member in union.members {
      let print =
        switch member.type {
        case .string: "o.string(m)"
        case .structure(let id): "\(function("j", schema[id].name))(m, &o)"
        case .table(let id): "\(function("j", schema[id].name))(m, &o)"
        }
      line("  case .\(member.name)(let m)?: \(print)")
    }
    line("  }\n}")
  }

  // MARK: Tables

  private mutating func write(_ table: TableDefinition) {
    let live = table.fields.filter { !$0.isDeprecated }
    line(
      "func \(function("w", table.name))(_ r: inout Random, _ b: inout FlatBufferBuilder, _ depth: Int, _ key: Int) -> Offset {"
    )
    var arguments: [String] = []
    for field in live {
      line("  " + local(field))
      if case .union = field.type { arguments.append("\(field.name)Type: \(camel(field.name)).code") }
      if case .vector(.union) = field.type { arguments.append("\(field.name)Type: \(camel(field.name)).types") }
      switch field.type {
      case .union: arguments.append("\(camel(field.name)): \(camel(field.name)).member")
      case .vector(.union): arguments.append("\(camel(field.name)): \(camel(field.name)).members")
      default: arguments.append("\(camel(field.name)): \(camel(field.name))")
      }
    }
    line("  return \(table.name)Reader.create(\((["in: &b"] + arguments).joined(separator: ", ")))\n}")
    line("func \(function("j", table.name))(_ t: \(table.name)Reader, _ o: inout Output) {")
    line("  o.open(\"{\")")
    for field in live.sorted(by: { $0.id < $1.id }) { printField(field) }
    line("  o.close(\"}\")\n}")
  }

  func camel(_ name: String) -> String { name == "key_field" ? "keyField" : name }

  /// A constant with a random value for the field, or the offset of one.
  private func local(_ field: FieldDefinition) -> String {
    let name = camel(field.name)
    let isRequired = field.presence == .required
    let isKey = field.declaration.attribute("key") != nil
    let present = isRequired ? "true" : "r.isPresent(depth)"
    switch field.type {
    case .scalar(let type):
      let value = isKey ? "r.key(key, \(swift(type)).self)" : "r.value(\(swift(type)).self)"
      guard case .defaulted(let constant) = field.presence else {
        return "let \(name): \(swift(type))? = r.once(in: 2) ? \(value) : nil"
      }
      if isKey { return "let \(name) = \(value)" }
      return "let \(name): \(swift(type)) = r.once(in: 3) ? \(literal(constant)) : \(value)"
    case .enumeration(let id):
      let value = "\(schema[id].name)Value(rawValue: r.value())"
      if field.presence == .optional {
        return "let \(name): \(schema[id].name)Value? = r.once(in: 2) ? \(value) : nil"
      }
      return "let \(name) = \(value)"
    case .string: return "let \(name): Offset = \(present) ? \(string(isKey)) : .null"
    case .structure(let id):
      let value = "\(function("v", schema[id].name))(&r, -1)"
      return isRequired
        ? "let \(name) = \(value)"
        : "let \(name): \(schema[id].name)Value? = r.once(in: 2) ? \(value) : nil"
    case .table(let id):
      return "let \(name): Offset = \(present) ? \(function("w", schema[id].name))(&r, &b, depth + 1, -1) : .null"
    case .union(let id):
      return
        "let \(name): (code: UInt8, member: Offset) = \(present) ? \(function("w", schema[id].name))(&r, &b, depth + 1) : (0, .null)"
    case .vector(let element): return vector(name, element, present, field)
    }
  }

  private func string(_ isKey: Bool) -> String { isKey ? "b.create(r.key(key))" : "b.create(r.string())" }

  private func literal(_ value: ScalarValue) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value):
      value.isNaN ? ".nan" : value.isInfinite ? (value < 0 ? "-.infinity" : ".infinity") : "\(value)"
    }
  }

  private func vector(_ name: String, _ element: ElementType, _ present: String, _ field: FieldDefinition) -> String {
    if let nested = nestedTable(field) {
      return "let \(name): Offset = \(present) ? { () -> Offset in var n = FlatBufferBuilder(); "
        + "let root = \(function("w", nested))(&r, &n, depth + 2, -1); n.finishForSure(root); return b.create(nested: n) }() : .null"
    }
    switch element {
    case .scalar(let type):
      return "let \(name): Offset = \(present) ? b.create(vector: r.list(\(swift(type)).self)) : .null"
    case .enumeration(let id):
      let values = "r.list().map { \(schema[id].name)Value(rawValue: $0) }"
      return "let \(name): Offset = \(present) ? b.create(vector: \(values)) : .null"
    case .string:
      return "let \(name): Offset = \(present) ? b.create(vector: (0..<r.next(4)).map { _ in r.string() }) : .null"
    case .structure(let id):
      let key = schema[id].fields.first { $0.declaration.attribute("key") != nil }
      let values = "r.indices(\(limit(key?.type)), depth).map { \(function("v", schema[id].name))(&r, $0) }"
      return "let \(name): Offset = \(present) ? b.create(\(key == nil ? "vector" : "sortedVector"): \(values)) : .null"
    case .table(let id):
      let key = schema[id].fields.first { $0.declaration.attribute("key") != nil }
      let values =
        "r.indices(\(limit(key?.type)), depth).map { \(function("w", schema[id].name))(&r, &b, depth + 1, $0) }"
      let (label, last) = key == nil ? ("vector", "") : ("sortedVector", ", of: \(schema[id].name)Reader.self")
      return
        "let \(name)Items = \(values); let \(name): Offset = \(present) ? b.create(\(label): \(name)Items\(last)) : .null"
    case .union(let id):
      let values =
        "r.indices(4, depth).map { _ in \(function("w", schema[id].name))(&r, &b, depth + 1) }.filter { $0.code != 0 }"
      return
        "let \(name)Items = \(values); let \(name): (types: Offset, members: Offset) = \(present) ? b.create(unionVector: \(name)Items) : (.null, .null)"
    }
  }

  /// How many different keys there are at least.
  private func limit(_ type: StructDefinition.FieldType?) -> Int {
    if case .scalar(.bool)? = type { 2 } else { 4 }
  }

  private func limit(_ type: FieldType?) -> Int {
    if case .scalar(.bool)? = type { 2 } else { 4 }
  }

  func nestedTable(_ field: FieldDefinition) -> QualifiedName? {
    guard case .string(let name)? = field.declaration.attribute("nested_flatbuffer")?.value else { return nil }
    return schema.tables.first { $0.name.name == name }?.name
  }

  private mutating func printField(_ field: FieldDefinition) {
    let slot = field.vtableOffset
    let value = "t.\(camel(field.name))"
    switch field.type {
    case .union:
      line(
        "  if t._table.hasField(at: \(slot - 2)) { o.key(\"\(field.name)_type\"); o.value(t._table.scalar(at: \(slot - 2), default: 0 as UInt8)) }"
      )
    case .vector(.union):
      line(
        "  if t._table.hasField(at: \(slot - 2)) { o.key(\"\(field.name)_type\"); o.open(\"[\"); for c in \(value).codes { o.item(); o.value(c) }; o.close(\"]\") }"
      )
    default: break
    }
    // As C++ does, a key is printed also when it is its default, and so absent.
    let isKey = field.declaration.attribute("key") != nil
    line("  if \(isKey ? "true" : "t._table.hasField(at: \(slot))") { o.key(\"\(field.name)\")")
    if let nested = nestedTable(field) {
      line("    if let n = t.\(field.name)Root { \(function("j", nested))(n, &o) } else { o.check(false) }")
    } else if case .vector(let element) = field.type {
      line("    o.open(\"[\"); for e in \(value) { o.item(); \(print(element)) }; o.close(\"]\")")
      printLookup(value, element)
    } else {
      line("    " + print(field, value))
    }
    line("  }")
  }

  /// Each element is found by its key.
  private mutating func printLookup(_ value: String, _ element: ElementType) {
    let name: QualifiedName
    let isString: Bool
    switch element {
    case .structure(let id):
      guard schema[id].fields.contains(where: { $0.declaration.attribute("key") != nil }) else { return }
      (name, isString) = (schema[id].name, false)
    case .table(let id):
      guard let key = schema[id].fields.first(where: { $0.declaration.attribute("key") != nil }) else { return }
      (name, isString) = (schema[id].name, key.type == .string)
    default: return
    }
    let key = isString ? "e.keyField ?? \"\"" : "\(name)Reader.key(of: e)"
    line("    for (i, e) in \(value).enumerated() { o.lookUp(\(value).firstIndex(withKey: \(key)) == i) }")
  }

  private func print(_ element: ElementType) -> String {
    switch element {
    case .scalar: "o.value(e)"
    case .enumeration: "o.value(e.rawValue)"
    case .string: "o.string(e)"
    case .structure(let id): "\(function("j", schema[id].name))(e, &o)"
    case .table(let id): "\(function("j", schema[id].name))(e, &o)"
    case .union(let id): "\(function("j", schema[id].name))(e, &o)"
    }
  }

  private func print(_ field: FieldDefinition, _ value: String) -> String {
    switch field.type {
    case .scalar: "o.value(\(value))"
    case .enumeration: field.presence == .optional ? "o.value(\(value)?.rawValue)" : "o.value(\(value).rawValue)"
    case .string: "o.string(\(value))"
    case .structure(let id): "if let s = \(value) { \(function("j", schema[id].name))(s, &o) } else { o.check(false) }"
    case .table(let id): "if let s = \(value) { \(function("j", schema[id].name))(s, &o) } else { o.check(false) }"
    case .union(let id): "\(function("j", schema[id].name))(\(value), &o)"
    case .vector: ""
    }
  }
}

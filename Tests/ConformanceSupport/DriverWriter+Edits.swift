import FBSSchema

extension DriverWriter {
  /// A function that changes through its editor all that has a fixed size in a table, and in those that it refers to. Keys
  /// stay, so that what is sorted stays so, and so do the bytes of nested buffers.
  mutating func writeEdits(_ table: TableDefinition) {
    line("func \(function("m", table.name))(_ t: \(table.name)Editor, _ r: inout Random) {")
    for field in table.fields where !field.isDeprecated {
      let name = camel(field.name)
      let value = "t.\(name)"
      let isKey = field.declaration.attribute("key") != nil
      switch field.type {
      case .scalar(let type) where !isKey:
        line("  do { let n = r.value(\(swift(type)).self); if t.mutate(\(name): n) { r.mustBe(\(value) == n) } }")
      case .enumeration(let id) where !isKey:
        line(
          "  do { let n = \(schema[id].name)Value(rawValue: r.value()); if t.mutate(\(name): n) { r.mustBe(\(value) == n) } }"
        )
      case .structure(let id): line("  \(value)?.replace(with: \(function("v", schema[id].name))(&r, -1))")
      case .table(let id): line("  if let e = \(value) { \(function("m", schema[id].name))(e, &r) }")
      case .union(let id): line("  switch \(value) { \(cases(schema[id])) default: break }")
      case .vector(let element) where nestedTable(field) == nil:
        if let edit = edit(element) { line("  do { let v = \(value); for i in v.indices { \(edit) } }") }
      case .scalar, .enumeration, .string, .vector: break
      }
    }
    line("}")
  }

  private func cases(_ union: UnionDefinition) -> String {
    union.members.compactMap { member in
      switch member.type {
      case .string: nil
      case .structure(let id):
        "case .\(member.name)(let e)?: e.replace(with: \(function("v", schema[id].name))(&r, -1));"
      case .table(let id): "case .\(member.name)(let e)?: \(function("m", schema[id].name))(e, &r);"
      }
    }.joined(separator: " ")
  }

  /// Changes the element `i` of the vector `v`.
  private func edit(_ element: ElementType) -> String? {
    switch element {
    case .scalar: return "v[i] = r.value()"
    case .enumeration(let id): return "v[i] = \(schema[id].name)Value(rawValue: r.value())"
    case .structure(let id):
      let structure = schema[id]
      guard structure.fields.contains(where: { $0.declaration.attribute("key") != nil }) else {
        return "v[i].replace(with: \(function("v", structure.name))(&r, -1))"
      }
      let fields = structure.fields.compactMap { field -> String? in
        guard field.declaration.attribute("key") == nil else { return nil }
        switch field.type {
        case .scalar: return "v[i].\(field.name) = r.value()"
        case .enumeration(let id): return "v[i].\(field.name) = \(schema[id].name)Value(rawValue: r.value())"
        case .structure(let id):
          return "v[i].\(field.name).replace(with: \(function("v", schema[id].name))(&r, -1))"
        case .array(.scalar, let count): return "v[i].\(field.name)[\(count - 1)] = r.value()"
        case .array: return nil
        }
      }
      return fields.joined(separator: "; ")
    case .table(let id): return "\(function("m", schema[id].name))(v[i], &r)"
    case .union(let id): return "switch v[i] { \(cases(schema[id])) default: break }"
    case .string: return nil
    }
  }
}

import FBSSchema

/// Compares what apps of two versions read in the same file: objects by their rows, as their properties have them.
extension ReflectiveReader {
  /// What the reader loses or misreads of what the writer reads itself, if anything.
  static func fault(
    of own: StoreProgram.Reading, _ read: StoreProgram.Reading, writer: Schema, reader: Schema, isBackward: Bool
  ) -> String? {
    // Values that a new unique index does not take are reported, and read all the same.
    if let error = read.errors.first(where: { !isUniqueFailure($0) }) { return "the runtime: \(error)" }
    var walk = ReflectiveReader(writer: writer, reader: reader, isBackward: isBackward)
    guard let first = writer.files.compactMap(\.rootTable).first.map({ writer[$0] }),
      let second = reader.files.compactMap(\.rootTable).first.map({ reader[$0] })
    else { return "no root" }
    for (row, object) in own.rows.sorted(by: { $0.key < $1.key }) {
      guard let other = read.rows[row] else { return "row \(row) is lost or refused" }
      walk.tables(first, second, object, other)
      if let fault = walk.fault { return "row \(row): \(fault)" }
    }
    if own.order != read.order { return "the order by the key was \(own.order), and is \(read.order)" }
    if let change = read.changes.first { return change }
    return walk.lookUp(first, second, own, read)
  }

  /// Whether the runtime reports that a unique index does not take what is stored.
  static func isUniqueFailure(_ error: String) -> Bool {
    error.hasPrefix("Filling a unique index failed") || error.contains("could not create unique index")
  }

  /// What is found by the value that an object shows.
  private func lookUp(
    _ first: TableDefinition, _ second: TableDefinition, _ own: StoreProgram.Reading, _ read: StoreProgram.Reading
  ) -> String? {
    for field in first.fields where !field.isDeprecated {
      guard let same = counterpart(of: field, first, second) else { continue }
      // A number that an older version does not know shows as the default, which it is not found by.
      if isBackward, case .enumeration = field.type { continue }
      for query in ["", " folded"] {
        guard let rows = own.found[field.name + query], let found = read.found[same.name + query] else { continue }
        if Set(rows) != Set(found) { return "\(field.name)\(query): by its value \(rows) were found, and now \(found)" }
      }
    }
    return nil
  }

  func counterpart(
    of field: FieldDefinition, _ first: TableDefinition, _ second: TableDefinition
  ) -> FieldDefinition? {
    second.fields.first { $0.name == field.name }
      ?? second.fields.first { other in other.id == field.id && !first.fields.contains { $0.name == other.name } }
  }

  // MARK: Tables

  private mutating func tables(_ first: TableDefinition, _ second: TableDefinition, _ one: Dump, _ other: Dump) {
    guard fault == nil, case .members(let members) = one, case .members(let others) = other else {
      if one != other { report("\(first.name): \(one) is \(other)") }
      return
    }
    var read: Set<Int> = []
    for field in first.fields {
      guard let same = counterpart(of: field, first, second) else {
        if !isBackward, !field.isDeprecated, !isAbsent(members[field.name], field, writer) {
          report("\(field.name): lost")
        }
        continue
      }
      read.insert(same.id)
      if same.isDeprecated || (isBackward && field.isDeprecated) { continue }
      if field.isDeprecated {
        if !isAbsent(others[same.name], same, reader) { report("\(same.name): back") }
        continue
      }
      compare(field.type, members[field.name] ?? .nothing, same.type, others[same.name] ?? .nothing, field.name)
    }
    for field in second.fields
    where !isBackward && !read.contains(field.id) && !field.isDeprecated
      && !first.fields.contains(where: { $0.name == field.name }) && !isAbsent(others[field.name], field, reader)
    {
      report("\(field.name): out of nowhere")
    }
  }

  /// Whether a property shows what it does where nothing is stored.
  private func isAbsent(_ value: Dump?, _ field: FieldDefinition, _ schema: Schema) -> Bool {
    switch value {
    case nil, .nothing?: return true
    case .list(let list)?: return list.isEmpty
    case .text(let text)?:
      if case .defaultedObject(let own) = field.presence { return text == own }
      return false
    case .number(let number, _)?:
      guard let type = Number(field.type, schema)?.type else { return false }
      return Value(number, type) == Value(field.presence)
    case .members?, .choice?: return false
    }
  }

  // MARK: Values

  private mutating func compare(
    _ first: FieldType, _ one: Dump, _ second: FieldType, _ other: Dump, _ name: String
  ) {
    guard fault == nil else { return }
    if let number = Number(first, writer), let otherNumber = Number(second, reader) {
      return numbers(number, one, otherNumber, other, name)
    }
    switch (first, second) {
    case (.table(let before), .table(let after)): tables(writer[before], reader[after], one, other)
    case (.structure(let before), .structure(let after)): structs(writer[before], reader[after], one, other)
    case (.union(let before), .union(let after)): unions(writer[before], reader[after], one, other)
    case (.vector(of: let before), .vector(of: let after)):
      guard case .list(let values) = one, case .list(let others) = other else { return report("\(name): no lists") }
      // Vectors of unions leave out what they do not know.
      if case (.union, .union) = (before, after), isBackward, values.count != others.count { return }
      guard values.count == others.count else {
        return report("\(name): \(values.count) elements are \(others.count)")
      }
      for (value, otherValue) in zip(values, others) {
        compare(Self.field(of: before), value, Self.field(of: after), otherValue, name)
      }
    default: if one != other { report("\(name): \(one) is \(other)") }
    }
  }

  static func field(of element: ElementType) -> FieldType {
    switch element {
    case .scalar(let type): .scalar(type)
    case .enumeration(let id): .enumeration(id)
    case .string: .string
    case .structure(let id): .structure(id)
    case .table(let id): .table(id)
    case .union(let id): .union(id)
    }
  }

  private mutating func numbers(_ number: Number, _ one: Dump, _ other: Number, _ otherValue: Dump, _ name: String) {
    guard case .number(let first, _) = one, case .number(let second, _) = otherValue else {
      if one != otherValue { report("\(name): \(one) is \(otherValue)") }
      return
    }
    let value = Value(first, number.type)
    if isBackward, case .whole(let bits, _) = value, let definition = other.definition, !definition.isBitFlags,
      !definition.values.contains(where: { $0.number == bits }), number.definition?.isBitFlags != true
    {
      // It came later: the default stands for it.
      return
    }
    same(number, value, other, Value(second, other.type), name)
  }

  private mutating func structs(_ first: StructDefinition, _ second: StructDefinition, _ one: Dump, _ other: Dump) {
    guard case .members(let members) = one, case .members(let others) = other else {
      if one != other { report("\(first.name): \(one) is \(other)") }
      return
    }
    for (index, field) in first.fields.enumerated() {
      let same =
        second.fields.first { $0.name == field.name }
        ?? (second.fields.indices.contains(index) && !first.fields.contains { $0.name == second.fields[index].name }
          ? second.fields[index] : nil)
      guard let same else {
        if !isBackward { report("\(field.name): lost") }
        continue
      }
      structField(
        field.type, members[field.name] ?? .nothing, same.type, others[same.name] ?? .nothing, field.name)
    }
  }

  private mutating func structField(
    _ first: StructDefinition.FieldType, _ one: Dump, _ second: StructDefinition.FieldType, _ other: Dump,
    _ name: String
  ) {
    switch (first, second) {
    case (.structure(let before), .structure(let after)): structs(writer[before], reader[after], one, other)
    case (.array(of: let before, _), .array(of: let after, _)):
      guard case .list(let values) = one, case .list(let others) = other, values.count == others.count else {
        return report("\(name): other length")
      }
      for (value, otherValue) in zip(values, others) { structField(before, value, after, otherValue, name) }
    default:
      guard let number = Number(first, writer), let otherNumber = Number(second, reader) else {
        return report("\(name): other form")
      }
      numbers(number, one, otherNumber, other, name)
    }
  }

  private mutating func unions(_ first: UnionDefinition, _ second: UnionDefinition, _ one: Dump, _ other: Dump) {
    guard case .choice(let member, let value) = one else {
      if one != other { report("\(first.name): \(one) is \(other)") }
      return
    }
    guard let before = first.members.first(where: { $0.name == member }) else { return report("no member \(member)") }
    let after = second.members.first { $0.code == before.code }
    if second.members.contains(where: { $0.name == before.name }), after?.name != before.name {
      return report("code \(before.code) of another member")
    }
    guard let after else {
      if !isBackward { report("member \(member) is unknown") }
      return
    }
    if after.name != before.name, first.members.contains(where: { $0.name == after.name }) {
      return report("member \(before.code) is another")
    }
    guard case .choice(let otherMember, let otherValue) = other, otherMember == after.name else {
      return report("member \(member) is \(other)")
    }
    switch (before.type, after.type) {
    case (.table(let before), .table(let after)): tables(writer[before], reader[after], value, otherValue)
    case (.structure(let before), .structure(let after)): structs(writer[before], reader[after], value, otherValue)
    default: if value != otherValue { report("member \(member): \(value) is \(otherValue)") }
    }
  }
}

extension ReflectiveReader.Value {
  /// A number as a program wrote it: its digits, or `r` and the bits of a real one.
  init(_ text: String, _ type: ScalarType) {
    if text.hasPrefix("r") {
      self = .real(UInt64(text.dropFirst()) ?? 0)
    } else if type == .uint64 {
      let value = UInt64(text) ?? 0
      self = .whole(Int64(bitPattern: value), isHuge: value > Int64.max)
    } else {
      self = .whole(Int64(text) ?? 0, isHuge: false)
    }
  }
}

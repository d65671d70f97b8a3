import FBSSchema
import FlatBuffersCore

/// Reads a buffer by two schemas at once, with this package's own accessors: as its writer does, and as a reader of another
/// version does. The same question as that of the oracle's program, answered by other code: views that are never outside.
struct ReflectiveReader {
  let writer: Schema
  let reader: Schema
  /// Whether the writer is the newer version: an older reader need not know what came later.
  let isBackward: Bool
  private(set) var fault: String?
  private var steps = 0

  init(writer: Schema, reader: Schema, isBackward: Bool) {
    self.writer = writer
    self.reader = reader
    self.isBackward = isBackward
  }

  /// What does not read the same, if anything.
  static func fault(
    of bytes: [UInt8], writer: (schema: Schema, table: String), reader: (schema: Schema, table: String),
    isBackward: Bool
  ) -> String? {
    var walk = ReflectiveReader(writer: writer.schema, reader: reader.schema, isBackward: isBackward)
    guard let first = writer.schema.tables.first(where: { $0.name.description == writer.table }) else {
      return "no \(writer.table)"
    }
    guard let second = reader.schema.tables.first(where: { $0.name.description == reader.table }) else {
      return "nothing reads \(writer.table)"
    }
    guard let table = FlatBufferTable(rootOf: ByteBuffer(bytes)) else { return "no table" }
    walk.tables(first, second, table)
    return walk.fault
  }

  private mutating func fail(_ text: String) { fault = fault ?? text }

  mutating func report(_ text: String) { fail(text) }

  // MARK: Tables

  private mutating func tables(_ first: TableDefinition, _ second: TableDefinition, _ table: FlatBufferTable) {
    steps += 1
    guard fault == nil, steps < 20_000 else { return }
    var read: Set<Int> = []
    for field in first.fields {
      let same =
        second.fields.first { $0.name == field.name }
        ?? second.fields.first { other in
          other.id == field.id && !first.fields.contains { $0.name == other.name }
        }
      let isThere = table.hasField(at: VTableOffset(field.vtableOffset))
      if isBackward, field.isDeprecated {
        if let same { read.insert(same.id) }
        if same?.presence == .required { fail("\(field.name): refused") }
        continue
      }
      guard let same else {
        if isThere, !isBackward, !field.isDeprecated { fail("\(field.name): lost") }
        continue
      }
      read.insert(same.id)
      if same.isDeprecated { continue }
      let isSeen = table.hasField(at: VTableOffset(same.vtableOffset))
      if same.presence == .required, !isSeen { return fail("\(field.name): refused") }
      if field.isDeprecated {
        if isSeen { return fail("\(field.name): back") }
        continue
      }
      compare(field, same, table, isThere, isSeen)
      if fault != nil { return }
    }
    // A union's type without its value is what something else was: who asks for the type is told wrong.
    for field in second.fields where !isBackward && !field.isDeprecated {
      guard !table.hasField(at: VTableOffset(field.vtableOffset)) else { continue }
      switch field.type {
      case .union where table.scalar(at: VTableOffset(field.vtableOffset) - 2, default: UInt8(0)) != 0:
        fail("\(field.name): a type out of nowhere")
      case .vector(of: .union) where table.hasField(at: VTableOffset(field.vtableOffset) - 2):
        // A deprecated field that older versions wrote may have had the number of the vector of types.
        fail("\(field.name): types out of nowhere")
      default: break
      }
    }
    for field in second.fields
    where !read.contains(field.id) && !field.isDeprecated && !first.fields.contains(where: { $0.name == field.name }) {
      let isSeen = table.hasField(at: VTableOffset(field.vtableOffset))
      if isSeen, !isBackward { fail("\(field.name): out of nowhere") }
      if !isSeen, field.presence == .required { fail("\(field.name): refused") }
    }
  }

  private mutating func compare(
    _ first: FieldDefinition, _ second: FieldDefinition, _ table: FlatBufferTable, _ isThere: Bool, _ isSeen: Bool
  ) {
    let (slot, otherSlot) = (VTableOffset(first.vtableOffset), VTableOffset(second.vtableOffset))
    let (number, otherNumber) = (Number(first.type, writer), Number(second.type, reader))
    if number != nil || otherNumber != nil {
      guard let number, let otherNumber else {
        if isThere || isSeen { fail("\(first.name): other form") }
        return
      }
      // What is read as wider than it was written takes in what stands beside it.
      if isSeen, number.type.size < otherNumber.type.size { return fail("\(first.name): reads beyond") }
      let value = isThere ? Value(number.type, table, slot) : Value(first.presence)
      let other = isSeen ? Value(otherNumber.type, table, otherSlot) : Value(second.presence)
      return same(number, value, otherNumber, other, first.name)
    }
    guard isThere || isSeen else { return }
    guard isThere == isSeen, slot == otherSlot else { return fail("\(first.name): other place") }
    switch (first.type, second.type) {
    case (.string, .string): break
    case (.structure(let before), .structure(let after)):
      let (before, after) = (writer[before], reader[after])
      guard let structure = table.structure(at: slot, size: before.size),
        let other = table.structure(at: slot, size: after.size)
      else { return fail("\(first.name): outside") }
      structs(before, structure, after, other)
    case (.table(let before), .table(let after)):
      guard let inner = table.table(at: slot) else { return fail("\(first.name): no table") }
      tables(writer[before], reader[after], inner)
    case (.union(let before), .union(let after)):
      guard let member = table.unionMember(at: slot) else { return fail("\(first.name): no member") }
      members(writer[before], reader[after], table.scalar(at: slot - 2, default: UInt8(0)), member)
    case (.vector, .vector) where nested(second, in: reader) != nil:
      guard let after = nested(second, in: reader) else { return }
      let bytes = Array(table.array(of: UInt8.self, at: slot))
      guard !bytes.isEmpty else { return }
      guard let before = nested(first, in: writer), let inner = FlatBufferTable(rootOf: ByteBuffer(bytes)) else {
        return fail("\(first.name): no FlatBuffer")
      }
      tables(before, after, inner)
    case (.vector(of: let before), .vector(of: let after)):
      vectors(before, after, table, slot, first.name)
    default: fail("\(first.name): other form")
    }
  }

  /// The table whose FlatBuffer a vector of bytes holds. The tests write names in full.
  private func nested(_ field: FieldDefinition, in schema: Schema) -> TableDefinition? {
    guard case .string(let name) = field.declaration.attribute("nested_flatbuffer")?.value else { return nil }
    return schema.tables.first { $0.name.description == name }
  }

  private mutating func vectors(
    _ first: ElementType, _ second: ElementType, _ table: FlatBufferTable, _ slot: VTableOffset, _ name: String
  ) {
    let count = table.vector(of: UInt8.self, at: slot).count
    switch (first, second) {
    case (.string, .string): break
    case (.table(let before), .table(let after)):
      for inner in table.vector(of: FlatBufferTable.self, at: slot) { tables(writer[before], reader[after], inner) }
    case (.union(let before), .union(let after)):
      let codes = table.array(of: UInt8.self, at: slot - 2)
      for (code, member) in zip(codes, table.vector(of: FlatBufferUnionMember.self, at: slot)) {
        members(writer[before], reader[after], code, member)
      }
    case (.structure(let before), .structure(let after)):
      let (before, after) = (writer[before], reader[after])
      guard before.size == after.size else {
        if count > 0 { fail("\(name): structs lie apart otherwise") }
        return
      }
      structs(in: table, slot, before, after)
    default:
      guard let number = Number(Self.field(first), writer), let other = Number(Self.field(second), reader) else {
        if count > 0 { fail("\(name): other elements") }
        return
      }
      numbers(number, other, table, slot, name)
    }
  }

  private static func field(_ element: ElementType) -> FieldType {
    switch element {
    case .scalar(let type): .scalar(type)
    case .enumeration(let id): .enumeration(id)
    default: .string
    }
  }

  /// Elements of a vector of structs: each is where the window has it.
  private mutating func structs(
    in table: FlatBufferTable, _ slot: VTableOffset, _ before: StructDefinition, _ after: StructDefinition
  ) {
    // A vector's bytes start 4 after its length: found by the first byte's place.
    guard let member = table.unionMember(at: slot) else { return }
    let count = Int(member.window.scalar(UInt32.self, at: member.position))
    for index in 0..<count {
      let place = member.position + 4 + index * before.size
      guard let one = FlatBufferStruct(in: member.window, at: place, size: before.size),
        let other = FlatBufferStruct(in: member.window, at: place, size: after.size)
      else { return fail("outside") }
      structs(before, one, after, other)
    }
  }

  private mutating func numbers(
    _ number: Number, _ other: Number, _ table: FlatBufferTable, _ slot: VTableOffset, _ name: String
  ) {
    guard let member = table.unionMember(at: slot) else { return }
    let count = Int(member.window.scalar(UInt32.self, at: member.position))
    if count > 0, number.type.size != other.type.size { return fail("\(name): numbers lie apart otherwise") }
    for index in 0..<count {
      let place = member.position + 4 + index * number.type.size
      guard let one = FlatBufferStruct(in: member.window, at: place, size: number.type.size) else {
        return fail("\(name): outside")
      }
      same(number, Value(number.type, one, 0), other, Value(other.type, one, 0), name)
    }
  }

  private mutating func members(
    _ first: UnionDefinition, _ second: UnionDefinition, _ code: UInt8, _ member: FlatBufferUnionMember
  ) {
    guard let before = first.members.first(where: { $0.code == code }) else { return }
    let after = second.members.first { $0.code == code }
    if second.members.contains(where: { $0.name == before.name }), after?.name != before.name {
      return fail("code \(code) of another member")
    }
    guard let after else {
      if !isBackward { fail("member \(code) is unknown") }
      return
    }
    if after.name != before.name, first.members.contains(where: { $0.name == after.name }) {
      return fail("member \(code) is another")
    }
    switch (before.type, after.type) {
    case (.string, .string): break
    case (.table(let before), .table(let after)):
      guard let table = member.table else { return fail("no table") }
      tables(writer[before], reader[after], table)
    case (.structure(let before), .structure(let after)):
      let (before, after) = (writer[before], reader[after])
      guard let one = member.structure(size: before.size), let other = member.structure(size: after.size) else {
        return fail("outside")
      }
      structs(before, one, after, other)
    default: fail("member \(code) is of another form")
    }
  }

  // MARK: Structs

  private mutating func structs(
    _ first: StructDefinition, _ one: FlatBufferStruct, _ second: StructDefinition, _ other: FlatBufferStruct
  ) {
    if !isBackward, second.size > first.size { return fail("\(first.name): reads beyond") }
    // The writer aligns as its own schema says: that it was more by chance is no promise.
    if second.alignment > first.alignment { return fail("\(first.name): not aligned as asked for") }
    if other.position % second.alignment != 0 { return fail("\(first.name): refused, since it is not aligned") }
    for (index, field) in first.fields.enumerated() {
      let same =
        second.fields.first { $0.name == field.name }
        ?? (second.fields.indices.contains(index) && !first.fields.contains { $0.name == second.fields[index].name }
          ? second.fields[index] : nil)
      guard let same else {
        if !isBackward { fail("\(field.name): lost") }
        continue
      }
      structField(field.type, one, field.offset, same.type, other, same.offset, field.name)
    }
  }

  private mutating func structField(
    _ first: StructDefinition.FieldType, _ one: FlatBufferStruct, _ offset: Int, _ second: StructDefinition.FieldType,
    _ other: FlatBufferStruct, _ otherOffset: Int, _ name: String
  ) {
    switch (first, second) {
    case (.structure(let before), .structure(let after)):
      let (before, after) = (writer[before], reader[after])
      structs(
        before, one.structure(at: offset, size: before.size), after, other.structure(at: otherOffset, size: after.size))
    case (.array(of: let element, let count), .array(of: let otherElement, let otherCount)):
      guard count == otherCount else { return fail("\(name): other length") }
      let (size, otherSize) = (self.size(element, writer), self.size(otherElement, reader))
      for index in 0..<count {
        structField(
          element, one, offset + index * size, otherElement, other, otherOffset + index * otherSize, name)
      }
    default:
      guard let number = Number(first, writer), let otherNumber = Number(second, reader) else {
        return fail("\(name): other form")
      }
      if otherNumber.type.size > number.type.size { return fail("\(name): reads beyond") }
      same(number, Value(number.type, one, offset), otherNumber, Value(otherNumber.type, other, otherOffset), name)
    }
  }

  private func size(_ type: StructDefinition.FieldType, _ schema: Schema) -> Int {
    switch type {
    case .structure(let id): schema[id].size
    case .array(of: let element, let count): size(element, schema) * count
    case .scalar, .enumeration: Number(type, schema)?.type.size ?? 0
    }
  }
}

import FBSParser
import FBSSchema

/// Writes a JSON object as a FlatBuffer, byte for byte as flatc writes it: strings, vectors and tables in the order of
/// the text, the fields of a table by size.
///
/// The order of the text also holds for strings and vectors with 64-bit offsets, as FlatBuffers'
/// `tests/64bit/test_64bit.afb` shows. A builder places them after all others, but a buffer of less than 2 GiB need not
/// have them there.
struct ObjectEncoder {
  let layouts: SchemaLayouts
  let object: ResolvedObject
  /// Whether numbers that equal their default are written. As in flatc, nested buffers leave them out in any case.
  var forcesDefaults: Bool
  let builder = BackwardBuilder()

  var tree: SyntaxTree { object.tree }

  init(_ object: ResolvedObject, _ layouts: SchemaLayouts, forcesDefaults: Bool) {
    self.object = object
    self.layouts = layouts
    self.forcesDefaults = forcesDefaults
  }

  /// A field that was read, and is to be written into its table.
  private enum FieldValue {
    case number(UInt64, ScalarType)
    case offset(Int)
    case structure([UInt8], alignment: Int)
  }

  // MARK: The tree

  /// Returns the values within an object or a list.
  func children(of node: Int) -> [Int] {
    var children: [Int] = []
    var child = node + 1
    while child < tree.json[node].end {
      children.append(child)
      child = tree.json[child].end
    }
    return children
  }

  /// Returns the content of a string or a name.
  private func text(of node: Int) -> [UInt8] {
    let token = tree.json[node].span.first
    return Array(tree.stringBytes(of: token) ?? tree.bytes(of: token))
  }

  /// Returns the bits of the number in a value of the tree; nil if the value is `null`.
  ///
  /// - Parameters:
  ///   - node: the index of the value in `SyntaxTree.json`.
  ///   - hash: the algorithm by which a text becomes the number; nil if the field takes no text.
  func number(_ node: Int, _ type: ScalarType, hash: String?) -> UInt64? {
    switch object.value(of: node) {
    case .number(let bits) where type.isFloatingPoint:
      NumberBits.bits(of: Double(bitPattern: bits), as: type)
    case .number(let bits): bits
    case .hashedText: FowlerNollVo.hash(text(of: node), algorithm: hash ?? "")
    case .null, nil: nil
    }
  }

  // MARK: Tables

  /// Writes a table.
  ///
  /// - Returns: the offset of the table.
  mutating func table(_ node: Int, _ id: TableID) throws(ObjectTooLarge) -> Int {
    let layout = layouts[id]
    var nodes: [Int: Int] = [:]
    let children = children(of: node)
    for child in children {
      if let member = object.member(of: child) { nodes[member] = child }
    }
    var fields: [(member: Int, value: FieldValue)] = []
    for child in children {
      guard let member = object.member(of: child) else { continue }
      if let value = try value(child, layout.members[member], codes: nodes[member - 1]) {
        fields.append((member, value))
      }
    }
    fields.sort { $0.member < $1.member }
    let start = builder.count
    for size in layout.keepsOrder ? [1] : [8, 4, 2, 1] {
      for field in fields.reversed()
      where layout.keepsOrder || size == self.size(layout.members[field.member], field.value) {
        write(field.value, layout.members[field.member])
      }
    }
    guard let offset = builder.endTable(start) else {
      throw ObjectTooLarge(
        "a table holds at most 65535 bytes in line", at: tree.range(of: tree.json[node].span.first),
        advice: "move structs into tables of their own")
    }
    return offset
  }

  /// Returns the size by which fields are sorted. As in flatc, a struct counts as an offset does, and so does an
  /// `offset64`, although it takes 8 bytes.
  private func size(_ member: TableLayout.Member, _ value: FieldValue) -> Int {
    switch value {
    case .number(_, let type): type.size
    case .offset: member.hasWideLength ? 8 : 4
    case .structure: 4
    }
  }

  private mutating func write(_ value: FieldValue, _ member: TableLayout.Member) {
    switch value {
    case .number(let bits, let type):
      if let standard = member.defaultBits, !forcesDefaults, NumberBits.areEqual(bits, standard, as: type) { return }
      builder.push(bits, size: type.size)
    case .offset(let offset):
      builder.push(distanceTo: offset, size: member.hasWideOffset ? 8 : 4)
    case .structure(let bytes, let alignment):
      builder.align(to: alignment)
      builder.push(bytes)
    }
    builder.track(slot: member.slot)
  }

  /// Encodes the value of a field; nil if it is absent.
  /// - Parameter codes: the node with the type code of a union, or with the type codes of a vector of unions.
  private mutating func value(
    _ node: Int, _ member: TableLayout.Member, codes: Int?
  ) throws(ObjectTooLarge) -> FieldValue? {
    switch member.type {
    case .number(let type):
      return number(node, type.scalar, hash: member.hash).map { .number($0, type.scalar) }
    case .structure(let id):
      return .structure(structure(node, id), alignment: layouts[id].alignment)
    case .string:
      return .offset(string(node, member))
    case .table(let id):
      return .offset(try table(node, id))
    case .union(let id):
      guard let codes else { return nil }
      return try union(node, id, codes, member).map { .offset($0) }
    case .vector(of: .union(let id)):
      return .offset(try unions(node, id, codes, member))
    case .vector(let element):
      return .offset(try vector(node, of: element, member))
    case .nested(let id):
      return .offset(try nested(node, id, isWide: member.hasWideLength))
    case .flexible:
      var flexible = FlexBufferBuilder()
      addFlexible(node, to: &flexible)
      return .offset(builder.bytes(flexible.finish(), alignment: 8))
    }
  }

  private mutating func string(_ node: Int, _ member: TableLayout.Member) -> Int {
    builder.string(text(of: node), isShared: member.isShared)
  }

  /// Writes a nested FlatBuffer. It is a buffer of its own, with its own alignment.
  private mutating func nested(_ node: Int, _ id: TableID, isWide: Bool) throws(ObjectTooLarge) -> Int {
    var inner = ObjectEncoder(object, layouts, forcesDefaults: false)
    let root = try inner.table(node, id)
    let buffer = inner.builder.finish(root, identifier: nil, sizePrefixed: false)
    return builder.bytes(buffer.bytes, alignment: inner.builder.minimumAlignment, isWide: isWide)
  }

  // MARK: Unions

  private mutating func union(
    _ node: Int, _ id: UnionID, _ code: Int, _ member: TableLayout.Member
  ) throws(ObjectTooLarge) -> Int? {
    guard case .number(let bits) = object.value(of: code) else { return nil }
    let type = layouts.schema[id].members.first { UInt64(bitPattern: $0.code) == bits }?.type
    switch type {
    case .table(let id): return try table(node, id)
    case .string: return string(node, member)
    case .structure(let id):
      let bytes = structure(node, id)
      builder.align(to: layouts[id].alignment)
      builder.push(bytes)
      return builder.count
    case nil: return nil
    }
  }

  private mutating func unions(
    _ node: Int, _ id: UnionID, _ codes: Int?, _ member: TableLayout.Member
  ) throws(ObjectTooLarge) -> Int {
    var offsets: [Int] = []
    for (child, code) in zip(children(of: node), codes.map(children(of:)) ?? []) {
      if let offset = try union(child, id, code, member) { offsets.append(offset) }
    }
    return vector(offsets)
  }

  // MARK: Vectors

  private mutating func vector(_ offsets: [Int]) -> Int {
    builder.startVector(count: offsets.count, elementSize: 4, alignment: 4)
    for offset in offsets.reversed() { builder.push(distanceTo: offset) }
    return builder.endVector(count: offsets.count)
  }

  private mutating func vector(
    _ node: Int, of element: MemberType, _ member: TableLayout.Member
  ) throws(ObjectTooLarge) -> Int {
    let children = children(of: node)
    let isWide = member.hasWideLength
    switch element {
    case .number(let type):
      let size = type.scalar.size
      forceAlignment(member, size: children.count * size)
      builder.startVector(count: children.count, elementSize: size, alignment: size, isWide: isWide)
      for child in children.reversed() {
        builder.push(number(child, type.scalar, hash: member.hash) ?? 0, size: size)
      }
      return builder.endVector(count: children.count, isWide: isWide)
    case .structure(let id):
      let layout = layouts[id]
      let elements = layouts.sorted(children.map { structure($0, id) }, layout)
      forceAlignment(member, size: elements.count * layout.size)
      builder.startVector(
        count: elements.count, elementSize: layout.size, alignment: layout.alignment, isWide: isWide)
      for element in elements.reversed() {
        builder.align(to: layout.alignment)
        builder.push(element)
      }
      return builder.endVector(count: elements.count, isWide: isWide)
    case .table(let id):
      var offsets: [Int] = []
      for child in children { offsets.append(try table(child, id)) }
      return vector(layouts.sorted(offsets, layouts[id], in: builder))
    default:
      return vector(children.map { string($0, member) })
    }
  }

  private mutating func forceAlignment(_ member: TableLayout.Member, size: Int) {
    if let alignment = member.vectorAlignment, alignment > 1, size > 0 { builder.align(to: alignment, before: size) }
  }
}

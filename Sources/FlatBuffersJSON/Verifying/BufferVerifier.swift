import FBSSchema

/// Checks that bytes are a FlatBuffer of a table, by a schema and without generated code, with the rules and limits of
/// the C++ library. Bytes that pass can be read without further checks.
///
/// The work is bounded whatever the bytes are: tables and elements that are referred to twice count twice.
struct BufferVerifier {
  /// The limits of the C++ library, and one of its own for the elements of vectors of offsets.
  struct Limits {
    var depth = 64
    var tables: Int
    var elements: Int

    /// A buffer that refers to each table and element once never exceeds the limits: each takes at least 4 bytes.
    init(byteCount: Int) {
      tables = max(1_000_000, byteCount / 4)
      elements = max(20_000_000, byteCount / 4)
    }
  }

  private let layouts: SchemaLayouts
  private let limits: Limits
  private var bytes: WireBytes
  private var path = ValuePath()
  private var depth = 0
  private var tableCount = 0
  private var elementCount = 0

  init(_ bytes: WireBytes, _ layouts: SchemaLayouts) {
    self.bytes = bytes
    self.layouts = layouts
    limits = Limits(byteCount: bytes.count)
  }

  /// Checks everything that the root refers to.
  /// - Returns: the position of the root.
  mutating func verify(root: TableID, identifier: String?, sizePrefixed: Bool) throws(BufferFault) -> Int {
    let start = try verifyHeader(identifier: identifier, sizePrefixed: sizePrefixed)
    let root = layouts[root]
    let position = try target(ofOffsetAt: start)
    try verify(root, at: position)
    return position
  }

  private func verifyHeader(identifier: String?, sizePrefixed: Bool) throws(BufferFault) -> Int {
    guard bytes.count < Int(Int32.max) else { throw fault(.tooLarge(count: bytes.count), at: nil) }
    // The root offset, the root's offset to its vtable, and the vtable's size. C++ requires them without counting the
    // size prefix.
    guard bytes.count >= 10 else { throw fault(.tooSmall(count: bytes.count), at: nil) }
    let start = sizePrefixed ? 4 : 0
    if sizePrefixed {
      let stated = Int(bytes.load(UInt32.self, at: 0))
      guard stated == bytes.count - 4 else {
        throw fault(.wrongSizePrefix(stated: stated, actual: bytes.count - 4), at: 0)
      }
    }
    if let identifier {
      let found = Array(bytes.bytes(at: start + 4, count: 4) ?? [])
      guard found.elementsEqual(identifier.utf8) else {
        throw fault(.wrongIdentifier(found: found, expected: identifier), at: start + 4)
      }
    }
    return start
  }

  private func fault(_ reason: BufferFault.Reason, at position: Int?) -> BufferFault {
    BufferFault(reason: reason, path: path.text, position: position.map { bytes.origin + $0 })
  }

  // MARK: Ranges and offsets

  /// Checks a range. As in C++, it must be smaller than the buffer.
  private func check(_ position: Int, count: Int, alignment: Int) throws(BufferFault) {
    // A nested buffer has its own alignment.
    guard position & (alignment - 1) == 0 else { throw fault(.misaligned(alignment: alignment), at: position) }
    guard count < bytes.count, bytes.contains(position, count) else {
      throw fault(.outOfBounds(count: count), at: position)
    }
  }

  private func target(ofOffsetAt position: Int, isWide: Bool = false) throws(BufferFault) -> Int {
    try check(position, count: isWide ? 8 : 4, alignment: isWide ? 8 : 4)
    let offset = isWide ? bytes.load(UInt64.self, at: position) : UInt64(bytes.load(UInt32.self, at: position))
    guard offset != 0, offset < UInt64(bytes.count - position) else { throw fault(.invalidOffset, at: position) }
    return position + Int(offset)
  }

  /// Returns the target of an element's offset. As in C++, the offset may be zero. The target is checked later.
  private func target(ofElementAt position: Int) throws(BufferFault) -> Int {
    let offset = Int(bytes.load(UInt32.self, at: position))
    guard offset < bytes.count - position else { throw fault(.invalidOffset, at: position) }
    return position + offset
  }

  private func elements(
    at position: Int, stride: Int, isWide: Bool = false
  ) throws(BufferFault) -> (start: Int, count: Int) {
    let size = isWide ? 8 : 4
    try check(position, count: size, alignment: size)
    let length = isWide ? bytes.load(UInt64.self, at: position) : UInt64(bytes.load(UInt32.self, at: position))
    guard stride > 0, length < UInt64(Int(Int32.max) / stride) else { throw fault(.vectorTooLong, at: position) }
    let count = Int(length)
    guard count * stride + size < bytes.count, bytes.contains(position, count * stride + size) else {
      throw fault(.outOfBounds(count: count * stride + size), at: position)
    }
    return (position + size, count)
  }

  private mutating func countElements(_ count: Int, at position: Int) throws(BufferFault) {
    elementCount += count
    guard elementCount <= limits.elements else { throw fault(.tooMuch(limit: limits.elements), at: position) }
  }

  // MARK: Tables

  private mutating func verify(_ table: TableLayout, at position: Int) throws(BufferFault) {
    try check(position, count: 4, alignment: 4)
    depth += 1
    tableCount += 1
    guard depth <= limits.depth else { throw fault(.tooDeep(limit: limits.depth), at: position) }
    guard tableCount <= limits.tables else { throw fault(.tooMuch(limit: limits.tables), at: position) }
    let vtable = position - Int(bytes.load(Int32.self, at: position))
    guard vtable >= 0, vtable <= bytes.count - 2 else { throw fault(.invalidVTable, at: position) }
    try check(vtable, count: 2, alignment: 2)
    let size = Int(bytes.load(UInt16.self, at: vtable))
    guard size & 1 == 0, size < bytes.count, bytes.contains(vtable, size) else {
      throw fault(.invalidVTable, at: position)
    }
    for index in table.members.indices {
      path.enter(table.members[index].name)
      try verify(member: index, of: table, at: position)
      path.leave()
    }
    depth -= 1
  }

  private mutating func verify(member index: Int, of table: TableLayout, at position: Int) throws(BufferFault) {
    let member = table.members[index]
    guard let field = bytes.field(member.slot, ofTableAt: position) else {
      if case .vector(of: .union) = member.type {
        guard bytes.field(table.members[index - 1].slot, ofTableAt: position) == nil else {
          throw fault(.mismatchedUnionVector, at: position)
        }
      }
      guard !member.isRequired else { throw fault(.missingRequired, at: position) }
      return
    }
    switch member.type {
    case .number(let number):
      try check(field, count: number.scalar.size, alignment: number.scalar.size)
    case .structure(let id):
      try check(field, count: layouts[id].size, alignment: layouts[id].alignment)
    case .string:
      try verifyString(at: target(ofOffsetAt: field, isWide: member.hasWideOffset))
    case .table(let id):
      try verify(layouts[id], at: target(ofOffsetAt: field, isWide: member.hasWideOffset))
    case .union(let id):
      let target = try target(ofOffsetAt: field)
      let type = layouts.schema[id].underlyingType
      let code = bytes.field(table.members[index - 1].slot, ofTableAt: position).map { bytes.number(type, at: $0) } ?? 0
      try verify(code, of: id, at: target)
    case .vector(of: .union(let id)):
      try verifyUnions(id, codes: table.members[index - 1], at: position, values: target(ofOffsetAt: field))
    case .vector(let element):
      let target = try target(ofOffsetAt: field, isWide: member.hasWideOffset)
      try verifyVector(of: element, at: target, isWide: member.hasWideLength)
    case .nested(let id):
      let target = try target(ofOffsetAt: field, isWide: member.hasWideOffset)
      let (start, count) = try elements(at: target, stride: 1, isWide: member.hasWideLength)
      try verifyNested(id, start, count)
    case .flexible:
      let target = try target(ofOffsetAt: field, isWide: member.hasWideOffset)
      _ = try elements(at: target, stride: 1, isWide: member.hasWideLength)
    }
  }

  private func verifyString(at position: Int) throws(BufferFault) {
    let (start, count) = try elements(at: position, stride: 1)
    guard bytes.contains(start + count, 1), bytes.load(UInt8.self, at: start + count) == 0 else {
      throw fault(.unterminatedString, at: position)
    }
  }

  private mutating func verifyVector(
    of element: MemberType, at position: Int, isWide: Bool
  ) throws(BufferFault) {
    switch element {
    case .number(let number):
      _ = try elements(at: position, stride: number.scalar.size, isWide: isWide)
    case .structure(let id):
      _ = try elements(at: position, stride: layouts[id].size, isWide: isWide)
    default:
      let (start, count) = try elements(at: position, stride: 4, isWide: isWide)
      try countElements(count, at: position)
      for index in 0..<count {
        path.enter(element: index)
        let target = try target(ofElementAt: start + 4 * index)
        if case .table(let id) = element { try verify(layouts[id], at: target) } else { try verifyString(at: target) }
        path.leave()
      }
    }
  }

  private mutating func verifyNested(_ root: TableID, _ start: Int, _ count: Int) throws(BufferFault) {
    guard let inner = bytes.slice(at: start, count: count) else { throw fault(.outOfBounds(count: count), at: start) }
    let outer = bytes
    bytes = inner
    _ = try verify(root: root, identifier: nil, sizePrefixed: false)
    bytes = outer
  }

  // MARK: Unions

  /// Checks a union's value. As in C++, the value of an unknown type code may be anything.
  private mutating func verify(_ code: UInt64, of union: UnionID, at position: Int) throws(BufferFault) {
    guard let member = layouts.schema[union].members.first(where: { UInt64(bitPattern: $0.code) == code }) else {
      return
    }
    switch member.type {
    case .table(let id): try verify(layouts[id], at: position)
    case .structure(let id): try check(position, count: layouts[id].size, alignment: layouts[id].alignment)
    case .string: try verifyString(at: position)
    }
  }

  private mutating func verifyUnions(
    _ union: UnionID, codes member: TableLayout.Member, at table: Int, values position: Int
  ) throws(BufferFault) {
    let (start, count) = try elements(at: position, stride: 4)
    let type = layouts.schema[union].underlyingType
    guard let field = bytes.field(member.slot, ofTableAt: table) else { throw fault(.mismatchedUnionVector, at: table) }
    let codes = try elements(at: target(ofOffsetAt: field), stride: type.size)
    guard codes.count == count else { throw fault(.mismatchedUnionVector, at: table) }
    try countElements(count, at: position)
    for index in 0..<count {
      let code = bytes.number(type, at: codes.start + type.size * index)
      guard code != 0 else { continue }
      path.enter(element: index)
      // If the code is unknown, its value may be anything.
      let offset = Int(bytes.load(UInt32.self, at: start + 4 * index))
      try verify(code, of: union, at: min(start + 4 * index + offset, bytes.count))
      path.leave()
    }
  }
}

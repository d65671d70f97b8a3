import FBSParser
import FBSSchema

// The encoding of members: numbers, strings, structs, unions and vectors.

extension PlainEncoder {
  /// Reads the value of a member; nil if it is `null`, and no number.
  /// - Parameters:
  ///   - index: the index of the member in its table.
  ///   - types: the range in `codes` with the type of a union, or with the types of a vector of unions.
  mutating func value(
    of member: TableLayout.Member, _ index: Int, isOptional: Bool, _ types: Range<Int>?
  ) throws(NotPlain) -> Value? {
    if try text.takeNull() {
      guard case .number = member.type else { return nil }
      guard isOptional else { throw NotPlain() }
      return .absent
    }
    switch member.type {
    case .number(let type):
      let bits = try number(type)
      if member.isUnionType { note(bits, member: index) }
      return .number(bits, type.scalar)
    case .string: return .offset(try string(isShared: member.isShared))
    case .structure(let id):
      let start = inline.count
      try structure(id)
      return .structure(start, id)
    case .table(let id): return .offset(try table(id))
    case .union(let id):
      guard let types else { throw NotPlain() }
      return .offset(try union(id, codes[types.lowerBound], isShared: member.isShared))
    case .vector(of: .union(let id)):
      guard let types else { throw NotPlain() }
      return .offset(try unions(id, types, isShared: member.isShared))
    case .vector(of: .number(let type)):
      let base = codes.count
      let offset = try numbers(type, member)
      if member.isUnionType { unionCodes.append(Codes(member: index, range: base..<codes.count)) }
      return .offset(offset)
    case .vector(of: .structure(let id)): return .offset(try structures(id, member))
    case .vector(of: .table(let id)):
      return .offset(try tables(id))
    case .vector:
      let offset = try vector { encoder throws(NotPlain) in try encoder.string(isShared: member.isShared) }
      return .offset(offset)
    case .nested(let id): return .offset(try nested(id, isWide: member.hasWideLength))
    case .flexible:
      var flexible = FlexBufferBuilder()
      try addFlexible(to: &flexible)
      return .offset(builder.bytes(flexible.finish(), alignment: 8))
    }
  }

  /// Adds a value of any form to a FlexBuffer.
  private mutating func addFlexible(to flexible: inout FlexBufferBuilder) throws(NotPlain) {
    try enter()
    switch text.next() {
    case UInt8(ascii: "{"):
      let mark = flexible.mark
      var keys: Set<[UInt8]> = []
      try text.expect("{")
      if !text.take("}") {
        repeat {
          let key = Array(text.bytes(try text.key()))
          guard keys.insert(key).inserted else { throw NotPlain() }
          flexible.add(key: key)
          try addFlexible(to: &flexible)
        } while try text.hasMore(before: "}")
      }
      flexible.endMap(mark)
    case UInt8(ascii: "["):
      let mark = flexible.mark
      try text.expect("[")
      if !text.take("]") { repeat { try addFlexible(to: &flexible) } while try text.hasMore(before: "]") }
      flexible.endVector(mark)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      switch try text.string() {
      case .plain(let range): flexible.add(Array(text.bytes(range)))
      case .decoded(let bytes): flexible.add(bytes)
      }
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      let start = text.index
      if let (magnitude, isNegative) = try? text.wholeNumber() {
        guard magnitude <= Int64.max else { throw NotPlain() }
        flexible.add(isNegative ? -Int64(magnitude) : Int64(magnitude))
      } else {
        text.index = start
        let number = try text.real(Double.self)
        // Without a point or exponent, it is a whole number of more than 64 bits, which brings a warning.
        let bytes = text.bytes(start..<text.index)
        guard bytes.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) else {
          throw NotPlain()
        }
        flexible.add(number)
      }
    default:
      let word = try text.word()
      if text.isWord("null", word) {
        flexible.addNull()
      } else if text.isWord("true", word) {
        flexible.add(true)
      } else if text.isWord("false", word) {
        flexible.add(false)
      } else {
        throw NotPlain()
      }
    }
    leave()
  }

  private mutating func tables(_ id: TableID) throws(NotPlain) -> Int {
    let layout = layouts.tables[id.index]
    return try vector { encoder throws(NotPlain) in
      try encoder.table(id)
    } sort: { encoder, tables in
      if layout.key != nil { tables = encoder.layouts.sorted(tables, layout, in: encoder.builder) }
    }
  }

  private mutating func string(isShared: Bool) throws(NotPlain) -> Int {
    switch try text.string() {
    case .plain(let range):
      isShared ? builder.string(Array(text.bytes(range)), isShared: true) : builder.string(text.bytes(range))
    case .decoded(let bytes): builder.string(bytes, isShared: isShared)
    }
  }

  // MARK: Numbers

  /// Reads a number, and returns its bits in the form of `NumberBits`.
  private mutating func number(_ type: NumberType) throws(NotPlain) -> UInt64 {
    switch text.next() {
    case UInt8(ascii: "-") where type.scalar.isFloatingPoint && !text.needsQuotes && text.takeNegativeInfinity():
      return NumberBits.bits(of: -.infinity, as: type.scalar)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      guard case .plain(let range) = try text.string() else { throw NotPlain() }
      return try named(range, type)
    default:
      let word = try text.word()
      if type.scalar == .bool, type.names == nil {
        if text.isWord("true", word) { return 1 }
        guard text.isWord("false", word) else { throw NotPlain() }
        return 0
      }
      guard !text.needsQuotes else { throw NotPlain() }
      return try named(word, type)
    }
    switch type.scalar {
    case .float: return UInt64(try text.real(Float.self).bitPattern)
    case .double: return try text.real(Double.self).bitPattern
    default: break
    }
    let (magnitude, isNegative) = try text.wholeNumber()
    let bits = isNegative ? 0 &- magnitude : magnitude
    let (least, most) = type.scalar.plainRange
    guard isNegative ? magnitude <= least && least > 0 : magnitude <= most else { throw NotPlain() }
    if let names = type.names {
      guard plain.numbers(of: names).isKnown(Int64(bitPattern: bits)) else { throw NotPlain() }
    }
    return bits
  }

  /// Returns the bits of one name, or of several separated by spaces.
  private func named(_ range: Range<Int>, _ type: NumberType) throws(NotPlain) -> UInt64 {
    if type.scalar.isFloatingPoint {
      if text.isWord("nan", range) { return NumberBits.bits(of: .nan, as: type.scalar) }
      if text.isWord("inf", range) { return NumberBits.bits(of: .infinity, as: type.scalar) }
      guard text.isWord("-inf", range) else { throw NotPlain() }
      return NumberBits.bits(of: -.infinity, as: type.scalar)
    }
    guard type.scalar != .bool, let names = type.names, !text.isWord("null", range) else { throw NotPlain() }
    let numbers = plain.numbers(of: names)
    let bytes = text.bytes(range)
    if let number = numbers.number(of: bytes) { return UInt64(bitPattern: number) }
    var bits: Int64 = 0
    for word in bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
      guard let number = numbers.number(of: UnsafeRawBufferPointer(rebasing: word)) else { throw NotPlain() }
      bits |= number
    }
    guard numbers.isKnown(bits) else { throw NotPlain() }
    return UInt64(bitPattern: bits)
  }

  private mutating func append(_ bits: UInt64, size: Int) {
    withUnsafeBytes(of: bits.littleEndian) { inline.append(contentsOf: $0.prefix(size)) }
  }

  // MARK: Structs

  /// Appends the bytes of a struct to `inline`. As in flatc, the buffer is aligned for the struct when its text is
  /// read.
  private mutating func structure(_ id: StructID) throws(NotPlain) {
    try enter()
    let layout = layouts.structs[id.index]
    let start = inline.count
    inline.append(contentsOf: repeatElement(0, count: layout.size))
    let isList = text.next() == UInt8(ascii: "[")
    try text.expect(isList ? "[" : "{")
    var seen: UInt64 = 0
    var count = 0
    var index = -1
    guard layout.members.count <= 64 else { throw NotPlain() }
    repeat {
      if isList {
        index = count
        guard index < layout.members.count else { throw NotPlain() }
      } else {
        guard let found = plain.structs[id.index].find(text.bytes(try text.key()), after: index) else {
          try skipUnknown()
          continue
        }
        index = found
      }
      guard seen & 1 << UInt64(index) == 0 else { throw NotPlain() }
      seen |= 1 << UInt64(index)
      count += 1
      let type = layout.members[index].type
      // A word becomes its hash there, also one that is the name of a value.
      if layout.members[index].hash != nil, case .number(let number) = type, number.names != nil { throw NotPlain() }
      try member(type, at: start + layout.members[index].offset)
    } while try text.hasMore(before: isList ? "]" : "}")
    guard count == layout.members.count else { throw NotPlain() }
    builder.align(to: layout.alignment)
    leave()
  }

  private mutating func member(_ type: StructLayout.Member.MemberType, at place: Int) throws(NotPlain) {
    switch type {
    case .number(let number):
      let bits = try self.number(number)
      withUnsafeBytes(of: bits.littleEndian) { bytes in
        for byte in 0..<number.scalar.size { inline[place + byte] = bytes[byte] }
      }
    case .structure(let id):
      let start = inline.count
      try structure(id)
      for byte in 0..<layouts.structs[id.index].size { inline[place + byte] = inline[start + byte] }
      inline.removeLast(inline.count - start)
    case .array(let element, let count):
      let stride = layouts.size(of: element)
      try text.expect("[")
      for index in 0..<count {
        try member(element, at: place + stride * index)
        guard try text.hasMore(before: "]") == (index + 1 < count) else { throw NotPlain() }
      }
    }
  }

  // MARK: Unions

  private mutating func note(_ code: UInt64, member: Int) {
    unionCodes.append(Codes(member: member, range: codes.count..<codes.count + 1))
    codes.append(code)
  }

  /// Reads the type of a union, or the types of a vector of unions, without writing them.
  /// - Parameter index: the index of the member in its table.
  mutating func readCodes(of member: TableLayout.Member, _ index: Int) throws(NotPlain) {
    switch member.type {
    case .number(let type):
      _ = text.next()
      note(try number(type), member: index)
    case .vector(of: .number(let type)):
      let (base, inlineBase) = (codes.count, inline.count)
      _ = try elements(type, areCodes: true)
      inline.removeLast(inline.count - inlineBase)
      unionCodes.append(Codes(member: index, range: base..<codes.count))
    default: throw NotPlain()
    }
  }

  private mutating func union(_ id: UnionID, _ code: UInt64, isShared: Bool) throws(NotPlain) -> Int {
    switch layouts.schema[id].members.first(where: { UInt64(bitPattern: $0.code) == code })?.type {
    case .table(let id): return try table(id)
    case .string: return try string(isShared: isShared)
    case .structure(let id):
      let start = inline.count
      try structure(id)
      builder.align(to: layouts.structs[id.index].alignment)
      inline.withUnsafeBytes { builder.push(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      inline.removeLast(inline.count - start)
      return builder.count
    case nil: throw NotPlain()
    }
  }

  private mutating func unions(_ id: UnionID, _ types: Range<Int>, isShared: Bool) throws(NotPlain) -> Int {
    var place = types.lowerBound
    let offset = try vector { encoder throws(NotPlain) in
      guard place < types.upperBound else { throw NotPlain() }
      defer { place += 1 }
      return try encoder.union(id, encoder.codes[place], isShared: isShared)
    }
    guard place == types.upperBound else { throw NotPlain() }
    return offset
  }

  // MARK: Vectors

  /// Reads a list of values that are written separately, and writes the vector of their offsets.
  private mutating func vector(
    _ element: (inout PlainEncoder) throws(NotPlain) -> Int, sort: (PlainEncoder, inout [Int]) -> Void = { _, _ in }
  ) throws(NotPlain) -> Int {
    let base = offsets.count
    try text.expect("[")
    if !text.take("]") {
      repeat {
        _ = text.next()
        offsets.append(try element(&self))
      } while try text.hasMore(before: "]")
    }
    let count = offsets.count - base
    var sorted = Array(offsets[base...])
    offsets.removeLast(count)
    sort(self, &sorted)
    builder.startVector(count: count, elementSize: 4, alignment: 4)
    for offset in sorted.reversed() { builder.push(distanceTo: offset) }
    return builder.endVector(count: count)
  }

  private mutating func numbers(_ type: NumberType, _ member: TableLayout.Member) throws(NotPlain) -> Int {
    let base = inline.count
    let count = try elements(type, areCodes: member.isUnionType)
    let size = type.scalar.size
    align(member, size: count * size)
    builder.startVector(count: count, elementSize: size, alignment: size, isWide: member.hasWideLength)
    inline.withUnsafeBytes { builder.push(UnsafeRawBufferPointer(rebasing: $0[base...])) }
    inline.removeLast(inline.count - base)
    return builder.endVector(count: count, isWide: member.hasWideLength)
  }

  /// Appends a list of numbers to `inline`, and also to `codes` if they are types of unions.
  private mutating func elements(_ type: NumberType, areCodes: Bool) throws(NotPlain) -> Int {
    var count = 0
    try text.expect("[")
    if text.take("]") { return 0 }
    repeat {
      let bits = try number(type)
      append(bits, size: type.scalar.size)
      if areCodes { codes.append(bits) }
      count += 1
    } while try text.hasMore(before: "]")
    return count
  }

  private mutating func structures(_ id: StructID, _ member: TableLayout.Member) throws(NotPlain) -> Int {
    let base = inline.count
    let layout = layouts.structs[id.index]
    var count = 0
    try text.expect("[")
    if !text.take("]") {
      repeat {
        try structure(id)
        count += 1
      } while try text.hasMore(before: "]")
    }
    if layout.key != nil {
      let elements = (0..<count).map { Array(inline[(base + layout.size * $0)..<(base + layout.size * ($0 + 1))]) }
      inline.replaceSubrange(base..., with: layouts.sorted(elements, layout).joined())
    }
    align(member, size: count * layout.size)
    builder.startVector(
      count: count, elementSize: layout.size, alignment: layout.alignment, isWide: member.hasWideLength)
    inline.withUnsafeBytes { builder.push(UnsafeRawBufferPointer(rebasing: $0[base...])) }
    inline.removeLast(inline.count - base)
    return builder.endVector(count: count, isWide: member.hasWideLength)
  }

  private func align(_ member: TableLayout.Member, size: Int) {
    if let alignment = member.vectorAlignment, alignment > 1, size > 0 { builder.align(to: alignment, before: size) }
  }
}

extension ScalarType {
  /// The largest magnitudes of the type's negative and non-negative numbers.
  fileprivate var plainRange: (least: UInt64, most: UInt64) {
    switch self {
    case .bool: (0, 1)
    case .int8: (1 << 7, 1 << 7 - 1)
    case .uint8: (0, 1 << 8 - 1)
    case .int16: (1 << 15, 1 << 15 - 1)
    case .uint16: (0, 1 << 16 - 1)
    case .int32: (1 << 31, 1 << 31 - 1)
    case .uint32: (0, 1 << 32 - 1)
    case .int64: (1 << 63, 1 << 63 - 1)
    case .uint64: (0, .max)
    // Floating-point numbers are not read as integers.
    case .float, .double: (0, 0)
    }
  }
}

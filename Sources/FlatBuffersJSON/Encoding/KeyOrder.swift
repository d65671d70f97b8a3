import FBSSchema

// The order of vectors that are sorted by a key, as in the C++ library and in `FlatBuffersCore`. Structs are compared
// field by field and arrays element by element; the first pair of different numbers decides. Elements with equal keys
// keep their order.

extension SchemaLayouts {
  /// Returns structs in the order of their key; unchanged if they have none.
  func sorted(_ elements: [[UInt8]], _ layout: StructLayout) -> [[UInt8]] {
    guard let key = layout.key.map({ layout.members[$0] }) else { return elements }
    let structs = elements.map { WireBytes($0) }
    return elements.indices.sorted { order(structs[$0], structs[$1], key.type, at: key.offset) < 0 }.map {
      elements[$0]
    }
  }

  /// Returns tables that a builder has written, in the order of their key; unchanged if they have none. Tables whose
  /// key is absent come first.
  func sorted(_ tables: [Int], _ layout: TableLayout, in builder: BackwardBuilder) -> [Int] {
    guard let key = layout.key.map({ layout.members[$0] }) else { return tables }
    let fields = tables.map { builder.field(key.slot, ofTableAt: $0) }
    let order: [Int]
    switch key.type {
    case .number(let type):
      let keys = fields.map { field in
        field.map { NumberBits.extended(builder.number(at: $0, size: type.scalar.size), type.scalar) }
          ?? key.defaultBits ?? 0
      }
      order = tables.indices.sorted { NumberBits.isLess(keys[$0], keys[$1], as: type.scalar) }
    case .structure(let id):
      let size = self[id].size
      let keys = fields.map { field in field.map { WireBytes(Array(builder.bytes(at: $0, count: size))) } }
      order = tables.indices.sorted { first, second in
        guard let second = keys[second] else { return false }
        guard let first = keys[first] else { return true }
        return self.order(first, second, .structure(id), at: 0) < 0
      }
    case .string:
      let keys = fields.map { field in
        field.map { builder.string(at: $0 - Int(builder.number(at: $0, size: key.hasWideOffset ? 8 : 4))) }
      }
      order = tables.indices.sorted { first, second in
        guard let second = keys[second] else { return false }
        return keys[first]?.lexicographicallyPrecedes(second) ?? true
      }
    case .table, .union, .vector, .nested, .flexible:
      // The schema's rules do not allow such a key.
      return tables
    }
    return order.map { tables[$0] }
  }

  /// Compares the key at an offset of two structs. Returns a negative number if the key in `first` comes first, a
  /// positive number if the key in `second` does, and 0 if the keys are equal.
  private func order(
    _ first: WireBytes, _ second: WireBytes, _ type: StructLayout.Member.MemberType, at offset: Int
  ) -> Int {
    switch type {
    case .number(let number):
      let (a, b) = (first.number(number.scalar, at: offset), second.number(number.scalar, at: offset))
      return NumberBits.isLess(a, b, as: number.scalar) ? -1 : NumberBits.isLess(b, a, as: number.scalar) ? 1 : 0
    case .structure(let id):
      for member in self[id].members {
        let order = order(first, second, member.type, at: offset + member.offset)
        if order != 0 { return order }
      }
      return 0
    case .array(let element, let count):
      let stride = size(of: element)
      for index in 0..<count {
        let order = order(first, second, element, at: offset + stride * index)
        if order != 0 { return order }
      }
      return 0
    }
  }
}

extension NumberBits {
  /// Returns a number of a type from its bytes, sign-extended.
  static func extended(_ bits: UInt64, _ type: ScalarType) -> UInt64 {
    switch type {
    case .int8: UInt64(bitPattern: Int64(Int8(truncatingIfNeeded: bits)))
    case .int16: UInt64(bitPattern: Int64(Int16(truncatingIfNeeded: bits)))
    case .int32: UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: bits)))
    default: bits
    }
  }
}

import FlatBuffersCore

/// Reads all that can be reached from a table by every accessor, and sums it up.
///
/// Bytes that nobody has verified may refer to the same tables over and over, so it stops after `budget` tables.
struct Digest {
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  /// How many present fields or elements were there and could not be read: none in verified bytes.
  private(set) var unreadable = 0
  private(set) var budget = 2000

  init(_ buffer: ByteBuffer) {
    guard let view = EverythingView(root: buffer) else {
      unreadable += 1
      return
    }
    // Everything that is read stands in it.
    withExtendedLifetime(buffer) { everything(view) }
  }

  private mutating func add(_ value: UInt64) {
    hash = (hash ^ value) &* 0x100_0000_01B3
  }

  private mutating func add<T: FlatBufferScalar>(_ value: T) {
    add(UInt64(truncatingIfNeeded: value.flatBufferBits))
  }

  private mutating func add(_ string: String?, _ table: FlatBufferTable, _ slot: VTableOffset) {
    table.withUTF8(at: slot) { add(string, $0) }
    if string == nil, table.hasField(at: slot) { unreadable += 1 }
  }

  /// Adds a string by its bytes, which may be no UTF-8. `string` is what they read as.
  private mutating func add(_ string: String?, _ bytes: UnsafeRawBufferPointer?) {
    if bytes.map({ String(decoding: $0, as: UTF8.self) }) != string { unreadable += 1 }
    guard let bytes else { return }
    for byte in bytes { add(UInt64(byte)) }
    add(UInt64(bytes.count))
  }

  private mutating func scalars<T: FlatBufferScalar>(_ vector: FlatBufferVector<T>) {
    let array = vector.array
    if array.count != vector.count { unreadable += 1 }
    for (element, copy) in zip(vector, array) {
      add(element)
      if element.flatBufferBits != copy.flatBufferBits { unreadable += 1 }
    }
  }

  private mutating func point(_ view: Vec3View) {
    add(view.x)
    add(view.y)
    add(view.z)
  }

  private mutating func mixed(_ view: MixedView) {
    add(view.flag)
    point(view.at)
    add(view.id)
    add(view.small)
    scalars(view.codes)
  }

  private mutating func leaf(_ view: LeafView) {
    budget -= 1
    if view._table.position == 0 { unreadable += 1 }
    add(view.name, view._table, 4)
    add(view.value)
  }

  private mutating func node(_ view: NodeView, depth: Int) {
    budget -= 1
    guard budget > 0, depth < 100 else { return }
    if view._table.position == 0 { unreadable += 1 }
    add(view.label, view._table, 4)
    for child in view.children {
      guard budget > 0 else { return }
      node(child, depth: depth + 1)
    }
  }

  private mutating func any(code: UInt8, _ member: FlatBufferUnionMember) {
    switch AnyView(code: code, member) {
    case nil: if code != 0 { unreadable += 1 }
    case .leaf(let view): leaf(view)
    case .node(let view): node(view, depth: 0)
    case .point(let view): point(view)
    case .text(let text):
      if text.utf8 == nil { unreadable += 1 }
      add(text.string, text.utf8)
    case .unknown(let code): add(code)
    }
  }

  private mutating func everything(_ view: EverythingView) {
    add(view.b)
    add(view.i8)
    add(view.i16)
    add(view.i32)
    add(view.i64)
    add(view.u8)
    add(view.u16)
    add(view.u32)
    add(view.u64)
    add(view.f32)
    add(view.f64)
    add(view.maybeBool ?? false)
    add(view.maybeInt ?? -1)
    add(view.maybeDouble ?? -1)
    add(view.answer)
    add(view.half)
    add(view.name, view._table, 36)
    add(view.alias, view._table, 38)
    add(view.kind.rawValue)
    if let position = view.position { point(position) }
    if let mixed = view.mixed { self.mixed(mixed) }
    scalars(view.bytes)
    scalars(view.shorts)
    scalars(view.longs)
    scalars(view.doubles)
    scalars(view.bools)
    for kind in view.kinds { add(kind.rawValue) }
    let strings = view.strings
    for (index, string) in strings.enumerated() {
      let bytes = strings.utf8(at: index)
      if bytes.baseAddress == nil { unreadable += 1 }
      add(string, bytes)
    }
    if strings.array != Array(strings) { unreadable += 1 }
    for point in view.points { self.point(point) }
    for mixed in view.mixes { self.mixed(mixed) }
    for leaf in view.leaves where budget > 0 { self.leaf(leaf) }
    if let leaf = view.leaf { self.leaf(leaf) } else if view._table.hasField(at: 66) { unreadable += 1 }
    if let node = view.node { self.node(node, depth: 0) } else if view._table.hasField(at: 68) { unreadable += 1 }
    if let member = view._table.unionMember(at: 72) {
      any(code: view._table.scalar(at: 70, default: 0), member)
    } else if view._table.hasField(at: 72) {
      unreadable += 1
    }
    if view.anyCodes.count != view.anys.count { unreadable += 1 }
    for (code, member) in zip(view.anyCodes, view.anys) where budget > 0 { any(code: code, member) }
    if let nested = view.nested {
      if let leaf = LeafView(root: nested) { self.leaf(leaf) } else { unreadable += 1 }
    } else if view._table.hasField(at: 78) {
      unreadable += 1
    }
  }
}

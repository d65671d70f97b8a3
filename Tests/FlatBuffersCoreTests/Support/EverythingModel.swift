// The objects of `everything.fbs` as plain values. Tests create them at random, write them, read them back, and print
// them as JSON for flatc.

import FlatBuffersCore

@testable import BufferJobs

struct Vec3: Equatable, FlatBufferStructWritable {
  var x: Float
  var y: Float
  var z: Float

  static var byteSize: Int { 12 }
  static var byteAlignment: Int { 4 }

  func write(to writer: inout FlatBufferStructWriter) {
    writer.set(x, at: 0)
    writer.set(y, at: 4)
    writer.set(z, at: 8)
  }
}

struct Mixed: Equatable, FlatBufferStructWritable {
  var flag: Bool
  var at: Vec3
  var id: UInt64
  var small: Int16
  var codes: [UInt8]

  static var byteSize: Int { 32 }
  static var byteAlignment: Int { 8 }

  func write(to writer: inout FlatBufferStructWriter) {
    writer.set(flag, at: 0)
    writer.set(at, at: 4)
    writer.set(id, at: 16)
    writer.set(small, at: 24)
    for (index, code) in codes.enumerated() { writer.set(code, at: 26 + index) }
  }
}

struct Leaf: Equatable {
  var name: String?
  var value: Int32
}

struct Node: Equatable {
  var label: String?
  var children: [Node]?
}

enum AnyMember: Equatable {
  case leaf(Leaf)
  case node(Node)
  case point(Vec3)
  case text(String)

  var code: UInt8 {
    switch self {
    case .leaf: 1
    case .node: 2
    case .point: 3
    case .text: 4
    }
  }
}

struct Everything: Equatable {
  var b = false
  var i8: Int8 = 0
  var i16: Int16 = 0
  var i32: Int32 = 0
  var i64: Int64 = 0
  var u8: UInt8 = 0
  var u16: UInt16 = 0
  var u32: UInt32 = 0
  var u64: UInt64 = 0
  var f32: Float = 0
  var f64: Double = 0
  var maybeBool: Bool?
  var maybeInt: Int32?
  var maybeDouble: Double?
  var answer: Int32 = 42
  var half = 0.5
  var name = ""
  var alias: String?
  var kind = KindValue.b
  var position: Vec3?
  var mixed: Mixed?
  var bytes: [UInt8]?
  var shorts: [Int16]?
  var longs: [Int64]?
  var doubles: [Double]?
  var bools: [Bool]?
  var kinds: [KindValue]?
  var strings: [String]?
  var points: [Vec3]?
  var mixes: [Mixed]?
  var leaves: [Leaf]?
  var leaf: Leaf?
  var node: Node?
  var any: AnyMember?
  var anys: [AnyMember]?
  var nested: Leaf?
}

// MARK: Writing

extension Leaf {
  func write(_ builder: inout FlatBufferBuilder) -> Offset {
    let name = builder.create(name)
    builder.startTable(fieldCount: 2)
    builder.add(name, at: 4)
    builder.add(value, default: 5, at: 6)
    return builder.endTable()
  }
}

extension Node {
  func write(_ builder: inout FlatBufferBuilder) -> Offset {
    let label = builder.create(label)
    var children = Offset.null
    if let nodes = self.children {
      let mark = builder.startOffsets()
      for node in nodes { builder.append(node.write(&builder)) }
      children = builder.endOffsets(from: mark)
    }
    builder.startTable(fieldCount: 2)
    builder.add(label, at: 4)
    builder.add(children, at: 6)
    return builder.endTable()
  }
}

extension AnyMember {
  func write(_ builder: inout FlatBufferBuilder) -> Offset {
    switch self {
    case .leaf(let leaf): leaf.write(&builder)
    case .node(let node): node.write(&builder)
    case .point(let point): builder.create(point)
    case .text(let text): builder.create(text)
    }
  }
}

extension Everything {
  func write(_ builder: inout FlatBufferBuilder) -> Offset {
    let name = builder.create(name)
    let alias = builder.create(alias)
    let bytes = bytes.map { builder.create(vector: $0) } ?? .null
    let shorts = shorts.map { builder.create(vector: $0) } ?? .null
    let longs = longs.map { builder.create(vector: $0) } ?? .null
    let doubles = doubles.map { builder.create(vector: $0) } ?? .null
    let bools = bools.map { builder.create(vector: $0) } ?? .null
    let kinds = kinds.map { builder.create(vector: $0) } ?? .null
    let strings = strings.map { builder.create(vector: $0) } ?? .null
    let points = points.map { builder.create(vector: $0) } ?? .null
    let mixes = mixes.map { builder.create(vector: $0) } ?? .null
    var leaves = Offset.null
    if let values = self.leaves {
      let offsets = values.map { $0.write(&builder) }
      leaves = builder.create(vector: offsets)
    }
    let leaf = leaf?.write(&builder) ?? .null
    let node = node?.write(&builder) ?? .null
    let any = any?.write(&builder) ?? .null
    var anyCodes = Offset.null
    var anys = Offset.null
    if let members = self.anys {
      let offsets = members.map { $0.write(&builder) }
      anyCodes = builder.create(vector: members.map(\.code))
      anys = builder.create(vector: offsets)
    }
    let nested = nested.map { nested in
      var inner = FlatBufferBuilder()
      let root = nested.write(&inner)
      return builder.create(vector: bytesOf(&inner, root: root), alignment: 8)
    }
    builder.startTable(fieldCount: 38)
    builder.add(u64, default: 0, at: 20)
    builder.add(i64, default: 0, at: 12)
    builder.add(f64, default: 0, at: 24)
    builder.add(maybeDouble, at: 30)
    builder.add(half, default: 0.5, at: 34)
    builder.add(mixed, at: 44)
    builder.add(position, at: 42)
    builder.add(i32, default: 0, at: 10)
    builder.add(u32, default: 0, at: 18)
    builder.add(f32, default: 0, at: 22)
    builder.add(maybeInt, at: 28)
    builder.add(answer, default: 42, at: 32)
    builder.add(name, at: 36)
    builder.add(alias, at: 38)
    let vectors = [bytes, shorts, longs, doubles, bools, kinds, strings, points, mixes, leaves, leaf, node]
    for (index, offset) in vectors.enumerated() { builder.add(offset, at: VTableOffset(46 + 2 * index)) }
    builder.add(any, at: 72)
    builder.add(anyCodes, at: 74)
    builder.add(anys, at: 76)
    builder.add(nested ?? .null, at: 78)
    builder.add(u16, default: 0, at: 16)
    builder.add(i16, default: 0, at: 8)
    builder.add(b, default: false, at: 4)
    builder.add(i8, default: 0, at: 6)
    builder.add(u8, default: 0, at: 14)
    builder.add(maybeBool, at: 26)
    builder.add(kind.rawValue, default: 3, at: 40)
    builder.add(self.any?.code ?? 0, default: 0, at: 70)
    return builder.endTable()
  }
}

/// Finishes the buffer of `builder` with `root` and returns its bytes.
func bytesOf(
  _ builder: inout FlatBufferBuilder, root: Offset, fileIdentifier: String? = nil, sizePrefixed: Bool = false
) -> [UInt8] {
  do {
    try builder.finish(root, fileIdentifier: fileIdentifier, sizePrefixed: sizePrefixed)
  } catch {
    preconditionFailure("\(error)")
  }
  return builder.withFinishedBytes { [UInt8]($0) }
}

// MARK: Reading

extension Vec3 {
  init(_ view: Vec3View) {
    self.init(x: view.x, y: view.y, z: view.z)
  }
}

extension Mixed {
  init(_ view: MixedView) {
    self.init(flag: view.flag, at: Vec3(view.at), id: view.id, small: view.small, codes: view.codes.array)
  }
}

extension Leaf {
  init(_ view: LeafView) {
    self.init(name: view.name, value: view.value)
  }
}

extension Node {
  init(_ view: NodeView) {
    self.init(
      label: view.label, children: view._table.hasField(at: 6) ? view.children.map { Node($0) } : nil)
  }
}

extension AnyMember {
  init?(_ view: AnyView?) {
    switch view {
    case nil, .unknown: return nil
    case .leaf(let leaf): self = .leaf(Leaf(leaf))
    case .node(let node): self = .node(Node(node))
    case .point(let point): self = .point(Vec3(point))
    case .text(let member): self = .text(member.string ?? "")
    }
  }
}

extension Everything {
  init(_ view: EverythingView) {
    func present<T>(_ slot: VTableOffset, _ value: @autoclosure () -> T) -> T? {
      view._table.hasField(at: slot) ? value() : nil
    }
    self.init(
      b: view.b, i8: view.i8, i16: view.i16, i32: view.i32, i64: view.i64, u8: view.u8, u16: view.u16, u32: view.u32,
      u64: view.u64, f32: view.f32, f64: view.f64, maybeBool: view.maybeBool, maybeInt: view.maybeInt,
      maybeDouble: view.maybeDouble, answer: view.answer, half: view.half, name: view.name ?? "<absent>",
      alias: view.alias, kind: view.kind, position: view.position.map { Vec3($0) },
      mixed: view.mixed.map { Mixed($0) }, bytes: present(46, view.bytes.array),
      shorts: present(48, view.shorts.array), longs: present(50, view.longs.array),
      doubles: present(52, view.doubles.array), bools: present(54, view.bools.array),
      kinds: present(56, view.kinds.array), strings: present(58, view._table.array(at: 58)),
      points: present(60, view.points.map { Vec3($0) }), mixes: present(62, view.mixes.map { Mixed($0) }),
      leaves: present(64, view.leaves.map { Leaf($0) }), leaf: view.leaf.map { Leaf($0) },
      node: view.node.map { Node($0) }, any: AnyMember(view.any),
      anys: present(76, zip(view.anyCodes, view.anys).compactMap { AnyMember(AnyView(code: $0, $1)) }),
      nested: view.nested.flatMap { LeafView(root: $0) }.map { Leaf($0) })
  }
}

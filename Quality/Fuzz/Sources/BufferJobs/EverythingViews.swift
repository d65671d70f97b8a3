// Views of the tables of `everything.fbs`, written by hand in the way of generated code.

import FlatBuffersCore

struct KindValue: FlatBufferEnumValue, Hashable, Sendable {
  var rawValue: Int8

  static var a: KindValue { KindValue(rawValue: 0) }
  static var b: KindValue { KindValue(rawValue: 3) }
  static var c: KindValue { KindValue(rawValue: 4) }
}

struct Vec3View: FlatBufferStructView {
  static var byteSize: Int { 12 }
  static var byteAlignment: Int { 4 }
  let _structure: FlatBufferStruct

  init(_ structure: FlatBufferStruct) {
    _structure = structure
  }

  var x: Float { _structure.scalar(at: 0) }
  var y: Float { _structure.scalar(at: 4) }
  var z: Float { _structure.scalar(at: 8) }
}

struct MixedView: FlatBufferStructView {
  static var byteSize: Int { 32 }
  static var byteAlignment: Int { 8 }
  let _structure: FlatBufferStruct

  init(_ structure: FlatBufferStruct) {
    _structure = structure
  }

  var flag: Bool { _structure.scalar(at: 0) }
  var at: Vec3View { _structure.structure(at: 4) }
  var id: UInt64 { _structure.scalar(at: 16) }
  var small: Int16 { _structure.scalar(at: 24) }
  var codes: FlatBufferVector<UInt8> { _structure.fixedArray(at: 26, count: 3) }
}

struct LeafView: FlatBufferTableView {
  let _table: FlatBufferTable

  init(_ table: FlatBufferTable) {
    _table = table
  }

  var name: String? { _table.string(at: 4) }
  var value: Int32 { _table.scalar(at: 6, default: 5) }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, at: 4)
    try verifier.scalar(Int32.self, in: table, at: 6)
    verifier.endTable()
  }
}

struct NodeView: FlatBufferTableView {
  let _table: FlatBufferTable

  init(_ table: FlatBufferTable) {
    _table = table
  }

  var label: String? { _table.string(at: 4) }
  var children: FlatBufferVector<NodeView> { _table.vector(at: 6) }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, at: 4)
    try verifier.vector(of: NodeView.self, in: table, at: 6)
    verifier.endTable()
  }
}

enum AnyView: Sendable {
  case leaf(LeafView)
  case node(NodeView)
  case point(Vec3View)
  case text(FlatBufferUnionMember)
  case unknown(UInt8)

  init?(code: UInt8, _ member: FlatBufferUnionMember) {
    switch code {
    case 0: return nil
    case 1:
      guard let table = member.table else { return nil }
      self = .leaf(LeafView(table))
    case 2:
      guard let table = member.table else { return nil }
      self = .node(NodeView(table))
    case 3:
      guard let point = member.structure(Vec3View.self) else { return nil }
      self = .point(point)
    case 4: self = .text(member)
    default: self = .unknown(code)
    }
  }

  init?(in table: FlatBufferTable, at slot: VTableOffset) {
    guard let member = table.unionMember(at: slot) else { return nil }
    self.init(code: table.scalar(at: slot - 2, default: 0), member)
  }

  static func verify(
    _ verifier: inout FlatBufferVerifier, _ member: (code: UInt8, position: Int)
  ) throws(FlatBufferError) {
    switch member.code {
    case 1: try LeafView.verify(&verifier, at: member.position)
    case 2: try NodeView.verify(&verifier, at: member.position)
    case 3:
      try verifier.structure(
        size: Vec3View.byteSize, alignment: Vec3View.byteAlignment, at: member.position)
    case 4: try verifier.string(at: member.position)
    default: break
    }
  }
}

struct EverythingView: FlatBufferTableView {
  let _table: FlatBufferTable

  init(_ table: FlatBufferTable) {
    _table = table
  }

  var b: Bool { _table.scalar(at: 4, default: false) }
  var i8: Int8 { _table.scalar(at: 6, default: 0) }
  var i16: Int16 { _table.scalar(at: 8, default: 0) }
  var i32: Int32 { _table.scalar(at: 10, default: 0) }
  var i64: Int64 { _table.scalar(at: 12, default: 0) }
  var u8: UInt8 { _table.scalar(at: 14, default: 0) }
  var u16: UInt16 { _table.scalar(at: 16, default: 0) }
  var u32: UInt32 { _table.scalar(at: 18, default: 0) }
  var u64: UInt64 { _table.scalar(at: 20, default: 0) }
  var f32: Float { _table.scalar(at: 22, default: 0) }
  var f64: Double { _table.scalar(at: 24, default: 0) }
  var maybeBool: Bool? { _table.optionalScalar(at: 26) }
  var maybeInt: Int32? { _table.optionalScalar(at: 28) }
  var maybeDouble: Double? { _table.optionalScalar(at: 30) }
  var answer: Int32 { _table.scalar(at: 32, default: 42) }
  var half: Double { _table.scalar(at: 34, default: 0.5) }
  var name: String? { _table.string(at: 36) }
  var alias: String? { _table.string(at: 38) }
  var kind: KindValue { KindValue(rawValue: _table.scalar(at: 40, default: 3)) }
  var position: Vec3View? { _table.structure(at: 42) }
  var mixed: MixedView? { _table.structure(at: 44) }
  var bytes: FlatBufferVector<UInt8> { _table.vector(at: 46) }
  var shorts: FlatBufferVector<Int16> { _table.vector(at: 48) }
  var longs: FlatBufferVector<Int64> { _table.vector(at: 50) }
  var doubles: FlatBufferVector<Double> { _table.vector(at: 52) }
  var bools: FlatBufferVector<Bool> { _table.vector(at: 54) }
  var kinds: FlatBufferVector<KindValue> { _table.vector(at: 56) }
  var strings: FlatBufferVector<String> { _table.vector(at: 58) }
  var points: FlatBufferVector<Vec3View> { _table.vector(at: 60) }
  var mixes: FlatBufferVector<MixedView> { _table.vector(at: 62) }
  var leaves: FlatBufferVector<LeafView> { _table.vector(at: 64) }
  var leaf: LeafView? { _table.view(at: 66) }
  var node: NodeView? { _table.view(at: 68) }
  var any: AnyView? { AnyView(in: _table, at: 72) }
  var anyCodes: FlatBufferVector<UInt8> { _table.vector(at: 74) }
  var anys: FlatBufferVector<FlatBufferUnionMember> { _table.vector(at: 76) }
  var nested: ByteBuffer? { _table.nestedBuffer(at: 78) }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.scalar(Bool.self, in: table, at: 4)
    try verifier.scalar(Int8.self, in: table, at: 6)
    try verifier.scalar(Int16.self, in: table, at: 8)
    try verifier.scalar(Int32.self, in: table, at: 10)
    try verifier.scalar(Int64.self, in: table, at: 12)
    try verifier.scalar(UInt8.self, in: table, at: 14)
    try verifier.scalar(UInt16.self, in: table, at: 16)
    try verifier.scalar(UInt32.self, in: table, at: 18)
    try verifier.scalar(UInt64.self, in: table, at: 20)
    try verifier.scalar(Float.self, in: table, at: 22)
    try verifier.scalar(Double.self, in: table, at: 24)
    try verifier.scalar(Bool.self, in: table, at: 26)
    try verifier.scalar(Int32.self, in: table, at: 28)
    try verifier.scalar(Double.self, in: table, at: 30)
    try verifier.scalar(Int32.self, in: table, at: 32)
    try verifier.scalar(Double.self, in: table, at: 34)
    try verifier.string(in: table, at: 36, required: true)
    try verifier.string(in: table, at: 38)
    try verifier.scalar(Int8.self, in: table, at: 40)
    try verifier.structure(of: Vec3View.self, in: table, at: 42)
    try verifier.structure(of: MixedView.self, in: table, at: 44)
    try verifier.vector(of: UInt8.self, in: table, at: 46)
    try verifier.vector(of: Int16.self, in: table, at: 48)
    try verifier.vector(of: Int64.self, in: table, at: 50)
    try verifier.vector(of: Double.self, in: table, at: 52)
    try verifier.vector(of: Bool.self, in: table, at: 54)
    try verifier.vector(of: KindValue.self, in: table, at: 56)
    try verifier.vector(of: String.self, in: table, at: 58)
    try verifier.vector(of: Vec3View.self, in: table, at: 60)
    try verifier.vector(of: MixedView.self, in: table, at: 62)
    try verifier.vector(of: LeafView.self, in: table, at: 64)
    try verifier.table(of: LeafView.self, in: table, at: 66)
    try verifier.table(of: NodeView.self, in: table, at: 68)
    if let member = try verifier.union(in: table, at: 72) { try AnyView.verify(&verifier, member) }
    let members = try verifier.unionVector(in: table, at: 76)
    for index in 0..<members.count {
      if let member = try verifier.member(index, of: members) { try AnyView.verify(&verifier, member) }
    }
    try verifier.nestedBuffer(of: LeafView.self, in: table, at: 78)
    verifier.endTable()
  }
}

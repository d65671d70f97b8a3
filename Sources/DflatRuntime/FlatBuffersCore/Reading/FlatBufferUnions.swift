/// An integer that holds the type codes of a union: `UInt8`, unless the schema names another type for them.
public typealias FlatBufferUnionCode = FlatBufferScalar & FixedWidthInteger

/// A view of the unions of one schema type. Generated code conforms to it.
public protocol FlatBufferUnionView: Sendable {
  /// The type of the type codes.
  associatedtype _TypeCode: FlatBufferUnionCode = UInt8

  /// Wraps `member` as the type with the type code `code`; nil if `code` is 0, which means that there is no member, or
  /// if the member cannot be read.
  init?(code: _TypeCode, member: FlatBufferUnionMember)

  /// Verifies the member at `position`, if this version of the schema knows `code`.
  ///
  /// - Throws: the first error found.
  static func verify(_ verifier: inout FlatBufferVerifier, code: _TypeCode, at position: Int) throws(FlatBufferError)
}

extension FlatBufferUnionView {
  // Inlined here and below for the benchmark row "read every field, strings by their bytes", and for "verify": each
  // union passes here.
  /// The union whose member is in the field of `table` at `slot`, and whose type code is in the slot before; nil if it
  /// is absent.
  @inlinable @inline(__always)
  public init?(in table: FlatBufferTable, at slot: VTableOffset) {
    let code = table.scalar(at: slot &- 2, default: 0 as _TypeCode)
    guard code != 0, let member = table.unionMember(at: slot) else { return nil }
    self.init(code: code, member: member)
  }
}

/// A vector of unions in a buffer, read in place: a vector of type codes, and one of members.
///
/// ```swift
/// if let monster = MonsterReader(buffer) {
///   for case .sword(let sword)? in monster.hoard { print(sword.damage) }
/// }
/// ```
///
/// An element is nil if its type code is 0 or its member cannot be read.
@frozen
public struct FlatBufferUnionVector<View: FlatBufferUnionView>: RandomAccessCollection, Sendable {
  /// The type codes of the members.
  public let codes: FlatBufferVector<View._TypeCode>
  /// The members, of any type.
  public let members: FlatBufferVector<FlatBufferUnionMember>

  /// Pairs `codes` with `members`. The surplus elements of the longer vector are ignored.
  @inlinable
  public init(codes: FlatBufferVector<View._TypeCode>, members: FlatBufferVector<FlatBufferUnionMember>) {
    self.codes = codes
    self.members = members
  }

  /// Always 0.
  @inlinable
  public var startIndex: Int { 0 }

  /// The number of elements.
  @inlinable
  public var endIndex: Int { Swift.min(codes.count, members.count) }

  /// The union at `index`, from 0 to `count - 1`; nil if its type code is 0 or its member cannot be read. Any other
  /// index may stop the program.
  @inlinable
  public subscript(index: Int) -> View? {
    let code = codes[index]
    return code == 0 ? nil : View(code: code, member: members[index])
  }
}

extension FlatBufferTable {
  /// Returns the union whose member is in the field at `slot`, and whose type code is in the slot before; nil if it is absent.
  @inlinable @inline(__always)
  public func union<View: FlatBufferUnionView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    View(in: self, at: slot)
  }

  /// Returns the vector of unions whose members are in the field at `slot`, and whose type codes are in the slot before; an
  /// empty one if it is absent.
  @inlinable
  public func unionVector<View: FlatBufferUnionView>(
    of _: View.Type = View.self, at slot: VTableOffset
  ) -> FlatBufferUnionVector<View> {
    FlatBufferUnionVector(codes: vector(at: slot &- 2), members: vector(at: slot))
  }
}

extension FlatBufferVerifier {
  /// Verifies the union whose member is in the field at `slot`, if present, and everything that the member refers to. A
  /// member with a type code that this version of the schema does not know is not verified.
  @inlinable @inline(__always)
  public mutating func union<View: FlatBufferUnionView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    let size = View._TypeCode.vectorStride
    guard let member = try union(codeSize: size, in: table, at: slot, required: required) else { return }
    try View.verify(&self, code: View._TypeCode(truncatingIfNeeded: member.code), at: member.position)
  }

  /// Verifies the vector of unions whose members are in the field at `slot`, if present, and everything that they refer
  /// to.
  public mutating func unionVector<View: FlatBufferUnionView>(
    of _: View.Type, in table: Table, at slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    let vector = try unionVector(codeSize: View._TypeCode.vectorStride, in: table, at: slot, required: required)
    for index in 0..<vector.count {
      guard let member = try wideMember(index, of: vector) else { continue }
      try View.verify(&self, code: View._TypeCode(truncatingIfNeeded: member.code), at: member.position)
    }
  }
}

extension FlatBufferBuilder {
  /// Writes a vector of unions as two vectors: of type codes, and of members (tables, strings, or structs written
  /// outside of a table). Add both to the table. The type code 0 means no member; its offset is ``Offset/null``. Only
  /// one of the two stops the program.
  public mutating func create(
    unionVector members: [(code: UInt8, member: Offset)]
  ) -> (types: Offset, members: Offset) {
    createUnions(members)
  }

  /// Writes a vector of unions whose schema names a type for their codes, as two vectors: of type codes, and of members
  /// (tables, strings, or structs written outside of a table). Add both to the table. The type code 0 means no member;
  /// its offset is ``Offset/null``. Only one of the two stops the program.
  public mutating func create<Code: FlatBufferUnionCode>(
    unionVector members: [(code: Code, member: Offset)]
  ) -> (types: Offset, members: Offset) {
    createUnions(members)
  }

  private mutating func createUnions<Code: FlatBufferUnionCode>(
    _ members: [(code: Code, member: Offset)]
  ) -> (types: Offset, members: Offset) {
    for (code, member) in members {
      precondition((code == 0) == member.isNull, "A union's member goes with the code of its type, and none with 0.")
    }
    let types = create(vector: members.map(\.code))
    guard startVector(count: members.count, stride: 4, alignment: 4) else { return (types, dropped) }
    for (_, member) in members.reversed() {
      if member.isNull { push(0 as UInt32) } else { push(distanceTo: member) }
    }
    return (types, endVector(count: members.count))
  }
}

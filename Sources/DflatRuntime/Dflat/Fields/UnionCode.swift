import FlatBuffersCore

/// A union's type code, to compare with the codes in rows: a number, and the size that it has in a row.
package struct UnionCode: Hashable, BitwiseCopyable, Sendable {
  /// The number. Codes of signed types are not negative either, since schemas cannot name negative ones.
  package let number: UInt64
  package let storage: FieldStorage

  /// Creates a code that takes `size` bytes: 1, 2, 4 or 8.
  init(_ number: UInt64, size: Int) {
    self.number = number
    storage = FieldStorage(unionTypeOfSize: size)
  }

  /// Returns whether this is the type code of the union in `table` whose member is in the field at `slot`.
  func isCode(in table: FlatBufferTable, ofUnionAt slot: VTableOffset) -> Bool {
    let stored =
      switch storage {
      case .unionType16: UInt64(table.scalar(at: slot &- 2, default: 0 as UInt16))
      case .unionType32: UInt64(table.scalar(at: slot &- 2, default: 0 as UInt32))
      case .unionType64: table.scalar(at: slot &- 2, default: 0 as UInt64)
      default: UInt64(table.scalar(at: slot &- 2, default: 0 as UInt8))
      }
    return stored == number
  }
}

import Dflat
import FlatBuffersCore

extension Atom {
  /// Returns the object in the bytes of a row; nil if the bytes hold no object, or refer to more than they can hold.
  ///
  /// - Parameters:
  ///   - rowid: the number of the row.
  ///   - version: the commit version at which the row was read; 0 if it is not known.
  @inlinable
  package static func undamagedObject(
    in bytes: UnsafeRawBufferPointer, _ rowid: Int64, readAt version: UInt64
  ) -> Self? {
    let budget = ReadingBudget()
    guard let row = FlatBufferTable(rootOf: bytes, within: budget) else { return nil }
    let object = Self(row, _rowid: rowid, _commitVersion: version)
    return budget.end() ? object : nil
  }
}

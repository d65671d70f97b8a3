import FlatBuffersCore

/// The rows that one transaction has changed. Made only while somebody listens.
package final class CommittedTransaction: @unchecked Sendable {
  // Unchecked: it is filled by the thread that commits, and constant once it is published.

  /// In the order of the submissions; a row may occur several times.
  package private(set) var changes: ContiguousArray<RowChange> = []
  /// The encoded objects of the changes, one behind the other.
  private var memory: ContiguousArray<UInt8> = []

  package init() {}

  /// Adds a change.
  ///
  /// - Parameter bytes: the encoded object; empty if the row was deleted.
  package func append(
    _ kind: RowChange.Kind, _ record: RecordDescription, _ rowid: Int64, _ object: any Atom,
    _ bytes: UnsafeRawBufferPointer
  ) {
    let start = memory.count
    memory.append(contentsOf: bytes)
    changes.append(
      RowChange(kind: kind, record: record, rowid: rowid, object: object, bytes: start..<memory.count))
  }

  /// Calls `body` with the bytes of all objects: see `RowChange.row(in:)`.
  func withMemory<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { memory.withUnsafeBytes(body) }
}

/// A change of one row.
package struct RowChange: Sendable {
  package enum Kind: Sendable {
    case inserted
    case updated
    case deleted
  }

  package let kind: Kind
  package let record: RecordDescription
  package let rowid: Int64
  /// The object that the row holds now; the object that it held, if it was deleted.
  package let object: any Atom
  /// Where the encoded object is in the memory of its transaction.
  fileprivate let bytes: Range<Int>

  /// The encoded object as a row, good for as long as the memory is; nil if the row was deleted.
  func row(in memory: UnsafeRawBufferPointer) -> FlatBufferTable? {
    kind == .deleted ? nil : FlatBufferTable(ofEncoded: UnsafeRawBufferPointer(rebasing: memory[bytes]))
  }
}

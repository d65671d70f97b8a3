import FlatBuffersCore

/// The changes of one transaction, with the encoded objects. It is made only while somebody subscribes.
package final class CommittedTransaction: @unchecked Sendable {
  // Unchecked: the thread that commits fills it, and it is constant once it is published.

  // Exclusivity is unchecked as in `ObservedType`: no call from here leads back here. Each changed row is copied here in
  // the benchmark row "update beside 10,000 others".
  /// The changes in the order of the submissions. A row may occur several times.
  @exclusivity(unchecked) package private(set) var changes: ContiguousArray<RowChange> = []
  /// The types of the rows, retained here because changes do not retain them. A transaction has few.
  @exclusivity(unchecked) private var records: [RecordDescription] = []
  /// The encoded objects of the changes, in parts that never move, because changes point into them.
  @exclusivity(unchecked) private var memory: ContiguousArray<UnsafeMutableRawBufferPointer> = []
  @exclusivity(unchecked) private var byteCount = 0
  /// The number of bytes in use in the last part.
  @exclusivity(unchecked) private var usedCount = 0
  /// The largest size of a part, unless one object needs more.
  private static let partSize = 1 << 16

  package init() {}

  deinit {
    for part in memory { part.deallocate() }
  }

  /// Copies encoded objects for the changes that are appended next.
  ///
  /// - Returns: the copy, which is valid as long as the transaction.
  package func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard !bytes.isEmpty else { return bytes }
    // Encoded objects are aligned to 8 bytes.
    let count = (bytes.count + 7) & ~7
    if count > (memory.last?.count ?? 0) - usedCount {
      let size = max(count, min(2 * (memory.last?.count ?? 0), CommittedTransaction.partSize))
      memory.append(.allocate(byteCount: size, alignment: 8))
      byteCount += size
      usedCount = 0
    }
    let part = UnsafeMutableRawBufferPointer(rebasing: memory[memory.count - 1][usedCount..<usedCount + bytes.count])
    part.copyMemory(from: bytes)
    usedCount += count
    return UnsafeRawBufferPointer(part)
  }

  /// Adds a change.
  ///
  /// - Parameter bytes: the encoded object, in memory returned by `keep`; empty if the row was deleted.
  package func append(
    _ kind: RowChange.Kind, _ record: RecordDescription, _ rowid: Int64, _ object: any Atom,
    keptBytes bytes: UnsafeRawBufferPointer
  ) {
    if records.last !== record, !records.contains(where: { $0 === record }) { records.append(record) }
    changes.append(RowChange(kind: kind, record: record, rowid: rowid, object: object, bytes: bytes))
  }

  /// Whether there are more than 262,144 changes, or more than 64 MiB of encoded objects. The changes are then not
  /// kept; results are fetched again instead.
  package var isTooLarge: Bool { changes.count > 1 << 18 || byteCount > 1 << 26 }

  package func reserveCapacity(_ count: Int) { changes.reserveCapacity(count) }

  /// Returns the encoded object of the change at `position`; empty if the row was deleted.
  func bytes(at position: Int) -> UnsafeRawBufferPointer {
    changes.withUnsafeBufferPointer {
      $0[position].kind == .deleted ? UnsafeRawBufferPointer(start: nil, count: 0) : $0[position].bytes
    }
  }

  /// Returns the row of the change at `position`; nil if it was deleted.
  func row(at position: Int) -> FlatBufferTable? {
    // Without a copy of the change, whose references would be counted.
    changes.withUnsafeBufferPointer { $0[position].row }
  }
}

/// A change of one row.
package struct RowChange: @unchecked Sendable {
  // Unchecked because of the pointer: the bytes are constant.

  package enum Kind: Sendable {
    case inserted
    case updated
    case deleted
  }

  package let kind: Kind
  // Unsafe to the compiler: not counted, since a change is looked at many times. The transaction retains the record
  // as long as the bytes, and no change outlives the transaction.
  package unowned(unsafe) let record: RecordDescription
  package let rowid: Int64
  /// The object that the row holds now, or held before it was deleted.
  package let object: any Atom
  /// The encoded object, in the memory of its transaction.
  fileprivate let bytes: UnsafeRawBufferPointer

  /// The encoded object as a row, valid as long as the transaction; nil if the row was deleted.
  var row: FlatBufferTable? { kind == .deleted ? nil : FlatBufferTable(ofEncoded: bytes) }
}

import Dflat
import FlatBuffersCore

/// A type whose objects can be stored and encoded, as all types of change requests are.
@usableFromInline
package typealias StoredAtom = Atom & FlatBuffersEncodable

/// A change of one row that a transaction has submitted, and that was not applied to SQLite yet.
package struct Write {
  package let kind: RowChange.Kind
  // Unsafe to the compiler: not retained, since a write is looked at many times. `WriteSet.records` keeps the
  // description alive for as long as the set exists, and no write outlives its set.
  package unowned(unsafe) let record: RecordDescription
  /// The number of the row. For a new object it is a proposal, since another process may use the number first.
  package let rowid: Int64
  /// The range of the encoded object in the set's memory; empty for a deletion.
  package let bytes: Range<Int>
  /// Whether the row's primary key and unique values are known to stay the same.
  package let keepsKeys: Bool
  /// The object that the change was made from, as it was stored; nil for an insertion and for a deletion.
  package let base: (any StoredAtom)?
  /// The object that the row will hold; for a deletion, the object that it held.
  package let object: any StoredAtom

  package var state: RowState { kind == .deleted ? .deleted : .stored(object) }

  /// The object that the row held before, as it was stored; nil for a new object.
  package var former: (any StoredAtom)? { kind == .deleted ? object : base }
}

/// The content of a row after changes that were not applied to SQLite yet.
package enum RowState {
  case stored(any StoredAtom)
  case deleted
}

/// The identity of a row: its table and its number.
package struct RowID: Hashable {
  package let record: ObjectIdentifier
  package let rowid: Int64

  package init(_ record: RecordDescription, _ rowid: Int64) {
    self.init(ObjectIdentifier(record), rowid)
  }

  package init(_ record: ObjectIdentifier, _ rowid: Int64) {
    self.record = record
    self.rowid = rowid
  }
}

/// The rows that a transaction inserts, updates and deletes, in the order of the submissions, with their encoded bytes.
///
/// It belongs to the transaction's thread until the closure has returned, and then to the thread that has the writer.
package final class WriteSet {
  // Exclusivity is unchecked: no call from here leads back here, and the checks would cost as much as the set itself in
  // the benchmark row "insert documents, one transaction".
  @exclusivity(unchecked) package private(set) var writes: ContiguousArray<Write> = []
  /// The descriptions of the types that are written; a transaction has few. Consecutive writes mostly have the same
  /// type.
  @exclusivity(unchecked) private var records: [RecordDescription] = []
  /// The primary keys and unique values that rows get by the writes, with the row number of each. See `insertedKeys`.
  @exclusivity(unchecked) package private(set) var claims: [RowKey: Int64] = [:]
  /// The primary keys of new objects, if the transaction has the writer. No other transaction looks for them, so they
  /// are not in `claims`.
  @exclusivity(unchecked) private var insertedKeys = InsertedKeys()
  /// The primary keys and unique values that rows lose by the writes, so that other rows may get them.
  @exclusivity(unchecked) package private(set) var formerKeys: [(key: RowKey, rowid: Int64)] = []
  /// The encoded objects, one after another. An array of words, since an allocation of bytes would be aligned for any
  /// type, which takes longer.
  @exclusivity(unchecked) private var words = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)
  @exclusivity(unchecked) private var byteCount = 0

  /// The new objects whose proposed row number another process had used: the actual row number, by the proposed row.
  @exclusivity(unchecked) private var movedRows: [RowID: Int64] = [:]
  /// The lowest and the highest row number that is written. A row outside is not in the set.
  @exclusivity(unchecked) private var rowBounds: (lowest: Int64, highest: Int64) = (.max, .min)

  /// The keys of the dictionary that the transaction sets or removes, in the order of the calls.
  @exclusivity(unchecked) package private(set) var keyChanges: [DictionaryChange] = []

  package init() {}

  deinit { words.deallocate() }

  package var isEmpty: Bool { writes.isEmpty && keyChanges.isEmpty }

  /// Whether so much is collected that the transaction should take the writer. A small transaction of an app has fewer
  /// than 64 changes. To apply 64 takes about as long as a commit, so sharing a commit saves little.
  package var isLarge: Bool { writes.count + keyChanges.count >= 64 || byteCount >= 1 << 16 }

  /// Whether a transaction that has the writer should apply its set. The more neighbouring rows are deleted together,
  /// the better; but the set's memory should stay in the processor's cache.
  package var isFull: Bool { writes.count + keyChanges.count >= 256 || byteCount >= 1 << 16 }

  package func append(
    _ kind: RowChange.Kind, _ record: RecordDescription, _ rowid: Int64, _ bytes: UnsafeRawBufferPointer,
    keepsKeys: Bool, from base: (any StoredAtom)?, to object: any StoredAtom
  ) {
    let start = byteCount
    if !bytes.isEmpty {
      if start + bytes.count > 8 * words.count { grow(toHold: start + bytes.count) }
      UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + bytes.count]).copyMemory(from: bytes)
      byteCount += bytes.count
    }
    rowBounds = (min(rowBounds.lowest, rowid), max(rowBounds.highest, rowid))
    if records.last !== record, !records.contains(where: { $0 === record }) { records.append(record) }
    writes.append(
      Write(
        kind: kind, record: record, rowid: rowid, bytes: start..<byteCount, keepsKeys: keepsKeys, base: base,
        object: object))
  }

  private func grow(toHold count: Int) {
    let larger = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: max(32, count / 4))
    UnsafeMutableRawBufferPointer(larger).copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<byteCount]))
    words.deallocate()
    words = larger
  }

  private var memory: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(words) }

  /// Returns the row of the write at `index`. It is final once the write is applied.
  package func actualRow(at index: Int) -> Int64 {
    let rowid = writes[index].rowid
    return movedRows.isEmpty ? rowid : movedRows[RowID(writes[index].record, rowid)] ?? rowid
  }

  package func noteMove(of record: RecordDescription, from rowid: Int64, to actual: Int64) {
    movedRows[RowID(record, rowid)] = actual
  }

  /// Returns whether `rowid` is the number that was proposed for a new object. It looks at all writes.
  package func inserts(_ rowid: Int64, of record: RecordDescription) -> Bool {
    writes.contains { $0.kind == .inserted && $0.rowid == rowid && $0.record === record }
  }

  /// Adds the changes to a committed transaction, for the change feed. The set must have been applied.
  package func append(to transaction: CommittedTransaction) {
    let kept = transaction.keep(UnsafeRawBufferPointer(rebasing: memory[..<byteCount]))
    for index in writes.indices {
      transaction.append(
        writes[index].kind, writes[index].record, actualRow(at: index), writes[index].object,
        keptBytes: UnsafeRawBufferPointer(rebasing: kept[writes[index].bytes]))
    }
  }

  /// A committed transaction with the changes of this set alone. The set must have been applied.
  package var committedTransaction: CommittedTransaction {
    let transaction = CommittedTransaction()
    transaction.reserveCapacity(writes.count)
    append(to: transaction)
    return transaction
  }

  package func append(_ change: DictionaryChange) { keyChanges.append(change) }

  package func claim(_ key: RowKey, for rowid: Int64) { claims[key] = rowid }

  /// Claims the primary key of the last write, a new object, for its row. Does nothing if a column of the key is NULL.
  package func claimPrimaryKey(of object: FlatBufferTable, _ record: RecordDescription) {
    guard let hash = InsertedKeys.hash(of: object, record) else { return }
    insertedKeys.insert(hash, write: writes.count - 1)
  }

  package func giveUp(_ key: RowKey, of rowid: Int64) { formerKeys.append((key, rowid)) }

  /// Returns the encoded object of the write at `index`, valid until the set changes.
  package func bytes(at index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[writes[index].bytes])
  }

  /// Returns the state of a row after the set; nil if the set does not change the row.
  package func state(of record: RecordDescription, _ rowid: Int64) -> RowState? {
    // Objects are mostly changed in the order of their rows, so most rows that are asked for lie outside the bounds.
    guard rowid >= rowBounds.lowest, rowid <= rowBounds.highest else { return nil }
    // From the end: the latest write counts, and is the likeliest to be asked for. By index, since a write is large to
    // copy.
    var index = writes.count - 1
    while index >= 0 {
      if writes[index].rowid == rowid, writes[index].record === record { return writes[index].state }
      index -= 1
    }
    return nil
  }

  /// Returns the row that the set has given `key` to; nil if there is none.
  package func row(claiming key: RowKey) -> Int64? { claims.isEmpty ? nil : claims[key] }

  /// Returns the row of the latest new object whose primary key, claimed by `claimPrimaryKey(of:_:)`, is that of
  /// `object`; nil if there is none.
  package func row(claimingPrimaryKeyOf object: FlatBufferTable, _ record: RecordDescription) -> Int64? {
    guard !insertedKeys.isEmpty, let hash = InsertedKeys.hash(of: object, record) else { return nil }
    let index = insertedKeys.write(hash) { index in
      guard writes[index].record === record else { return false }
      let other = FlatBufferTable(ofEncoded: bytes(at: index))
      return record.primaryKeys.indices.allSatisfy { column in
        record.columns.value(at: column, in: object).isEqual(to: record.columns.value(at: column, in: other))
      }
    }
    return index.map { writes[$0].rowid }
  }

  /// Returns whether the set has taken `key` from the row.
  package func hasTaken(_ key: RowKey, from rowid: Int64) -> Bool {
    formerKeys.contains { $0.rowid == rowid && $0.key == key }
  }

  /// Empties the set, and keeps its memory for later submissions.
  package func removeAll() {
    writes.removeAll(keepingCapacity: true)
    if !formerKeys.isEmpty { formerKeys.removeAll(keepingCapacity: true) }
    if !keyChanges.isEmpty { keyChanges.removeAll(keepingCapacity: true) }
    if !claims.isEmpty { claims.removeAll(keepingCapacity: true) }
    insertedKeys.removeAll()
    byteCount = 0
    if !movedRows.isEmpty { movedRows = [:] }
    rowBounds = (.max, .min)
  }
}

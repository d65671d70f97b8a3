import Dflat
import DflatEngine
import FlatBuffersCore

/// Tells of primary keys that no row holds, without the connection of a transaction that has the writer. What the file held when
/// the transaction began, a reader shows, since nobody else can commit; and which keys the transaction has given to rows, is noted.
///
/// For the transaction's thread.
struct FreeKeys {
  private let database: Database
  /// The keys that sets have given to rows, by their hashes alone.
  private var given = InsertedKeys()
  private var givenCount = 0
  /// Whether nothing can be said: more keys have been given to rows than are noted, or there is no reader.
  private var isInconclusive = false
  /// Shows what was stored when the transaction began; nil until it is needed.
  private var reader: SQLiteConnection?
  /// Whether the table of a type was there then.
  private var tables: [ObjectIdentifier: Bool] = [:]

  /// So many hashes take 4 MiB.
  private static let limit = 1 << 18

  init(_ database: Database) {
    self.database = database
  }

  /// Notes the keys that a set gives to rows.
  mutating func note(_ set: WriteSet) {
    for index in set.writes.indices where set.writes[index].kind != .deleted && !set.writes[index].keepsKeys {
      guard !isInconclusive else { return }
      let record = set.writes[index].record
      guard let hash = FreeKeys.hash(of: FlatBufferTable(ofEncoded: set.bytes(at: index)), record) else { continue }
      given.insert(hash, write: 0)
      givenCount += 1
      if givenCount > FreeKeys.limit { end() }
    }
  }

  /// Whether no row is sure to hold the primary key of an encoded object; false is inconclusive.
  mutating func contains(primaryKeyOf object: FlatBufferTable, _ record: RecordDescription) -> Bool {
    guard !isInconclusive, let hash = FreeKeys.hash(of: object, record), given.write(hash, where: { _ in true }) == nil
    else { return false }
    do {
      // Lent as to a snapshot: the closure may keep it as long as it likes.
      if reader == nil { reader = try database.acquireReader(.snapshot, inTransaction: true) }
      guard let reader else { return false }
      let type = ObjectIdentifier(record)
      let hasTable = try tables[type] ?? reader.hasTable(record.table)
      tables[type] = hasTable
      return try !hasTable || reader.reader(for: record).row(holding: nil, of: object) == nil
    } catch {
      // The transaction asks its own connection, and tells of the error if that fails, too.
      end(hasFailed: true)
      return false
    }
  }

  /// Gives the reader back. It must not be open when the transaction is committed, or else it would keep the log from being reused.
  mutating func end(hasFailed: Bool = false) {
    if let reader { database.release(reader, .snapshot, hasFailed: hasFailed) }
    reader = nil
    given = InsertedKeys()
    isInconclusive = true
  }

  private static func hash(of object: FlatBufferTable, _ record: RecordDescription) -> UInt32? {
    // Objects of several types often have the same keys, such as numbers that begin with 1.
    let type = UInt32(truncatingIfNeeded: UInt(bitPattern: ObjectIdentifier(record)) >> 4) &* 0x9E37_79B1
    return InsertedKeys.hash(of: object, record).map { $0 ^ type }
  }
}

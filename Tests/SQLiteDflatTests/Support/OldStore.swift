import CSQLite
import Dflat
import EngineTestSupport
import FlatBuffersCore
import Foundation
import Testing

@testable import SQLiteDflat

/// Writes a file of things as Dflat 0.6 does, which updates rows, and no entries, while an index is half built.
///
/// Its statements are those of 0.6. `indexing` says whether it holds the indexes to be complete, which each of its connections
/// looks up once.
final class OldStore {
  private static let table = "test__thing_v1_1"
  private static let columns = [
    (key: "f8", type: "INTEGER"), (key: "f10", type: "REAL"), (key: "f12", type: "INTEGER"), (key: "f14", type: "TEXT"),
  ]
  private let path: String
  private var handle: OpaquePointer?
  /// The things in the file, by their rows.
  private(set) var things: [Int64: Thing] = [:]
  private var last: Int64 = 0

  /// - Parameter isIndexed: whether the schema has the indexes.
  init(_ path: String, isIndexed: Bool = true) throws {
    self.path = path
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw PlainSQL.Failure(message: "cannot open \(path)") }
    sqlite3_busy_timeout(handle, PlainSQL.busyTimeout)
    try run("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    try run(
      """
      CREATE TABLE IF NOT EXISTS \(OldStore.table) (rowid INTEGER PRIMARY KEY AUTOINCREMENT, __pk0 INTEGER, __pk1 TEXT, \
      p BLOB, UNIQUE(__pk0, __pk1))
      """)
    if isIndexed { try addIndexes() }
    for row in try StoredRows.read("SELECT rowid, p FROM \(OldStore.table)", in: path) {
      guard case .integer(let rowid) = row[0], case .blob(let bytes) = row[1] else { continue }
      things[rowid] = FlatBufferTable(rootOf: ByteBuffer(bytes)).map { Thing($0, _rowid: rowid, _commitVersion: 0) }
      last = max(last, rowid)
    }
  }

  deinit { sqlite3_close_v2(handle) }

  /// What a newer schema does first.
  func addIndexes() throws {
    for (key, type) in OldStore.columns {
      let entries = "\(OldStore.table)__\(key)"
      try run(
        """
        CREATE TABLE IF NOT EXISTS \(entries) (rowid INTEGER PRIMARY KEY, \(key) \(type));
        CREATE\(key == "f14" ? " UNIQUE" : "") INDEX IF NOT EXISTS index__\(entries) ON \(entries) (\(key))
        """)
    }
  }

  func insert(_ thing: Thing, indexing: Bool) throws {
    last += 1
    things[last] = thing
    try inTransaction {
      try run("INSERT INTO \(OldStore.table) (rowid, __pk0, __pk1, p) VALUES (\(last), \(try values(thing)))")
      if indexing { for position in OldStore.columns.indices { try writeEntry("INSERT", position, last, thing) } }
    }
  }

  func update(_ rowid: Int64, to thing: Thing, indexing: Bool) throws {
    guard let former = things[rowid] else { return }
    // A row that holds the primary key goes, and its entries stay.
    things = things.filter { ($0.value.id, $0.value.name) != (thing.id, thing.name) }
    things[rowid] = thing
    try inTransaction {
      try run("REPLACE INTO \(OldStore.table) (rowid, __pk0, __pk1, p) VALUES (\(rowid), \(try values(thing)))")
      guard indexing else { return }
      for (position, index) in StoredRows.things.indexes.enumerated() {
        // It compares strings as Swift does, by canonical equivalence.
        let isSame = index.key == "f14" ? former.note == thing.note : index.value(former) == index.value(thing)
        if !isSame { try writeEntry("REPLACE", position, rowid, thing) }
      }
    }
  }

  func delete(_ rowid: Int64) throws {
    things[rowid] = nil
    try inTransaction {
      try run("DELETE FROM \(OldStore.table) WHERE rowid = \(rowid)")
      for (key, _) in OldStore.columns { try run("DELETE FROM \(OldStore.table)__\(key) WHERE rowid = \(rowid)") }
    }
  }

  /// Makes a change as 0.6 does, in one transaction. In between, a workspace in the background might add an entry.
  private func inTransaction(_ change: () throws -> Void) throws {
    try run("BEGIN IMMEDIATE")
    do {
      try change()
    } catch {
      // A refused entry leaves the row without one.
      try run("COMMIT")
      throw error
    }
    try run("COMMIT")
  }

  /// Builds the indexes on behind their last entries.
  ///
  /// - Parameter limit: how many entries are added to each.
  func buildIndexes(limit: Int = .max) throws {
    for (position, (key, _)) in OldStore.columns.enumerated() {
      let entries = "\(OldStore.table)__\(key)"
      let highest = try PlainSQL.run("SELECT IFNULL(MAX(rowid), 0) FROM \(entries)", on: handle).first?.first
      guard let highest = highest.flatMap({ $0 }).flatMap({ Int64($0) }) else { continue }
      for rowid in things.keys.sorted().filter({ $0 > highest }).prefix(limit) {
        guard let thing = things[rowid] else { continue }
        // A value that another row has is passed over.
        do { try writeEntry("INSERT", position, rowid, thing) } catch is PlainSQL.Failure {}
      }
    }
  }

  private func writeEntry(_ statement: String, _ position: Int, _ rowid: Int64, _ thing: Thing) throws {
    let index = StoredRows.things.indexes[position]
    try run(
      """
      \(statement) INTO \(OldStore.table)__\(index.key) (rowid, \(index.key)) \
      VALUES (\(rowid), \(literal(index.value(thing))))
      """)
  }

  private func values(_ thing: Thing) throws -> String {
    var builder = FlatBufferBuilder()
    let root = thing.to(flatBufferBuilder: &builder)
    try builder.finish(root)
    let bytes = builder.withFinishedBytes { StoredValue.blob(Array($0)) }
    return (StoredRows.things.keys(thing) + [bytes]).map(literal).joined(separator: ", ")
  }

  private func literal(_ value: StoredValue) -> String {
    func hex(_ bytes: [UInt8]) -> String { "x'" + bytes.map { String(format: "%02X", $0) }.joined() + "'" }
    return switch value {
    case .null: "NULL"
    case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
    // Enough digits for any number; an infinite one is written as one that is too large.
    case .real(let value): value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : String(format: "%.17e", value)
    case .text(let bytes): "CAST(\(hex(bytes)) AS TEXT)"
    case .blob(let bytes): hex(bytes)
    }
  }

  private func run(_ sql: String) throws { _ = try PlainSQL.run(sql, on: handle) }
}

extension TestStore {
  /// How many wrong, missing and superfluous entries the indexes of things have.
  func wrongEntries() throws -> Int {
    var count = 0
    var things: [Int64: Thing] = [:]
    for row in try StoredRows.read("SELECT rowid, p FROM test__thing_v1_1", in: path) {
      guard case .integer(let rowid) = row[0], case .blob(let bytes) = row[1] else { continue }
      things[rowid] = FlatBufferTable(rootOf: ByteBuffer(bytes)).map { Thing($0, _rowid: rowid, _commitVersion: 0) }
    }
    for index in StoredRows.things.indexes {
      var missing = Set(things.keys)
      for row in try StoredRows.read("SELECT rowid, \(index.key) FROM test__thing_v1_1__\(index.key)", in: path) {
        guard case .integer(let rowid) = row[0] else { continue }
        missing.remove(rowid)
        if things[rowid].map(index.value) != row[1] { count += 1 }
      }
      count += missing.count
    }
    return count
  }

  /// The indexes that are marked as right, by the names of their tables.
  func markedIndexes() throws -> [String] {
    try sql("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name = 'verified__' || tbl_name ORDER BY 1")
      .joined().compactMap(\.self)
  }
}

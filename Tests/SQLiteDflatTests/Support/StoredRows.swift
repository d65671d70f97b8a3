import CSQLite
import Dflat
import EngineTestSupport
import FlatBuffersCore
import Golden_post
import Testing

/// A value as it stands in the file.
enum StoredValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  static func text(_ value: String) -> StoredValue { .text(Array(value.utf8)) }

  /// How an unsigned number is stored: one above `Int64.max` as its bytes, the most significant first.
  static func unsigned(_ value: UInt64) -> StoredValue {
    Int64(exactly: value).map { .integer($0) } ?? .blob(withUnsafeBytes(of: value.bigEndian) { Array($0) })
  }
}

/// The rows of a type and its index entries as they stand in the file, read without the store.
struct StoredRows {
  /// How the columns follow from the values of an object.
  struct Layout<Element>: Sendable {
    let table: String
    let decode: @Sendable (FlatBufferTable, Int64) -> Element
    let keys: @Sendable (Element) -> [StoredValue]
    let indexes: [(key: String, value: @Sendable (Element) -> StoredValue)]
  }

  static func read(_ sql: String, in path: String) throws -> [[StoredValue]] {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw PlainSQL.Failure(message: "cannot open \(path)") }
    sqlite3_busy_timeout(handle, PlainSQL.busyTimeout)
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw PlainSQL.Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
    defer { sqlite3_finalize(statement) }
    var rows: [[StoredValue]] = []
    while true {
      let status = sqlite3_step(statement)
      if status == SQLITE_DONE { return rows }
      guard status == SQLITE_ROW else { throw PlainSQL.Failure(message: String(cString: sqlite3_errmsg(handle))) }
      rows.append((0..<sqlite3_column_count(statement)).map { value(statement, $0) })
    }
  }

  private static func value(_ statement: OpaquePointer?, _ column: Int32) -> StoredValue {
    func bytes(_ start: UnsafeRawPointer?) -> [UInt8] {
      Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }
    return switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: .text(bytes(sqlite3_column_text(statement, column)))
    case SQLITE_BLOB: .blob(bytes(sqlite3_column_blob(statement, column)))
    default: .null
    }
  }

  /// Checks that the file holds `expected` and nothing else: that the bytes are theirs, the key columns and the index
  /// entries those of the bytes, and that SQLite finds the file sound.
  static func expect<Element: Equatable>(
    _ expected: [Int64: Element], _ layout: Layout<Element>, in path: String, _ comment: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var found: [Int64: Element] = [:]
    var entries: [[Int64: StoredValue]] = layout.indexes.map { _ in [:] }
    for row in try read("SELECT rowid, p, * FROM \(layout.table)", in: path) {
      guard case .integer(let rowid) = row[0], case .blob(let bytes) = row[1],
        let root = FlatBufferTable(rootOf: ByteBuffer(bytes))
      else {
        Issue.record("\(row) is no row, \(comment)", sourceLocation: sourceLocation)
        continue
      }
      let object = layout.decode(root, rowid)
      found[rowid] = object
      // The columns are the row's number, the key, and the bytes.
      #expect(Array(row[3..<row.count - 1]) == layout.keys(object), comment, sourceLocation: sourceLocation)
      for (index, description) in layout.indexes.enumerated() { entries[index][rowid] = description.value(object) }
    }
    #expect(found == expected, comment, sourceLocation: sourceLocation)
    for (index, description) in layout.indexes.enumerated() {
      let rows = try read("SELECT rowid, \(description.key) FROM \(layout.table)__\(description.key)", in: path)
      let stored = rows.map { row -> (Int64, StoredValue) in
        guard case .integer(let rowid) = row[0] else { return (.min, row[1]) }
        return (rowid, row[1])
      }
      #expect(
        Dictionary(stored) { first, _ in first } == entries[index] && stored.count == entries[index].count,
        "\(description.key), \(comment)", sourceLocation: sourceLocation)
    }
    #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]], comment, sourceLocation: sourceLocation)
  }

  static let things = Layout<Thing>(
    table: "test__thing_v1_1", decode: { Thing($0, _rowid: $1, _commitVersion: 0) },
    keys: { [.integer($0.id), .text($0.name)] },
    indexes: [
      ("f8", { .unsigned($0.big) }), ("f10", { $0.ratio.isNaN ? .null : .real($0.ratio) }),
      ("f12", { .integer($0.flag ? 1 : 0) }), ("f14", { $0.note.map { .text($0) } ?? .null }),
    ])

  static let posts = Layout<Post>(
    table: "post", decode: { Post($0, _rowid: $1, _commitVersion: 0) }, keys: { [.text($0.title)] },
    indexes: [("f10", { .integer(Int64($0.priority)) })])
}

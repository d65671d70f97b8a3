import Foundation
import GRDB

/// How a date stands in a table of GRDB.
protocol GRDBDateForm {
  static var columnType: Database.ColumnType { get }
  static func value(_ date: Date) -> DatabaseValue
  static func date(in row: Row, at index: Int) -> Date
}

/// As a text of 23 characters, which is GRDB's default.
enum GRDBDateText: GRDBDateForm {
  static var columnType: Database.ColumnType { .datetime }
  static func value(_ date: Date) -> DatabaseValue { date.databaseValue }
  static func date(in row: Row, at index: Int) -> Date { row[index] }
}

/// As the seconds since 1970.
enum GRDBDateNumber: GRDBDateForm {
  static var columnType: Database.ColumnType { .double }
  static func value(_ date: Date) -> DatabaseValue { date.timeIntervalSince1970.databaseValue }
  static func date(in row: Row, at index: Int) -> Date { Date(timeIntervalSince1970: row[index]) }
}

/// A visit as an app keeps it with GRDB, in one of two forms of its date.
struct GRDBVisit<Form: GRDBDateForm>: FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var place: String
  var tag: String?
  var priority: Int32
  var at: Date

  static var databaseTableName: String { "visit" }
  static var databaseSelection: [any SQLSelectable] {
    ["id", "place", "tag", "priority", "at"].map { Column($0) }
  }

  init(_ visit: Visit) {
    place = visit.place
    tag = visit.tag
    priority = visit.priority
    at = visit.at
  }

  init(row: Row) {
    id = row[0]
    place = row[1]
    tag = row[2]
    priority = row[3]
    at = Form.date(in: row, at: 4)
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["place"] = place
    container["tag"] = tag
    container["priority"] = priority
    container["at"] = Form.value(at)
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  /// Makes a file of visits with an index over their dates.
  static func store(_ visits: [Visit], at path: String) throws -> DatabasePool {
    let pool = try DatabasePool.benchmarked(path: path)
    try pool.write { database in
      try database.create(table: databaseTableName) { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("place", .text).notNull().unique()
        table.column("tag", .text)
        table.column("priority", .integer)
        table.column("at", Form.columnType).notNull().indexed()
      }
      for visit in visits {
        var record = Self(visit)
        try record.insert(database)
      }
    }
    return pool
  }

  /// Fetches the visits of a range of dates, in the order of the dates.
  static func fetch(_ dates: Range<Date>, from pool: DatabasePool) throws -> [Self] {
    let at = Column("at")
    let first = Form.value(dates.lowerBound)
    let end = Form.value(dates.upperBound)
    return try pool.read { try Self.filter(at >= first && at < end).order(at).fetchAll($0) }
  }
}

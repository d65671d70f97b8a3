import GRDB

/// A post as an app keeps it with GRDB: a column for each field, written and read by the kind of code that GRDB's
/// documentation recommends where speed counts, by hand and by the number of the column.
struct GRDBPost: FetchableRecord, MutablePersistableRecord, Equatable {
  var id: Int64?
  var title: String
  var color: Int8
  var tag: String?
  var priority: Int32
  var text: String?

  static let databaseTableName = "post"
  static var databaseSelection: [any SQLSelectable] {
    ["id", "title", "color", "tag", "priority", "text"].map { Column($0) }
  }

  init(_ post: Post) {
    title = post.title
    color = post.color.rawValue
    tag = post.tag
    priority = post.priority
    if case .textContent(let content) = post.content { text = content.text }
  }

  init(row: Row) {
    id = row[0]
    title = row[1]
    color = row[2]
    tag = row[3]
    priority = row[4]
    text = row[5]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["title"] = title
    container["color"] = color
    container["tag"] = tag
    container["priority"] = priority
    container["text"] = text
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func createTable(in database: Database) throws {
    try database.create(table: databaseTableName) { table in
      table.autoIncrementedPrimaryKey("id")
      table.column("title", .text).notNull().unique()
      table.column("color", .integer)
      table.column("tag", .text)
      table.column("priority", .integer).indexed()
      table.column("text", .text)
    }
  }
}

/// A document, in the same way; without an index but that of its key.
struct GRDBDoc: FetchableRecord, MutablePersistableRecord, Equatable {
  var id: Int64?
  var x: Float
  var y: Float
  var z: Float
  var color: Int8
  var title: String
  var text: String?
  var tag: String?
  var priority: Int32

  static let databaseTableName = "doc"
  static var databaseSelection: [any SQLSelectable] {
    ["id", "x", "y", "z", "color", "title", "text", "tag", "priority"].map { Column($0) }
  }

  init(_ document: BenchDoc) {
    x = document.pos?.x ?? 0
    y = document.pos?.y ?? 0
    z = document.pos?.z ?? 0
    color = document.color.rawValue
    title = document.title
    tag = document.tag
    priority = document.priority
    if case .benchText(let content) = document.content { text = content.text }
  }

  init(row: Row) {
    id = row[0]
    x = row[1]
    y = row[2]
    z = row[3]
    color = row[4]
    title = row[5]
    text = row[6]
    tag = row[7]
    priority = row[8]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["x"] = x
    container["y"] = y
    container["z"] = z
    container["color"] = color
    container["title"] = title
    container["text"] = text
    container["tag"] = tag
    container["priority"] = priority
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func createTable(in database: Database) throws {
    try database.create(table: databaseTableName) { table in
      table.autoIncrementedPrimaryKey("id")
      for column in ["x", "y", "z"] { table.column(column, .real) }
      table.column("color", .integer)
      table.column("title", .text).notNull().unique()
      table.column("text", .text)
      table.column("tag", .text)
      table.column("priority", .integer)
    }
  }
}

/// One of the types that several threads write.
protocol GRDBLineTag {
  static var table: String { get }
}

enum GRDBLineTagA: GRDBLineTag { static let table = "lineA" }
enum GRDBLineTagB: GRDBLineTag { static let table = "lineB" }
enum GRDBLineTagC: GRDBLineTag { static let table = "lineC" }
enum GRDBLineTagD: GRDBLineTag { static let table = "lineD" }

struct GRDBLine<Tag: GRDBLineTag>: FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var title: String
  var tag: String?
  var priority: Int32

  static var databaseTableName: String { Tag.table }
  static var databaseSelection: [any SQLSelectable] { ["id", "title", "tag", "priority"].map { Column($0) } }

  init(_ number: Int) {
    title = "line number \(number)"
    tag = "tag \(number % 100)"
    priority = Int32(number)
  }

  init(row: Row) {
    id = row[0]
    title = row[1]
    tag = row[2]
    priority = row[3]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["title"] = title
    container["tag"] = tag
    container["priority"] = priority
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func createTable(in database: Database) throws {
    try database.create(table: databaseTableName) { table in
      table.autoIncrementedPrimaryKey("id")
      table.column("title", .text).notNull().unique()
      table.column("tag", .text)
      table.column("priority", .integer)
    }
  }
}

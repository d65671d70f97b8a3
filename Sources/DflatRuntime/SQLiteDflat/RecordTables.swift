import Dflat

/// The tables of one type: their names, and how they are made.
struct RecordTables {
  let record: RecordDescription

  var main: String { record.table }

  func indexTable(_ index: Int) -> String { "\(record.table)__\(record.indexes[index].key)" }

  func index(_ index: Int) -> String { "index__\(indexTable(index))" }

  /// Makes the tables that are missing. In a write transaction.
  func create(on connection: SQLiteConnection) throws {
    let keys = record.primaryKeys.indices.map { "__pk\($0)" }
    let columns = zip(keys, record.primaryKeys).map { "\($0) \($1.storage.columnType)" }
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS \(main.quoted) (rowid INTEGER PRIMARY KEY AUTOINCREMENT, \
      \(columns.joined(separator: ", ")), p BLOB, UNIQUE(\(keys.joined(separator: ", "))))
      """, for: "Creating a table")
    for index in record.indexes.indices {
      try createIndex(index, on: connection)
    }
  }

  private func createIndex(_ position: Int, on connection: SQLiteConnection) throws {
    let index = record.indexes[position]
    let table = indexTable(position)
    // An index that has become unique in the schema, or is unique no longer, is filled anew.
    let unique = try connection.run(
      """
      SELECT "unique" FROM pragma_index_list('\(table.doubling("'"))') \
      WHERE name = '\(self.index(position).doubling("'"))'
      """, for: "Looking at an index")
    if let unique, (unique == "1") != index.isUnique {
      try connection.run("DROP TABLE \(table.quoted)", for: "Dropping an index")
    }
    let key = index.key.quoted
    try connection.run(
      "CREATE TABLE IF NOT EXISTS \(table.quoted) (rowid INTEGER PRIMARY KEY, \(key) \(index.field.storage.columnType))",
      for: "Creating an index")
    try connection.run(
      """
      CREATE \(index.isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(self.index(position).quoted) \
      ON \(table.quoted) (\(key))
      """, for: "Creating an index")
  }
}

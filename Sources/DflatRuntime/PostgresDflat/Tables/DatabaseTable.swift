import Dflat
import FlatBuffersCore
import PostgresLayout

/// The table of a type: its columns, its indexes, and the statements that use it. The statements that make it are in
/// `PostgresTable`.
///
/// All of its SQL qualifies the names of tables, functions and sequences by the schema, since a session may have any
/// `search_path`: see `WorkspaceSchema`.
final class DatabaseTable: Sendable {
  let record: RecordDescription
  let layout: PostgresTable
  /// The schema of the database that has the table, as the catalog names it.
  let schema: String
  /// The table's name as the catalog has it. `table` is the name quoted for SQL, and qualified by the schema.
  let name: String
  let table: String
  let keyTypes: [ColumnType]
  let keyColumns: [Column]
  let indexes: [Index]
  /// The purposes of statements that use the table, in words, for errors.
  let fetching, storing, changing, deleting: String

  /// An index on the value, or the array of values, that an SQL function reads from a row.
  struct Index: Sendable {
    let layout: PostgresTable.Index
    /// The indexed value of the row `m`. For an index over elements, the SQL is for the array of elements, and the type
    /// is the elements' type.
    let column: Column

    var name: String { layout.name }
    var isUnique: Bool { layout.isUnique }
  }

  /// A value of each row that SQL can compute.
  struct Column: Sendable {
    /// The SQL expression of the value, for a row `m`.
    let sql: String
    let type: ColumnType
  }

  // MARK: Statements

  /// Inserts a row. Takes the row number, the columns of the primary key, and the bytes.
  let insert: String
  /// Inserts a row. Takes the row number, the columns of the primary key, and the bytes. Returns the row number, or no
  /// row if a key or the number is taken.
  let insertUnlessTaken: String
  /// Updates the bytes of a row. Takes the row number and the bytes.
  let update: String
  /// Updates the bytes and the key of a row. Takes the row number, the columns of the primary key, and the bytes.
  let updateWithKeys: String
  /// Deletes a row. Takes the row number.
  let delete: String
  /// Inserts rows. Takes arrays: of row numbers, of each column of the primary key, and of bytes.
  let insertAll: String
  /// Updates the bytes of rows. Takes arrays of row numbers, and of bytes.
  let updateAll: String
  /// Deletes rows. Takes an array of row numbers.
  let deleteAll: String
  /// Selects a row. Takes the row number, and returns the bytes.
  let selectByRow: String
  /// Takes the columns of a primary key that is stored as it is, and returns the row number and the bytes.
  private let lookUpOfShortKey: String
  /// Takes the columns of any primary key, and returns the row number and the bytes.
  private let lookUpOfLongKey: String
  /// Takes a count, and returns that many new row numbers as ranges: other processes may take some at the same time.
  let takeNumbers: String
  /// Returns how far the sequence of row numbers is behind the last row, and that row's number; no row if it is not
  /// behind.
  let sequenceGap: String
  /// Takes a count, and skips that many row numbers.
  let skipNumbers: String
  /// Takes the number of the last row, and sets the sequence to continue after it.
  let setSequence: String

  /// Creates the description of a type's table in a schema of the database.
  init(_ record: RecordDescription, in schema: String) {
    self.record = record
    self.schema = schema
    layout = PostgresTable(record)
    name = layout.name
    let table = PostgresName.qualified(layout.name, in: schema)
    self.table = table
    keyTypes = layout.keyTypes
    keyColumns = keyTypes.enumerated().map { Column(sql: "m.__pk\($0)", type: $1) }
    fetching = "Fetching \(record.table)"
    storing = "Storing an object of \(record.table)"
    changing = "Changing an object of \(record.table)"
    deleting = "Deleting an object of \(record.table)"
    indexes = layout.indexes.map { index in
      Index(
        layout: index,
        column: Column(
          sql: "\(PostgresName.qualified(index.function.name, in: schema))(m.p)", type: index.function.type))
    }
    let columns = keyTypes.indices.map { "__pk\($0)" }
    let values = DatabaseTable.keyValues(keyTypes, from: 2)
    let last = "$\(columns.count + 2)"
    let insertRow =
      "INSERT INTO \(table) (rowid, \(columns.joined(separator: ", ")), p) "
      + "VALUES ($1, \(values.joined(separator: ", ")), \(last))"
    insert = DatabaseTable.checked(insertRow)
    insertUnlessTaken = insertRow + " ON CONFLICT DO NOTHING RETURNING rowid"
    update = DatabaseTable.checked("UPDATE \(table) SET p = $2 WHERE rowid = $1")
    let assignments = zip(columns, values).map { "\($0) = \($1)" }
    updateWithKeys = DatabaseTable.checked(
      "UPDATE \(table) SET \(assignments.joined(separator: ", ")), p = \(last) WHERE rowid = $1")
    delete = DatabaseTable.checked("DELETE FROM \(table) WHERE rowid = $1")
    let keyArrays = keyTypes.enumerated().map { "$\($0 + 2)::\($1 == .numeric ? "text" : $1.sql)[]" }
    let keyNames = columns.map { "v.\($0)" }
    let keys = zip(keyNames, keyTypes).map { name, type in
      switch type {
      case .bytes: KeyForm.sql(name)
      case .numeric: "\(name)::numeric"
      case .integer, .real: name
      }
    }
    insertAll = DatabaseTable.checked(
      """
      INSERT INTO \(table) (rowid, \(columns.joined(separator: ", ")), p) \
      SELECT v.rowid, \(keys.joined(separator: ", ")), v.p \
      FROM unnest($1::bigint[], \(keyArrays.joined(separator: ", ")), \(last)::bytea[]) \
      AS v(rowid, \(columns.joined(separator: ", ")), p)
      """, rowCount: "cardinality($1::bigint[])")
    // The planner does not know the length of what a subquery returns. So it looks each row up, and never reads the
    // whole table, which would conflict with every other transaction that writes to it.
    updateAll = DatabaseTable.checked(
      """
      UPDATE \(table) AS t SET p = v.p FROM unnest((SELECT $1::bigint[]), (SELECT $2::bytea[])) AS v(rowid, p) \
      WHERE t.rowid = v.rowid
      """, rowCount: "cardinality($1::bigint[])")
    deleteAll = DatabaseTable.checked(
      "DELETE FROM \(table) WHERE rowid = ANY((SELECT $1::bigint[])::bigint[])", rowCount: "cardinality($1::bigint[])")
    selectByRow = "SELECT m.p FROM \(table) m WHERE m.rowid = $1"
    func lookUp(_ values: [String]) -> String {
      let conditions = zip(columns, values).map { "m.\($0) = \($1)" }
      return "SELECT m.rowid, m.p FROM \(table) m WHERE \(conditions.joined(separator: " AND "))"
    }
    lookUpOfShortKey = lookUp(keyTypes.enumerated().map { "$\($0 + 1)::\($1.sql)" })
    lookUpOfLongKey = lookUp(DatabaseTable.keyValues(keyTypes, from: 1))
    // A subquery, so that the sequence's name is looked up once. Without a sequence, each number is NULL.
    let sequence = "(SELECT pg_get_serial_sequence(\(PostgresName.literal(table)), 'rowid')::regclass)"
    takeNumbers = """
      SELECT min(n), max(n) FROM (
        SELECT n, n - row_number() OVER (ORDER BY n) AS range FROM (
          SELECT nextval(\(sequence)) AS n FROM generate_series(1, $1::bigint)
        ) AS taken
      ) AS numbered GROUP BY range HAVING min(n) IS NOT NULL
      """
    sequenceGap = """
      SELECT last - number, last FROM (
        SELECT (SELECT max(rowid) FROM \(table)) AS last, coalesce(pg_sequence_last_value(\(sequence)), 0) AS number
      ) AS numbers WHERE last > number
      """
    skipNumbers = "SELECT count(nextval(\(sequence))) FROM generate_series(1, $1::bigint)"
    setSequence = "SELECT setval(\(sequence), $1)"
  }

  /// Returns a statement that makes a change, and divides by zero if the change affects another number of rows. So the
  /// server itself undoes the transaction; the client would see the number too late, with COMMIT already sent.
  ///
  /// - Parameters:
  ///   - change: INSERT, UPDATE or DELETE.
  ///   - rowCount: the number of rows that have to change, as an SQL expression.
  static func checked(_ change: String, rowCount: String = "1") -> String {
    "WITH changed AS (\(change) RETURNING 1) SELECT 1 / (count(*) = \(rowCount))::int FROM changed"
  }

  /// Returns the statement that finds a row by its primary key. It returns the row number and the bytes.
  ///
  /// - Parameter key: the columns of a primary key.
  func lookUp(_ key: PostgresParameters) -> String {
    // The simpler statement spares the server from preparing to compute the form of a long key.
    key.byteCount <= KeyForm.limit ? lookUpOfShortKey : lookUpOfLongKey
  }

  /// Returns the SQL values of the columns of a primary key, with their parameters from `$first` on.
  static func keyValues(_ types: [ColumnType], from first: Int) -> [String] {
    types.enumerated().map { index, type in
      let parameter = "$\(first + index)::\(type.sql)"
      return type == .bytes ? KeyForm.sql(parameter) : parameter
    }
  }
}

extension RecordDescription {
  /// The name of the type's table as the catalog of the database has it.
  var tableName: String { PostgresName.shortened(table) }
}

extension PostgresTable {
  /// The table of the objects that a record describes.
  init(_ record: RecordDescription) {
    self.init(
      record.table, keyTypes: record.primaryKeys.map { ColumnType(StoredField.Storage($0.storage)) },
      indexes: record.indexes.map { StoredIndex($0) })
  }
}

extension PostgresParameters {
  /// Appends a value as a column's type.
  ///
  /// - Returns: false if the type cannot represent the value; then NULL was appended.
  @discardableResult
  mutating func append(_ value: RowValue, as type: ColumnType) -> Bool {
    switch (value, type) {
    case (.integer(let value), .integer): append(value)
    case (.integer(let value), .numeric): append(numeric: "\(value)")
    case (.unsigned(let value), .numeric): append(numeric: "\(value)")
    case (.integer(let value), .real) where Int64(exactly: Double(value)) == value: append(Double(value))
    case (.real(let value), .real): append(value)
    case (.text(let value), .bytes), (.bytes(let value), .bytes): append(bytes: value)
    case (.null, _):
      appendNull(type.parameterType)
    default:
      appendNull(type.parameterType)
      return false
    }
    return true
  }

  /// Appends the primary key of an encoded object.
  mutating func append(keyOf object: FlatBufferTable, _ layout: DatabaseTable) {
    for (column, type) in layout.keyTypes.enumerated() {
      append(layout.record.columns.value(at: column, in: object), as: type)
    }
  }
}

extension ColumnType {
  fileprivate var parameterType: PostgresParameters.PostgresType {
    switch self {
    case .integer: .int8
    case .numeric: .numeric
    case .real: .float8
    case .bytes: .bytea
    }
  }

  /// The type of the elements of an array of the column's values.
  var elementType: PostgresParameters.PostgresType { self == .numeric ? .text : parameterType }
}

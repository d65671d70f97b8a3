/// The statements that copy many rows of a type at once, and compare them.
struct CopyStatements {
  let layout: DatabaseTable

  private var columns: [String] { layout.keyTypes.indices.map { "__pk\($0)" } }

  /// Returns a statement that stores `count` rows. Its parameters are, for each row, the row number, the columns of the
  /// primary key, and the bytes. A row whose key exists gets the bytes, unless it has them. The statement returns for
  /// each row that it writes whether the row is new.
  func store(_ count: Int) -> String {
    let width = columns.count + 2
    let rows = (0..<count).map { row in
      let first = row * width + 1
      let key = DatabaseTable.keyValues(layout.keyTypes, from: first + 1).joined(separator: ", ")
      return "($\(first), \(key), $\(first + width - 1))"
    }
    let keys = columns.joined(separator: ", ")
    return """
      INSERT INTO \(layout.table) AS m (rowid, \(keys), p) VALUES \(rows.joined(separator: ", ")) \
      ON CONFLICT (\(keys)) DO UPDATE SET p = excluded.p WHERE m.p <> excluded.p RETURNING (m.xmax = 0)
      """
  }

  /// Returns a statement that counts how many of `count` rows the table has. Its parameters are, for each row, the
  /// columns of the primary key, and the bytes.
  func countSame(_ count: Int) -> String {
    let width = columns.count + 1
    let rows = (0..<count).map { row in
      let first = row * width + 1
      let key = DatabaseTable.keyValues(layout.keyTypes, from: first).joined(separator: ", ")
      return "(\(key), $\(first + width - 1)::bytea)"
    }
    let conditions = columns.map { "m.\($0) = s.\($0)" }.joined(separator: " AND ")
    // A subquery for each row, which finds it by its key however large the server takes the table to be.
    return """
      SELECT sum((SELECT count(*) FROM \(layout.table) m WHERE \(conditions) AND m.p = s.p))::bigint \
      FROM (VALUES \(rows.joined(separator: ", "))) AS s (\(columns.joined(separator: ", ")), p)
      """
  }

  var countAll: String { "SELECT count(*) FROM \(layout.table)" }
}

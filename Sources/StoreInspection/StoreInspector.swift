import FBSParser
import FBSSchema
import FlatBuffersJSON

/// Reads the file of a store by a schema. Nothing is written, and other processes may write meanwhile.
public final class StoreInspector: StoreReader {
  /// What to know about the file besides what it holds.
  public var notes: [String] { database.notes }
  /// Whether the end of the file is missing. What is left of it is read.
  public var isCutOff: Bool { database.cut != nil }

  package let contents: StoredTypes
  let database: ReadOnlyDatabase

  /// Opens a file.
  /// - Throws: `InspectionError` if it is no store, or cannot be read.
  public init(_ path: String, _ schema: Schema) throws(InspectionError) {
    contents = StoredTypes(schema)
    database = try ReadOnlyDatabase(path)
  }

  func tableNames() throws(InspectionError) -> [String] {
    let statement = try database.statement(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  // MARK: Objects

  /// A row that was read.
  public enum Row {
    /// An object, with the number of its row.
    case object(VerifiedObject, Int64)
    /// A row whose bytes are no object of the type.
    case damaged(BufferFault, Int64)
  }

  /// Gives `body` the objects that satisfy a filter, and all damaged rows, until it returns false. Without an order they come in
  /// that of their rows, and take no memory; with one, their keys are kept, and those of the first `limit` objects alone.
  public func forEach(
    _ type: StoredType, where filter: Filter?, order: (path: FieldPath, isDescending: Bool)?, limit: Int?,
    _ body: (Row) throws(InspectionError) -> Bool
  ) throws(InspectionError) {
    try database.withSnapshot { () throws(InspectionError) in
      guard try tableNames().contains(type.sqlName) else { return }
      guard let order else { return try scan(type, filter, limit, body) }
      var first = FirstRows<Void>(isDescending: order.isDescending, limit: limit)
      try scan(type, filter, nil) { (row) throws(InspectionError) in
        guard case .object(let object, let number) = row else { return try body(row) }
        first.add((), number, key: object.value(at: order.path))
        return true
      }
      let statement = try database.statement(
        "SELECT p FROM \(ReadOnlyDatabase.quoted(type.sqlName)) WHERE rowid = ?")
      for entry in first.sorted() {
        statement.bind(entry.row, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { continue }
        guard try body(contents.read(statement.bytes(0), type, entry.row)) else { return }
      }
    }
  }

  private func scan(
    _ type: StoredType, _ filter: Filter?, _ limit: Int?, _ body: (Row) throws(InspectionError) -> Bool
  ) throws(InspectionError) {
    if limit == 0 { return }
    try database.requireColumns(type.columns, of: type.sqlName)
    let statement = try database.statement(
      "SELECT rowid, p FROM \(ReadOnlyDatabase.quoted(type.sqlName)) ORDER BY rowid")
    var count = 0
    while try statement.step() {
      let row = contents.read(statement.bytes(1), type, statement.integer(0))
      if case .object(let object, _) = row {
        if let filter, filter.evaluate(object) != true { continue }
        count += 1
      }
      guard try body(row) else { return }
      if let limit, count >= limit { return }
    }
  }
}

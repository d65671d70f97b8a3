import FBSParser
import FBSSchema
import FlatBuffersJSON

/// Reads the file of a store by a schema. It writes nothing, and other processes may write meanwhile.
public final class StoreInspector: StoreReader {
  /// Remarks about the file, besides its content.
  public var notes: [String] { database.notes }
  /// Whether the end of the file is missing. The rest is read.
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

  /// Calls `body` with the objects that satisfy a filter, and with all damaged rows, until it returns false. Without an
  /// order, objects come in the order of their rows, and take no memory. With one, the keys of all are kept in memory, or
  /// with a limit those of twice as many. If a part of the table is damaged, `body` gets the objects before it.
  public func forEach(
    _ type: StoredType, where filter: Filter?, order: (path: FieldPath, isDescending: Bool)?, limit: Int?,
    _ body: (Row) throws(InspectionError) -> Bool
  ) throws(InspectionError) {
    try database.withSnapshot { () throws(InspectionError) in
      guard try tableNames().contains(type.sqlName) else { return }
      guard let order else { return try scan(type, filter, limit, body) }
      // The rest needs the columns even after an error in the scan, which then would not explain that one is missing.
      try database.requireColumns(type.columns, of: type.sqlName)
      var first = FirstRows<Void>(isDescending: order.isDescending, limit: limit)
      var damage: InspectionError?
      do throws(InspectionError) {
        try scan(type, filter, nil) { (row) throws(InspectionError) in
          guard case .object(let object, let number) = row else { return try body(row) }
          first.add((), number, key: object.value(at: order.path))
          return true
        }
      } catch {
        guard error.isDamage else { throw error }
        damage = error
      }
      let statement = try database.statement(
        "SELECT p FROM \(ReadOnlyDatabase.quoted(type.sqlName)) WHERE rowid = ?")
      for entry in first.sorted() {
        statement.bind(entry.row, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { continue }
        guard try body(contents.read(statement.bytes(0), type, entry.row)) else { break }
      }
      if let damage { throw damage }
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

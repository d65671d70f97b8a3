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

  /// Calls `body` with the objects that satisfy a filter, and with each damaged row that is read on the way, until it
  /// returns false.
  ///
  /// Without an order, rows come by their numbers, and take no memory. With an order, all damaged rows come first, then
  /// the objects. The keys of all objects are kept in memory, or with a limit those of twice as many.
  /// - Parameters:
  ///   - type: The type of the objects. If the file has no table of it, `body` is not called.
  ///   - filter: The condition that the objects satisfy; nil for all objects.
  ///   - order: The field to sort the objects by; nil for the order of their rows.
  ///   - limit: The most objects that `body` gets, besides damaged rows; nil for all. With 0, nothing is read.
  ///   - body: Gets an object or a damaged row, and returns whether to go on.
  /// - Throws: The error of `body`, or an `InspectionError` if the table cannot be read to its end. Before that,
  ///   `body` gets the objects that come before the damage.
  public func forEach(
    _ type: StoredType, where filter: Filter?, order: (path: FieldPath, isDescending: Bool)?, limit: Int?,
    _ body: (Row) throws(InspectionError) -> Bool
  ) throws(InspectionError) {
    try database.withSnapshot { () throws(InspectionError) in
      guard limit != 0, try tableNames().contains(type.sqlName) else { return }
      guard let order else { return try scan(type, filter, limit, body) }
      // The rest needs the columns even after an error in the scan, which then would not explain that one is missing.
      try database.requireColumns(type.columns, of: type.sqlName)
      var first = FirstRows<Void>(isDescending: order.isDescending, limit: limit)
      var damage: InspectionError?
      var isWanted = true
      do throws(InspectionError) {
        try scan(type, filter, nil) { (row) throws(InspectionError) in
          guard case .object(let object, let number) = row else {
            isWanted = try body(row)
            return isWanted
          }
          first.add((), number, key: object.value(at: order.path))
          return true
        }
      } catch {
        guard error.isDamage else { throw error }
        damage = error
      }
      guard isWanted else { return }
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

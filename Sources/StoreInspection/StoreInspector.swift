import FBSParser
import FBSSchema
import FlatBuffersJSON

/// Reads the file of a store by a schema. Nothing is written, and other processes may write meanwhile.
public final class StoreInspector {
  /// The types of the schema that a store has.
  public let types: [StoredType]
  /// The entries of the dictionary, as objects of a type of their own.
  public let dictionary: StoredType
  /// What to know about the file besides what it holds.
  public var notes: [String] { database.notes }
  /// Whether the end of the file is missing. What is left of it is read.
  public var isCutOff: Bool { database.cut != nil }

  let database: ReadOnlyDatabase
  let converter: FlatBufferJSON
  let dictionaryConverter: FlatBufferJSON

  /// Opens a file.
  /// - Throws: `InspectionError` if it is no store, or cannot be read.
  public init(_ path: String, _ schema: Schema) throws(InspectionError) {
    converter = FlatBufferJSON(schema)
    types = StoredType.all(in: converter.layouts)
    dictionaryConverter = FlatBufferJSON(DictionarySchema.schema)
    dictionary = StoredType(TableID(0), dictionaryConverter.layouts)
    database = try ReadOnlyDatabase(path)
  }

  /// The layouts by which the objects of a type are read.
  public func layouts(of type: StoredType) -> SchemaLayouts { converter(of: type).layouts }

  func converter(of type: StoredType) -> FlatBufferJSON {
    type.sqlName == dictionary.sqlName ? dictionaryConverter : converter
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
      var first: [(key: FieldValue, row: Int64)] = []
      try scan(type, filter, nil) { (row) throws(InspectionError) in
        guard case .object(let object, let number) = row else { return try body(row) }
        let key = object.value(at: order.path)
        // Rows with one key stay in their order.
        func precedes(_ other: FieldValue) -> Bool {
          let result = FieldValue.order(key, other)
          return order.isDescending ? result > 0 : result < 0
        }
        if let limit {
          if first.count >= limit, let last = first.last, !precedes(last.key) { return true }
          var (low, high) = (0, first.count)
          while low < high {
            let middle = (low + high) / 2
            if precedes(first[middle].key) { high = middle } else { low = middle + 1 }
          }
          first.insert((key, number), at: low)
          if first.count > limit { first.removeLast() }
        } else {
          first.append((key, number))
        }
        return true
      }
      if limit == nil {
        first.sort { a, b in
          let result = FieldValue.order(a.key, b.key)
          if result == 0 { return a.row < b.row }
          return order.isDescending ? result > 0 : result < 0
        }
      }
      let statement = try database.statement(
        "SELECT p FROM \(ReadOnlyDatabase.quoted(type.sqlName)) WHERE rowid = ?")
      for entry in first {
        statement.bind(entry.row, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { continue }
        guard try body(read(statement.bytes(0), type, entry.row)) else { return }
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
      let row = read(statement.bytes(1), type, statement.integer(0))
      if case .object(let object, _) = row {
        if let filter, filter.evaluate(object) != true { continue }
        count += 1
      }
      guard try body(row) else { return }
      if let limit, count >= limit { return }
    }
  }

  func read(_ bytes: [UInt8], _ type: StoredType, _ number: Int64) -> Row {
    do throws(BufferFault) {
      return .object(try converter(of: type).object(bytes, as: type.table), number)
    } catch {
      return .damaged(error, number)
    }
  }
}

/// The schema of the dictionary's entries, which is the same in every store.
private enum DictionarySchema {
  static let schema = SchemaCompiler.compile(inputs: ["dictionary.fbs"], provider: Provider()).schema

  private struct Provider: SourceProvider {
    func read(_ path: String) throws(SourceReadError) -> [UInt8] {
      Array(
        """
        enum ValueType: byte { BoolValue, LongValue, UnsignedLongValue, FloatValue, DoubleValue, StringValue, CodableValue,
          FlatBuffersValue }
        table DictItem (v: "_dflat_internal__") {
          key: string (primary);
          namespace: string (primary);
          version: string;
          value_type: ValueType;
          bool_value: bool;
          long_value: long;
          unsigned_long_value: ulong;
          float_value: float;
          double_value: double;
          string_value: string;
          codable: [ubyte];
        }
        root_type DictItem;
        """.utf8)
    }
  }
}

/// An index over one field of a stored object.
public struct RecordIndex: Sendable {
  package let field: RecordField
  package let isUnique: Bool
  /// The field's name on disk.
  package let key: String

  /// - Parameters:
  ///   - field: the field.
  ///   - unique: whether the index refuses two objects of one value. NULLs do not collide.
  public init(_ field: RecordField, unique: Bool = false) {
    self.field = field
    self.isUnique = unique
    self.key = field.key
  }
}

/// How objects of one type are stored: the table, its key columns and its indexes.
///
/// There is one for each type, and its identity stands for the type.
public final class RecordDescription: Sendable {
  /// The name of the table.
  public let table: String
  package let primaryKeys: [RecordField]
  package let indexes: [RecordIndex]
  /// Reads the key columns and the indexed fields from a row's bytes, the keys first.
  package let columns: FieldReaders

  /// - Parameters:
  ///   - table: the name of the table.
  ///   - primaryKeys: the fields of the primary key, in their order.
  ///   - indexes: the indexed fields.
  public init(table: String, primaryKeys: [RecordField], indexes: [RecordIndex] = []) {
    precondition(!primaryKeys.isEmpty, "The table \(table) has no primary key.")
    self.table = table
    self.primaryKeys = primaryKeys
    self.indexes = indexes
    columns = FieldReaders(primaryKeys + indexes.map(\.field))
  }
}

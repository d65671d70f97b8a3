/// The description of an index over one field of a stored object.
public struct RecordIndex: Sendable {
  package let field: RecordField
  package let isUnique: Bool
  /// The field's name on disk; see `RecordField.key`.
  package let key: String
  /// The field's name in Swift, for errors; empty if it is not known.
  package let name: String

  /// Creates a description of an index.
  ///
  /// - Parameters:
  ///   - field: the indexed field.
  ///   - unique: whether an object is refused if another one has an equal value. NULLs are not equal.
  ///   - name: the field's name in Swift, for errors.
  public init(_ field: RecordField, unique: Bool = false, name: String = "") {
    self.name = name
    self.field = field
    self.isUnique = unique
    self.key = field.key
  }
}

/// The description of how objects of one type are stored: the table, its primary key columns and its indexes.
///
/// Each type has exactly one description, whose object identity identifies the type.
public final class RecordDescription: Sendable {
  /// The name of the table.
  public let table: String
  package let primaryKeys: [RecordField]
  /// The Swift names of the primary key's fields, for errors; empty if they are not known.
  package let primaryKeyNames: [String]
  package let indexes: [RecordIndex]
  /// Whether a field of the primary key may be NaN.
  @usableFromInline package let hasRealKey: Bool
  /// The readers of the primary key's fields, followed by those of the indexed fields.
  package let columns: FieldReaders

  /// Creates the description of a type.
  ///
  /// - Parameters:
  ///   - table: the name of the table.
  ///   - primaryKeys: the fields of the primary key, in order; at least one.
  ///   - indexes: the indexes.
  ///   - primaryKeyNames: the Swift names of the primary key's fields, for errors.
  public init(
    table: String, primaryKeys: [RecordField], indexes: [RecordIndex] = [], primaryKeyNames: [String] = []
  ) {
    precondition(!primaryKeys.isEmpty, "The table \(table) has no primary key.")
    self.table = table
    self.primaryKeys = primaryKeys
    self.primaryKeyNames = primaryKeyNames
    self.indexes = indexes
    hasRealKey = primaryKeys.contains(where: \.isReal)
    columns = FieldReaders(primaryKeys + indexes.map(\.field))
  }
}

extension RecordDescription {
  /// Returns the name of a column for messages: its field's name in Swift, or on disk if that is not known.
  package func columnName(_ column: Int) -> String {
    guard column < primaryKeys.count else {
      let index = indexes[column - primaryKeys.count]
      return index.name.isEmpty ? index.key : index.name
    }
    return column < primaryKeyNames.count ? primaryKeyNames[column] : primaryKeys[column].key
  }
}

import FlatBuffersCore
import TextFolding

/// The description of an index of a type: over the values of a field, over its folded texts, or over the elements of a vector.
public struct RecordIndex: Sendable {
  /// The indexed field. In an index over a vector, it is the element itself, which can be read only through the vector.
  package let field: RecordField
  /// Whether the entries are texts without differences of case and diacritics.
  package let isFolded: Bool
  /// The vector whose elements have the entries; nil if each row has one entry.
  package let vector: RecordVector?
  package let isUnique: Bool
  /// The name of the index on disk: the name of its field or vector, and a part for the folding or for elements.
  package let key: String
  /// The field's name in Swift, for errors; empty if it is not known.
  package let name: String

  /// Creates a description of an index with an entry for each object.
  ///
  /// - Parameters:
  ///   - field: the indexed field.
  ///   - folded: whether the index has the texts of the field without differences of case and diacritics.
  ///   - unique: whether an object is refused if another one has an equal value. NULLs are not equal.
  ///   - name: the field's name in Swift, for errors.
  public init(_ field: RecordField, folded: Bool = false, unique: Bool = false, name: String = "") {
    self.name = name
    self.field = field
    self.isFolded = folded
    self.isUnique = unique
    vector = nil
    key = folded ? "\(field.key)__\(Self.foldedSuffix)" : field.key
  }

  /// Creates a description of an index with an entry for each different element of a vector of single values.
  ///
  /// - Parameters:
  ///   - vector: the indexed vector. The program stops if its elements are structs, tables or unions: generated code
  ///     has no such index.
  ///   - folded: whether the index has the elements without differences of case and diacritics.
  ///   - name: the field's name in Swift, for errors.
  public init(elementsOf vector: RecordVector, folded: Bool = false, name: String = "") {
    guard case .value(let storage) = vector.element else {
      stopProgram("The elements of \(vector.key) are no single values, and cannot be indexed.")
    }
    self.name = name
    self.vector = vector
    field = RecordField(.element(level: 0), storage, at: 0)
    isFolded = folded
    isUnique = false
    key = "\(vector.key)__elements" + (folded ? "__\(Self.foldedSuffix)" : "")
  }

  /// The end of the name of an index over folded texts. It names the version of Unicode: another version may fold texts
  /// otherwise, and so has an index of its own.
  private static let foldedSuffix = "folded\(TextFoldingTable.version.prefix { $0 != "." })"
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
  /// The readers of the primary key's fields, followed by those of the indexed fields. They read texts as the row has
  /// them; `withValue(ofColumn:in:_:)` folds the texts of an index of folded texts.
  package let columns: FieldReaders
  /// The readers of the vectors whose elements are indexed.
  let elementReaders: IndexedElements
  /// Whether an index has folded texts.
  let hasFoldedIndex: Bool

  /// Creates the description of a type.
  ///
  /// - Parameters:
  ///   - table: the name of the table.
  ///   - primaryKeys: the fields of the primary key, in order; at least one, or the program stops.
  ///   - indexes: the indexes.
  ///   - primaryKeyNames: the Swift names of the primary key's fields, for errors.
  public init(
    table: String, primaryKeys: [RecordField], indexes: [RecordIndex] = [], primaryKeyNames: [String] = []
  ) {
    if primaryKeys.isEmpty { stopProgram("The table \(table) has no primary key: name one field of it or more.") }
    self.table = table
    self.primaryKeys = primaryKeys
    self.primaryKeyNames = primaryKeyNames
    self.indexes = indexes
    hasRealKey = primaryKeys.contains(where: \.isReal)
    columns = FieldReaders(primaryKeys + indexes.map(\.field))
    elementReaders = IndexedElements(indexes)
    hasFoldedIndex = indexes.contains(where: \.isFolded)
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

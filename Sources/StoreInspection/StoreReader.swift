import FBSSchema
import FlatBuffersJSON

/// A store that is read by its schema: a file of SQLite, or a database on a server. Nothing is written.
package protocol StoreReader: AnyObject {
  /// The types and how their objects are read.
  var contents: StoredTypes { get }
  /// What to know about the store besides what it holds.
  var notes: [String] { get }
  /// Whether the end of the store is missing. What is left of it is read.
  var isCutOff: Bool { get }

  /// Counts what the store holds. What cannot be read is told of, and the rest is counted.
  func overview() throws(InspectionError) -> StoreOverview

  /// Gives `body` the objects that satisfy a filter, and all damaged rows, until it returns false.
  func forEach(
    _ type: StoredType, where filter: Filter?, order: (path: FieldPath, isDescending: Bool)?, limit: Int?,
    _ body: (StoreInspector.Row) throws(InspectionError) -> Bool
  ) throws(InspectionError)

  /// Checks every row, and reports faults and what else there is to know.
  func verify(
    progress: @escaping (StoreInspector.Progress) -> Void, _ report: (StoreFault) -> Void
  ) throws(InspectionError)
}

extension StoreReader {
  /// The types of the schema that a store has.
  package var types: [StoredType] { contents.types }
  /// The entries of the dictionary, as objects of a type of their own.
  package var dictionary: StoredType { contents.dictionary }

  /// The layouts by which the objects of a type are read.
  package func layouts(of type: StoredType) -> SchemaLayouts { contents.layouts(of: type) }
}

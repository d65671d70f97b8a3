import FBSSchema
import FlatBuffersJSON

/// A store that is read by its schema: a SQLite file, or a database on a server. Nothing is written.
package protocol StoreReader: AnyObject {
  /// The types, and how their objects are read.
  var contents: StoredTypes { get }
  /// Remarks about the store, besides its content.
  var notes: [String] { get }
  /// Whether the end of the store is missing. The rest is read.
  var isCutOff: Bool { get }

  /// Counts the content of the store. Tables that cannot be read are listed as failures, and the rest is counted.
  func overview() throws(InspectionError) -> StoreOverview

  /// Calls `body` with the objects that satisfy a filter, and with each damaged row that is read on the way, until it
  /// returns false. With an order, damaged rows come first.
  ///
  /// - Parameters:
  ///   - filter: the condition; nil for all objects.
  ///   - order: the field to sort the objects by; nil for the order of their rows.
  ///   - limit: the most objects that `body` gets, besides damaged rows; nil for all. With 0, nothing is read.
  /// - Throws: the error of `body`, or an error if the table cannot be read to its end.
  func forEach(
    _ type: StoredType, where filter: Filter?, order: (path: FieldPath, isDescending: Bool)?, limit: Int?,
    _ body: (StoreInspector.Row) throws(InspectionError) -> Bool
  ) throws(InspectionError)

  /// Checks every row, and reports faults and remarks.
  func verify(
    progress: @escaping (StoreInspector.Progress) -> Void, _ report: (StoreFault) -> Void
  ) throws(InspectionError)
}

extension StoreReader {
  /// The types of the schema that a store has.
  package var types: [StoredType] { contents.types }
  /// The type whose objects are the entries of the dictionary.
  package var dictionary: StoredType { contents.dictionary }

  /// Returns the layouts by which the objects of a type are read.
  package func layouts(of type: StoredType) -> SchemaLayouts { contents.layouts(of: type) }
}

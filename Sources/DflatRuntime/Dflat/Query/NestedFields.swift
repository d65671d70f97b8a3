/// The fields of a table or struct within an object, for use in a query: the type `Fields` that `dflatc` generates for each.
public protocol NestedFields: Sendable {
  /// The path from the object to the table or struct.
  var _path: FieldPath { get }

  /// The fields of the table or struct at the end of `path`.
  init(_ path: FieldPath)
}

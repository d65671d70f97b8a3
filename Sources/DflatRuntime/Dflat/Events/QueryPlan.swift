/// The way in which the store answers a query: what SQL finds, and what is left to be done with the rows.
///
/// ```swift
/// print(try workspace.fetch(for: Post.self).explain(where: Post.priority > 3 && Post.tag == "a"))
/// ```
///
/// It describes what the store does now. An index that is not complete yet is not used, and may be in the next fetch.
///
/// See also: Documentation/seeing-what-the-store-does.md.
public struct QueryPlan: Hashable, Sendable {
  /// The way in which the rows to read are found.
  public enum Access: Hashable, Sendable {
    /// By the primary key: one object by its whole key, objects whose key is in a range or a list, or the first ones
    /// in the order of the key.
    case key
    /// By the indexes of these fields, or in the order of one of these indexes.
    case index([String])
    /// Every row of the type is read.
    case scan
    /// No row is read: nothing is stored, or no object is asked for.
    case nothing
  }

  /// The name of the objects' type.
  public let type: String
  /// The way in which the rows to read are found.
  public package(set) var access = Access.nothing
  /// The SQL that finds the rows; empty if there is none. Parameters show as `?` or `$1`.
  public package(set) var sql = ""
  /// The part of the condition that is evaluated on each row, as text with its values; nil if SQL answers all of it.
  ///
  /// Fields have their names on disk: `f8` is the field at offset 8 of the vtable, the third one of the schema.
  public package(set) var filter: String?
  /// Whether the rows are sorted after they have been read, because SQL does not return them in the order of the
  /// query.
  public package(set) var sortsRows = false
  /// The fields whose indexes would be used but are not complete yet. See `indexesAreComplete(_:)`.
  public package(set) var incompleteIndexes: [String] = []
  /// The database's own plan of the SQL, one line for each step: SQLite's `EXPLAIN QUERY PLAN`, or PostgreSQL's
  /// `EXPLAIN`. It is empty in a ``QueryEvent``, because asking for it takes another statement.
  public package(set) var databasePlan: [String] = []

  package init(type: String) { self.type = type }
}

extension QueryPlan: CustomStringConvertible {
  /// The plan as a text of several lines.
  public var description: String {
    var lines = ["\(type): \(access)"]
    if let filter { lines.append("Each row is filtered: \(filter)") }
    if sortsRows { lines.append("The rows are put in order after they have been read.") }
    if !incompleteIndexes.isEmpty {
      lines.append("Not complete yet: the index of \(incompleteIndexes.joined(separator: ", "))")
    }
    if !sql.isEmpty { lines.append("SQL: \(sql)") }
    lines += databasePlan.map { "  \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension QueryPlan.Access: CustomStringConvertible {
  /// The access in a few words: `by key`, `by the index of priority`, `scan of all rows`, `nothing is read`.
  public var description: String {
    switch self {
    case .key: "by key"
    case .index(let fields): "by the index of \(fields.joined(separator: ", "))"
    case .scan: "scan of all rows"
    case .nothing: "nothing is read"
    }
  }
}

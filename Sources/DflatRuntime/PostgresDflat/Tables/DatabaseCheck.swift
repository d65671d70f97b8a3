/// What the database of a `PostgresWorkspace` lacks for some types, and the SQL that makes it.
///
/// Print it to read it: each thing that is missing is a line.
public struct DatabaseCheck: Hashable, Sendable, CustomStringConvertible {
  /// A thing that is missing.
  public struct Missing: Hashable, Sendable, CustomStringConvertible {
    /// What kind of thing it is.
    public enum Kind: Hashable, Sendable {
      /// The table of a type. Its indexes are missing, too, and have no entries of their own.
      case table
      /// An index, without which queries read all rows of its table.
      case index
      /// A unique index, without which no object of the type can be stored.
      case uniqueIndex
      /// The table by which a lost answer to COMMIT is settled.
      case outcomes
      /// A right of the role that the workspace connects as.
      case right
    }

    /// What kind of thing it is.
    public let kind: Kind
    /// The name in the database of the table or index, or that of the table of which a right is missing.
    public let name: String
    /// What is missing, in words, such as `the index post__dflat_f10_146a63c2f0ff42b3 of the table post`.
    public let description: String
  }

  /// The schema of the database in which it was looked for.
  public let schema: String
  /// What is missing, in the order of the types that were asked for.
  public let missing: [Missing]
  /// A script for `psql -v ON_ERROR_STOP=1` that makes what is missing, and gives the workspace's role the rights to use it. It may be
  /// run again, and while programs use the database. Empty if nothing is missing.
  public let sql: String

  /// Whether nothing is missing.
  public var isComplete: Bool { missing.isEmpty }

  /// What is missing, a line for each thing.
  public var description: String {
    guard !isComplete else { return "The schema \(schema) has all that is needed." }
    return "The schema \(schema) lacks:\n" + missing.map { "  \($0)" }.joined(separator: "\n")
  }
}

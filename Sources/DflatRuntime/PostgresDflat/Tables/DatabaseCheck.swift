/// The result of a check: the things that the database lacks for some types, and the SQL that makes them.
///
/// ```swift
/// let check = try await workspace.check([Post.self])
/// for missing in check.missing where missing.kind == .uniqueIndex { print("cannot store without \(missing)") }
/// ```
///
/// Its description has a line for each missing thing.
///
/// See also: ``PostgresWorkspace/check(_:)``, Documentation/postgres-setup.md.
public struct DatabaseCheck: Hashable, Sendable, CustomStringConvertible {
  /// A thing that is missing.
  public struct Missing: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of things that can be missing.
    public enum Kind: Hashable, Sendable {
      /// The table of a type. Its indexes are missing, too, and are not listed.
      case table
      /// An index. Without it, queries read all rows of its table.
      case index
      /// A unique index. Without it, no object of the type can be stored.
      case uniqueIndex
      /// The table of outcomes, which tells how a commit ended whose answer was lost.
      case outcomes
      /// A right of the role that the workspace connects as.
      case right
    }

    /// The kind of the missing thing.
    public let kind: Kind
    /// The name in the database of the table or index; for a right, the name of its table.
    public let name: String
    /// The missing thing in words, such as `the index post__dflat_f10_146a63c2f0ff42b3 of the table post`.
    public let description: String
  }

  /// The schema of the database that was checked.
  public let schema: String
  /// The missing things, in the order of the types that were asked for.
  public let missing: [Missing]
  /// A script for `psql -v ON_ERROR_STOP=1` that makes what is missing, and gives the workspace's role the rights to
  /// use it; empty if nothing is missing. It may run again, and while programs use the database.
  public let sql: String

  /// Whether nothing is missing.
  public var isComplete: Bool { missing.isEmpty }

  /// The missing things, a line for each.
  public var description: String {
    guard !isComplete else { return "The schema \(schema) has all that is needed." }
    return "The schema \(schema) lacks:\n" + missing.map { "  \($0)" }.joined(separator: "\n")
  }
}

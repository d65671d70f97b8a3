/// How far a copy is: see `PostgresWorkspace.copy(_:from:progress:)`.
public struct CopyProgress: Sendable, Hashable {
  /// What is done with the rows.
  public enum Phase: Sendable, Hashable {
    /// They are stored in the database.
    case copying
    /// They are compared with what the database has.
    case verifying
  }

  /// What is done with the rows.
  public let phase: Phase
  /// The table whose rows they are.
  public let table: String
  /// How many rows of the table are done.
  public let rowCount: Int
  /// How many rows the table has.
  public let totalRowCount: Int
}

/// What a copy has done: see `PostgresWorkspace.copy(_:from:progress:)`.
public struct CopySummary: Sendable, Hashable {
  /// What has become of the rows of a table.
  public struct Table: Sendable, Hashable {
    /// The table's name.
    public let name: String
    /// How many rows are new in the database.
    public internal(set) var insertedCount = 0
    /// How many rows were there under their primary key, with other content, which was replaced.
    public internal(set) var replacedCount = 0
    /// How many rows were there already.
    public internal(set) var unchangedCount = 0
    /// The numbers of the source's rows that hold no object, or no primary key, and were not copied.
    public internal(set) var damagedRows: [Int64] = []
    /// How many rows the database has whose primary key the source does not have. They are left alone.
    public internal(set) var additionalCount = 0

    /// How many rows of the source the database has.
    public var copiedCount: Int { insertedCount + replacedCount + unchangedCount }
  }

  /// The tables, in the order of the types; the last one is that of the dictionary.
  public internal(set) var tables: [Table] = []
}

/// Why a copy has ended early, where the reason is none of the server's or of the source's.
public enum CopyError: Error, Sendable, Hashable {
  /// The source is a workspace of another kind, whose rows cannot be read.
  case unreadableSource
  /// Values that were set in the source's dictionary could not be stored there; its error handler knows why.
  case dictionaryNotStored
  /// So many of the rows that were stored are not in the database as they are in the source: somebody else has written to it meanwhile.
  case differs(table: String, rowCount: Int)
}

extension CopyError: CustomStringConvertible {
  /// The error as an English sentence.
  public var description: String {
    switch self {
    case .unreadableSource:
      "The rows of this kind of workspace cannot be copied: those of a SQLiteWorkspace and a PostgresWorkspace can."
    case .dictionaryNotStored:
      "Values of the source's dictionary could not be stored, so that they would not be copied."
    case .differs(let table, let rowCount):
      """
      \(rowCount) rows of \(table) are not as they were copied: another program has changed them. Stop it, and copy again.
      """
    }
  }
}

/// The progress of a copy: see `PostgresWorkspace.copy(_:from:progress:)`.
public struct CopyProgress: Sendable, Hashable {
  /// The phases of a copy.
  public enum Phase: Sendable, Hashable {
    /// The rows are being stored in the database.
    case copying
    /// The rows are being compared with the database.
    case verifying
  }

  /// The phase of the copy.
  public let phase: Phase
  /// The table whose rows are processed.
  public let table: String
  /// How many rows of the table have been processed.
  public let rowCount: Int
  /// How many rows the table has in the source.
  public let totalRowCount: Int
}

/// The result of a copy: see `PostgresWorkspace.copy(_:from:progress:)`.
public struct CopySummary: Sendable, Hashable {
  /// The result of copying the rows of a table.
  public struct Table: Sendable, Hashable {
    /// The table's name.
    public let name: String
    /// How many rows are new in the database.
    public internal(set) var insertedCount = 0
    /// How many rows existed under their primary key with other content, which was replaced.
    public internal(set) var replacedCount = 0
    /// How many rows existed already with the same content.
    public internal(set) var unchangedCount = 0
    /// The numbers of the source's rows that hold no object, or no primary key, and were not copied.
    public internal(set) var damagedRows: [Int64] = []
    /// How many rows of the database have a primary key that the source lacks. The copy leaves these rows alone.
    public internal(set) var additionalCount = 0

    /// How many rows of the source are now in the database.
    public var copiedCount: Int { insertedCount + replacedCount + unchangedCount }
  }

  /// The tables, in the order of the types; the last one is the dictionary's table.
  public internal(set) var tables: [Table] = []
}

/// The reason why a copy has ended early, if neither the server nor the source has failed.
public enum CopyError: Error, Sendable, Hashable {
  /// The source is a kind of workspace whose rows cannot be read.
  case unreadableSource
  /// Values that were set in the source's dictionary could not be stored there; its error handler knows why.
  case dictionaryNotStored
  /// The comparison has found `rowCount` rows that differ between the database and the source: somebody else has
  /// written to the table meanwhile.
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

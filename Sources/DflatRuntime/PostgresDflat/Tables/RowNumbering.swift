import Dflat
import DflatEngine

/// Moves the sequence of a table's row numbers on when it is behind the rows: after a restore, after logical
/// replication, or where somebody has inserted rows with numbers. Otherwise the server would refuse new objects whose
/// keys are free.
struct RowNumbering: Sendable {
  let options: PostgresOptions
  let catalog: TableCatalog

  /// The pauses between attempts after a taken row number. One attempt is enough, unless such rows keep coming.
  static var pauses: RetryPauses { RetryPauses(.limited(10)) }

  /// The most numbers that are skipped by taking them, in some tenths of a second. For more, the sequence is set, for
  /// which a role needs another right.
  private static let takenLimit: Int64 = 1 << 20

  /// Moves the sequence on past the last row if `error` says that a row number is taken.
  ///
  /// - Returns: false if the error is another one, such as a taken key.
  func recover(from error: PostgresError, in record: RecordDescription) throws -> Bool {
    guard error.isConflict else { return false }
    let connection = try PostgresConnection(options.direct)
    var parameters = connection.parameters(naming: record.tableName)
    parameters.append(text: error.constraint)
    var isPrimaryKey = false
    try connection.query(
      """
      SELECT EXISTS (SELECT FROM pg_constraint
        WHERE conrelid = \(PostgresConnection.namedRelation) AND conname = $3 AND contype = 'p')
      """, parameters, for: "Looking for a constraint of \(record.table)"
    ) { row in
      isPrimaryKey = row.bool(0)
      return true
    }
    if isPrimaryKey { try skipTakenNumbers(of: record, on: connection) }
    return isPrimaryKey
  }

  /// Moves the sequence on past the last row. Does nothing if it is not behind.
  func skipTakenNumbers(of record: RecordDescription) throws {
    // Not on the connection of a transaction: that would conflict with all that add rows meanwhile.
    try skipTakenNumbers(of: record, on: PostgresConnection(options.direct))
  }

  private func skipTakenNumbers(of record: RecordDescription, on connection: PostgresConnection) throws {
    catalog.dropNumbers(of: record)
    let layout = catalog.layout(of: record, on: connection)
    let purpose = "Going on behind the last row number of \(record.table)"
    // Locked, since two sessions at a time could set the sequence back.
    try connection.begin(locking: "row numbers of \(layout.name)", for: purpose)
    do {
      var gap: (size: Int64, last: Int64)?
      try connection.query(layout.sequenceGap, for: purpose) { row in
        gap = (row.integer(0), row.integer(1))
        return true
      }
      if let gap {
        let isSmall = gap.size <= Self.takenLimit
        var parameters = PostgresParameters()
        parameters.append(isSmall ? gap.size : gap.last)
        try connection.query(isSmall ? layout.skipNumbers : layout.setSequence, parameters, for: purpose) { _ in true }
      }
      try connection.commit(for: purpose)
    } catch {
      connection.rollBack()
      throw error
    }
  }
}

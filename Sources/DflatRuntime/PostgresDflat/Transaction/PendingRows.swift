/// The unsent changes of one kind to the rows of one table. A single change is sent as one row; several are sent in one
/// statement with an array for each parameter, which takes a fraction of the time.
struct PendingRows {
  enum Kind {
    case insertion
    case update
    case deletion
  }

  let layout: DatabaseTable
  let kind: Kind
  private var count: Int
  private var byteCount: Int
  /// The parameters of the row, while there is only one.
  private var only: PostgresParameters
  /// The parameters of all rows, while there are several: an array for each parameter, whose memory is reused.
  private var columns: [PostgresArray] = []

  /// The rows, and the bytes of their parameters, at which a statement is sent: enough to make its cost negligible, and
  /// little enough for the server to work while the next rows are made.
  private static let limit = (count: 512, byteCount: 1 << 16)

  /// Begins with one row.
  ///
  /// - Parameter row: the parameters of a statement for one row.
  init(_ row: PostgresParameters, _ kind: Kind, _ layout: DatabaseTable) {
    self.layout = layout
    self.kind = kind
    only = row
    count = 1
    byteCount = row.byteCount
  }

  /// Whether the caller should send the rows now.
  var isFull: Bool { count >= Self.limit.count || byteCount >= Self.limit.byteCount }

  /// Adds a row. Before a large row, sends the rows that are already there.
  mutating func append(_ row: PostgresParameters, on connection: PostgresConnection) throws {
    if row.byteCount >= Self.limit.byteCount { try send(on: connection) }
    if count == 0 {
      only = row
    } else {
      if columns.isEmpty { columns = elementTypes.map { PostgresArray(of: $0) } }
      if count == 1 { addToColumns(only) }
      addToColumns(row)
    }
    count += 1
    byteCount += row.byteCount
  }

  private mutating func addToColumns(_ row: PostgresParameters) {
    row.forEachValue { column, value in columns[column].append(element: value) }
  }

  private var elementTypes: [PostgresParameters.PostgresType] {
    switch kind {
    case .insertion: [.int8] + layout.keyTypes.map(\.elementType) + [.bytea]
    case .update: [.int8, .bytea]
    case .deletion: [.int8]
    }
  }

  /// Sends the rows, if there are any. More may be added afterwards.
  mutating func send(on connection: PostgresConnection) throws {
    guard count > 0 else { return }
    let sentCount = count
    count = 0
    byteCount = 0
    if sentCount == 1 {
      try send(only, sentCount, on: connection)
    } else {
      var arrays = PostgresParameters()
      for column in columns.indices {
        arrays.append(columns[column])
        columns[column].removeAll()
      }
      try send(arrays, sentCount, on: connection)
    }
  }

  private func send(_ parameters: PostgresParameters, _ count: Int, on connection: PostgresConnection) throws {
    let isOnly = count == 1
    let (sql, purpose) =
      switch kind {
      case .insertion: (isOnly ? layout.insert : layout.insertAll, layout.storing)
      case .update: (isOnly ? layout.update : layout.updateAll, layout.changing)
      case .deletion: (isOnly ? layout.delete : layout.deleteAll, layout.deleting)
      }
    try connection.send(sql, parameters, isChange: true, for: purpose)
  }
}

import FlatBuffersJSON

/// Checks that each row of a table holds an object, and that its key columns match the object.
package struct RowCheck {
  private let table: String
  private let type: StoredType
  private var newerCount = 0

  /// Creates a check of a table.
  ///
  /// - Parameter table: the name of the table in the store.
  package init(table: String, _ type: StoredType) {
    self.table = table
    self.type = type
  }

  /// Checks the row `number`, and reports its faults.
  ///
  /// - Parameter isStored: whether the primary key's column with this index holds the value.
  package mutating func check(
    _ row: StoreInspector.Row, _ number: Int64, _ report: (StoreFault) -> Void,
    isStored: (Int, FieldValue) -> Bool
  ) {
    func fault(_ message: String) {
      report(StoreFault(table: table, row: number, message: message, isFault: true))
    }
    switch row {
    case .damaged(let error, _): fault("\(error)")
    case .object(let object, _):
      if object.hasUnknownFields { newerCount += 1 }
      for (index, key) in type.primaryKey.enumerated() where !isStored(index, object.value(at: key.path)) {
        fault("the key `\(key.name)` is not that of the object's bytes")
      }
    }
  }

  /// Reports how many objects a newer version of the schema has written.
  package func finish(_ report: (StoreFault) -> Void) {
    guard newerCount > 0 else { return }
    let objects = "\(newerCount) object\(newerCount == 1 ? " has" : "s have")"
    report(
      StoreFault(
        table: table, row: nil,
        message: "\(objects) fields that the schema does not know: it is older than the app that wrote them",
        isFault: false))
  }
}

import FBSSchema
import FlatBuffersJSON
import TextFolding

extension StoreInspector {
  /// Checks the entries of an index: that each has a row and is the one that the object's bytes ask for, and, if the
  /// runtime relies on the index, that no row lacks its entries.
  func verifyEntries(
    of index: StoredType.Index, _ type: StoredType, _ names: Set<String>, _ counter: inout RowCounter,
    _ report: (StoreFault) -> Void
  ) throws(InspectionError) {
    let table = type.tableName(of: index)
    let state = try state(of: index, type, names)
    let isReliedOn = state == .complete
    let suffix = isReliedOn ? "" : ", in an index that is \(state.rawValue) and so not used"
    func fault(_ row: Int64, _ message: String) {
      report(StoreFault(table: table, row: row, message: message + suffix, isFault: isReliedOn))
    }
    if index.kind.entries.areElements {
      try verifyElements(of: index, type, &counter, fault)
    } else {
      try verifyValues(of: index, type, &counter, fault)
    }
    guard isReliedOn else { return }
    let missing = try database.statement(
      """
      SELECT rowid FROM \(ReadOnlyDatabase.quoted(type.sqlName)) WHERE rowid NOT IN \
      (SELECT \(index.rowColumn) FROM \(ReadOnlyDatabase.quoted(table)))
      """)
    while try missing.step() { fault(missing.integer(0), "the row has no entry in the index of `\(index.name)`") }
  }

  /// Checks the entries of an index that has one for each row.
  private func verifyValues(
    of index: StoredType.Index, _ type: StoredType, _ counter: inout RowCounter, _ fault: (Int64, String) -> Void
  ) throws(InspectionError) {
    let entries = try database.statement(
      """
      SELECT e.rowid, e.\(ReadOnlyDatabase.quoted(index.key)), m.rowid, m.p \
      FROM \(ReadOnlyDatabase.quoted(type.tableName(of: index))) AS e \
      LEFT JOIN \(ReadOnlyDatabase.quoted(type.sqlName)) AS m ON m.rowid = e.rowid ORDER BY e.rowid
      """)
    while try entries.step() {
      counter.count()
      let row = entries.integer(0)
      guard !entries.isNull(2) else {
        fault(row, "the entry has no row")
        continue
      }
      // Damaged rows are reported elsewhere.
      guard case .object(let object, _) = contents.read(entries.bytes(3), type, row) else { continue }
      let value = index.entry(for: object.value(at: index.path))
      if !entries.holds(value, 1) {
        fault(row, "the entry of `\(index.name)` is not that of the object's bytes")
      }
    }
  }

  /// Checks the entries of an index that has one for each different element of a vector.
  private func verifyElements(
    of index: StoredType.Index, _ type: StoredType, _ counter: inout RowCounter, _ fault: (Int64, String) -> Void
  ) throws(InspectionError) {
    let entries = try database.statement(
      """
      SELECT \(index.rowColumn), \(StoredType.Index.positionColumn), \(ReadOnlyDatabase.quoted(index.key)) \
      FROM \(ReadOnlyDatabase.quoted(type.tableName(of: index))) \
      ORDER BY \(index.rowColumn), \(StoredType.Index.positionColumn)
      """)
    // A row is read once, however many entries it has.
    let rows = try database.statement("SELECT p FROM \(ReadOnlyDatabase.quoted(type.sqlName)) WHERE rowid = ?")
    func check(_ group: ElementEntryGroup) throws(InspectionError) {
      rows.bind(group.row, at: 1)
      defer { rows.reset() }
      guard try rows.step() else {
        let count = group.entries.count
        return fault(group.row, count == 1 ? "the entry has no row" : "\(count) entries have no row")
      }
      // Damaged rows are reported elsewhere.
      guard case .object(let object, _) = contents.read(rows.bytes(0), type, group.row) else { return }
      let elements = object.root.elements(at: index.path).map { index.entry(for: $0.value(at: FieldPath([]))) }
      for message in group.faults(index.name, elements) { fault(group.row, message) }
    }
    var group: ElementEntryGroup?
    while try entries.step() {
      counter.count()
      let row = entries.integer(0)
      if let group, group.row != row { try check(group) }
      if group?.row != row { group = ElementEntryGroup(row: row) }
      group?.entries.append((entries.value(1), entries.value(2, areBytes: index.areBytes)))
    }
    if let group { try check(group) }
  }
}

extension StoredType.Index {
  /// Returns what the index should hold for a value of the field, or of an element of the vector: the value itself, or
  /// its folded text if the index folds texts.
  fileprivate func entry(for value: FieldValue) -> FieldValue {
    guard kind.entries.areFolded, case .text(let text) = value else { return value }
    return .text(TextFolder.fold(text, .caseAndDiacritics))
  }
}

/// The entries of one row in an index of elements.
private struct ElementEntryGroup {
  let row: Int64
  /// The entries in the order of their positions. Both parts are nil if they are nothing that the runtime writes.
  var entries: [(position: FieldValue?, value: FieldValue?)] = []

  init(row: Int64) { self.row = row }

  /// Returns a sentence for each kind of fault that the entries have.
  ///
  /// - Parameters:
  ///   - name: the path of the vector.
  ///   - elements: the entries of its elements, in any order, each as often as it is in the vector.
  func faults(_ name: String, _ elements: [FieldValue]) -> [String] {
    let expected = Self.entries(of: elements)
    var found = 0
    var surplus = 0
    var misplaced = 0
    var isFound = [Bool](repeating: false, count: expected.count)
    for entry in entries {
      guard let value = entry.value, let position = Self.position(of: value, in: expected), !isFound[position] else {
        surplus += 1
        continue
      }
      isFound[position] = true
      found += 1
      if entry.position != .integer(Int64(position)) { misplaced += 1 }
    }
    let missing = expected.count - found
    var faults: [String] = []
    if missing > 0 {
      faults.append(
        expected == [.null]
          ? "the entry NULL of `\(name)`, which has no values, is missing"
          : missing == 1 ? "an element of `\(name)` has no entry" : "\(missing) elements of `\(name)` have no entry")
    }
    if surplus > 0 {
      faults.append(
        surplus == 1
          ? "an entry of `\(name)` is not that of an element"
          : "\(surplus) entries of `\(name)` are not those of elements")
    }
    if misplaced > 0 {
      faults.append(
        misplaced == 1
          ? "an entry of `\(name)` is at a wrong position" : "\(misplaced) entries of `\(name)` are at wrong positions")
    }
    return faults
  }

  /// Returns the entries that a row should have at the positions from 0 on: each different element in ascending order,
  /// or NULL if there is none.
  private static func entries(of elements: [FieldValue]) -> [FieldValue] {
    var entries: [FieldValue] = []
    for value in elements.filter({ $0 != .null }).sorted(by: { FieldValue.order($0, $1) < 0 })
    where entries.last.map({ FieldValue.order($0, value) == 0 }) != true { entries.append(value) }
    return entries.isEmpty ? [.null] : entries
  }

  /// Returns the position of a value in a list in ascending order; nil if it is not there.
  private static func position(of value: FieldValue, in list: [FieldValue]) -> Int? {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if FieldValue.order(list[middle], value) < 0 { low = middle + 1 } else { high = middle }
    }
    return low < list.count && FieldValue.order(list[low], value) == 0 ? low : nil
  }
}

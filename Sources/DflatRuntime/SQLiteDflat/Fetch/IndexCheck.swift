import Dflat
import FlatBuffersCore

/// Checks the rows that SQL has found by an index against the rows' bytes, so that a wrong entry does not lead to a
/// wrong row, or stay unnoticed.
///
/// Indexes that a fetch relies on are right, and writes of others to the type's table are noticed: see
/// `RecordReader.isComplete(index:)`. Writes to an index's table alone are not noticed.
struct IndexCheck {
  /// A comparison of an indexed field with a constant. This usual condition needs no program, which would take longer
  /// to make than a row to find.
  private struct Comparison: BitwiseCopyable {
    let comparison: QueryNode.Comparison
    /// The position of the field in the record's columns.
    let column: Int
    /// The parameter of the plan that the field is compared with.
    let constant: RowValue
  }

  // The first comparison is stored apart, since there is mostly one: an array would need memory.
  private var first: Comparison?
  private var further: [Comparison] = []
  /// The other conditions, and their programs once `prepare()` has made them.
  private var others: [(condition: QueryNode, column: Int)] = []
  private var programs: [(program: QueryProgram, column: Int)] = []

  /// Whether there is nothing to check.
  private(set) var isEmpty = true
  /// Whether `first` is the only condition.
  private var isSingle = true

  /// Adds a condition on one indexed field.
  ///
  /// - Parameters:
  ///   - column: the position of the field in the record's columns.
  ///   - parameter: the only parameter of a comparison in SQL, valid for as long as the check is used; nil if there is
  ///     none.
  mutating func add(_ condition: QueryNode, column: Int, _ parameter: RowValue?) {
    isEmpty = false
    // The field of a folded index is read as it is in the row, so its comparison is left to a program.
    if let comparison = condition.fieldComparison?.comparison, let constant = parameter {
      add(Comparison(comparison: comparison, column: column, constant: constant))
    } else {
      others.append((condition, column))
      isSingle = false
    }
  }

  private mutating func add(_ comparison: Comparison) {
    guard first != nil else {
      first = comparison
      return
    }
    further.append(comparison)
    isSingle = false
  }

  /// Makes the programs. It has to be called before a row is checked. A count that SQL makes needs none.
  mutating func prepare() {
    for (condition, column) in others { programs.append((QueryProgram(condition), column)) }
  }

  /// Returns an index that has wrongly led to this row; nil if none has.
  func wrongIndex(for row: FlatBufferTable, _ record: RecordDescription) -> Int? {
    if let first, !IndexCheck.holds(first, row, record) { return first.column - record.primaryKeys.count }
    return isSingle ? nil : wrongIndexOfFurther(for: row, record)
  }

  private func wrongIndexOfFurther(for row: FlatBufferTable, _ record: RecordDescription) -> Int? {
    for comparison in further where !IndexCheck.holds(comparison, row, record) {
      return comparison.column - record.primaryKeys.count
    }
    for (program, column) in programs where !program.matches(row) { return column - record.primaryKeys.count }
    return nil
  }

  private static func holds(_ check: Comparison, _ row: FlatBufferTable, _ record: RecordDescription) -> Bool {
    record.columns.compares(check.comparison, check.constant, at: check.column, in: row)
  }
}

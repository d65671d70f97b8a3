import Dflat
import FlatBuffersCore

/// Checks on the bytes of a row what SQL has found by an index, so that no wrong entry leads to a wrong row, or goes unnoticed.
///
/// Indexes that are relied on are right, and writes of others to the type are noticed: see `RecordReader.isComplete(index:)`. What
/// somebody writes to an index's table alone is not.
struct IndexCheck {
  /// A comparison of an indexed field with a constant. The usual condition is not worth a program, which takes longer to make
  /// than a row to find.
  private struct Comparison: BitwiseCopyable {
    let comparison: QueryNode.Comparison
    /// The position of the field in the record's columns.
    let column: Int
    /// A parameter of the plan.
    let constant: RowValue
  }

  // Mostly there is one: it needs no memory of its own.
  private var first: Comparison?
  private var further: [Comparison] = []
  /// The other conditions, and their programs once they are made.
  private var others: [(condition: QueryNode, column: Int)] = []
  private var programs: [(program: QueryProgram, column: Int)] = []

  /// Whether there is nothing to check.
  private(set) var isEmpty = true
  /// Whether `first` is all.
  private var isSingle = true

  /// Adds a condition on one indexed field.
  ///
  /// - Parameters:
  ///   - column: the position of the field in the record's columns.
  ///   - parameter: the only parameter of a comparison in SQL, which is good as long as the check is used.
  mutating func add(_ condition: QueryNode, column: Int, _ parameter: RowValue?) {
    isEmpty = false
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

  /// Makes the programs, which has to be done before a row is checked. A count that is made in SQL needs none.
  mutating func prepare() {
    for (condition, column) in others { programs.append((QueryProgram(condition), column)) }
  }

  /// An index by which a row was found that it should not lead to; nil if there is none.
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

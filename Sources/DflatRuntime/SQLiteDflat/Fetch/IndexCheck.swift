import Dflat
import FlatBuffersCore

/// Checks the rows that SQL has found by an index against the rows' bytes, so that a wrong entry does not lead to a
/// wrong row, or stay unnoticed.
///
/// If a row does not satisfy a condition that an index has answered, the fetch is repeated without indexes, and the
/// index is verified in the background. Writes of others to the type's table are noticed anyway: see
/// `RecordReader.isComplete(index:)`. Their writes to an index's table alone are noticed only by this check, which
/// finds wrong entries, but no missing ones.
struct IndexCheck {
  /// A comparison of the entries of an index with a constant. For this usual condition, no program is made: to make one
  /// would take longer than to find a row.
  private struct Comparison: BitwiseCopyable {
    let comparison: QueryNode.Comparison
    let index: Int
    /// Whether a row's entry is the value of the indexed field: neither a folded text nor an element of a vector.
    let isOfField: Bool
    /// The parameter of the plan that the entry is compared with.
    let constant: RowValue
  }

  // The first comparison is stored apart, since there is mostly one: an array would need memory.
  private var first: Comparison?
  private var further: [Comparison] = []
  /// The other conditions, and their programs once `prepare()` has made them.
  private var others: [(condition: QueryNode, index: Int)] = []
  private var programs: [(program: QueryProgram, index: Int)] = []

  /// Whether there is nothing to check.
  private(set) var isEmpty = true
  /// Whether `first` is the only condition.
  private var isSingle = true

  /// Adds a condition that SQL answers by an index.
  ///
  /// - Parameter parameter: the only parameter of a comparison in SQL, valid for as long as the check is used; nil if
  ///   there is none.
  mutating func add(_ condition: QueryNode, index: Int, of record: RecordDescription, _ parameter: RowValue?) {
    isEmpty = false
    if let comparison = condition.entryComparison, let constant = parameter {
      let isOfField = !record.indexes[index].isFolded && record.indexes[index].vector == nil
      add(Comparison(comparison: comparison, index: index, isOfField: isOfField, constant: constant))
    } else {
      others.append((condition, index))
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
    for (condition, index) in others { programs.append((QueryProgram(condition), index)) }
  }

  /// Returns an index that has wrongly led to this row; nil if none has.
  func wrongIndex(for row: FlatBufferTable, _ record: RecordDescription) -> Int? {
    if let first, !IndexCheck.holds(first, row, record) { return first.index }
    return isSingle ? nil : wrongIndexOfFurther(for: row, record)
  }

  private func wrongIndexOfFurther(for row: FlatBufferTable, _ record: RecordDescription) -> Int? {
    for comparison in further where !IndexCheck.holds(comparison, row, record) { return comparison.index }
    for (program, index) in programs where !program.matches(row) { return index }
    return nil
  }

  private static func holds(_ check: Comparison, _ row: FlatBufferTable, _ record: RecordDescription) -> Bool {
    guard check.isOfField else {
      return record.hasEntry(ofIndex: check.index, check.comparison, check.constant, in: row)
    }
    return record.columns.compares(
      check.comparison, check.constant, at: record.column(ofIndex: check.index), in: row)
  }
}

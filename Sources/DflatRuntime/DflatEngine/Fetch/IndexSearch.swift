import Dflat

// The parts of a query that a database can answer by its columns.

extension QueryNode {
  /// Whether the node's operator is evaluated only on rows, since databases lack it or give it another meaning.
  var isLeftToRows: Bool {
    switch kind {
    case .arithmetic, .position, .length, .folded, .uuidText, .text(.suffix, _, _), .text(.part, _, _), .count,
      .hasElement:
      true
    default: false
    }
  }

  /// The field whose value the node is, and whether the value is folded as in an index; nil for any other node.
  var columnValue: (field: RecordField, isFolded: Bool)? {
    switch kind {
    case .field(let field): (field, false)
    case .folded(.caseAndDiacritics, let operand): operand.field.map { ($0, true) }
    default: nil
    }
  }

  /// The comparison of a field or folded field with a constant, turned so that the field is on the left; nil for any
  /// other node.
  var columnComparison: (operand: QueryNode, comparison: Comparison, value: FieldValue)? {
    guard case .comparison(let comparison, let lhs, let rhs) = kind else { return nil }
    if case .constant(let value) = rhs.kind, lhs.columnValue != nil { return (lhs, comparison, value) }
    if case .constant(let value) = lhs.kind, rhs.columnValue != nil { return (rhs, comparison.mirrored, value) }
    return nil
  }

  /// The comparison of an index's entry with a constant, turned so that the entry is on the left: of a field, of a folded
  /// field, or of an element of a vector; nil for any other node.
  package var entryComparison: Comparison? {
    guard case .hasElement(_, level: 0, let condition) = kind else { return columnComparison?.comparison }
    return condition.columnComparison?.comparison
  }

  /// The condition that the text of a field, or its folding, begins with a constant; nil for any other node.
  var columnPrefix: (operand: QueryNode, prefix: String)? {
    guard case .text(.prefix, let operand, let prefix) = kind, let field = operand.columnValue?.field,
      field.storage.isText
    else { return nil }
    return (operand, prefix)
  }

  /// The field or folded field that the node compares with a constant, or whose beginning it compares; nil for any other
  /// node.
  var comparedColumn: QueryNode? { columnComparison?.operand ?? columnPrefix?.operand }

  /// Whether an index can be searched by the condition, so that it need not be compared with every entry.
  var isSearch: Bool {
    var pending = [self]
    while let node = pending.popLast() {
      if let comparison = node.columnComparison?.comparison {
        if comparison == .notEqual { return false }
        continue
      }
      if let prefix = node.columnPrefix?.prefix {
        // An empty prefix matches every entry.
        if prefix.utf8.isEmpty { return false }
        continue
      }
      switch node.kind {
      case .field: break
      case .not(let operand):
        if operand.field == nil { return false }
      case .isNull(let operand), .isIn(let operand, _):
        if operand.columnValue == nil { return false }
      case .and(let lhs, let rhs), .or(let lhs, let rhs): pending += [lhs, rhs]
      default: return false
      }
    }
    return true
  }

  /// Returns whether an index over elements can be searched by a condition on an element. The condition must be false
  /// or NULL for NULL, since the entry of a row without elements is NULL.
  ///
  /// - Parameter isIndexed: returns whether the entries are the values of a field, folded or not.
  func isElementSearch(_ isIndexed: (RecordField, _ isFolded: Bool) -> Bool) -> Bool {
    guard isSearch else { return false }
    var pending = [self]
    while let node = pending.popLast() {
      if let (field, isFolded) = node.columnValue {
        guard isIndexed(field, isFolded) else { return false }
        continue
      }
      if case .isNull = node.kind { return false }
      let operands = node.kind.operands
      if let second = operands.second { pending.append(second) }
      if let first = operands.first { pending.append(first) }
    }
    return true
  }
}

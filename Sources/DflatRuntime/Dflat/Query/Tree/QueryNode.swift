/// The expression tree of a query, such as `Post.priority > 100 && Post.color == .red`.
///
/// One tree is translated to SQL, evaluated on a row's bytes, and searched for predicates that an index serves. All
/// three follow the semantics of SQL: three-valued logic, and strings compared by their UTF-8 bytes. Integers are
/// exact, unlike in SQL: see `Arithmetic`.
///
/// A tree may be as large and as deep as memory allows. No operation on it is recursive, so none can overflow a
/// thread's stack: neither comparing, hashing, printing and releasing it, nor planning and evaluating the query. An
/// operator takes constant time: its operands are shared, not copied.
public struct QueryNode: Sendable {
  private let storage: Storage

  private init(_ kind: consuming Kind, height: UInt8) {
    storage = Storage(kind, height)
  }

  /// The node's operator with its operands, or its field or constant.
  public var kind: Kind { storage.kind }

  /// The operators with their operands, and the leaves of the tree: fields and constants.
  public enum Kind: Sendable {
    /// The value of a field.
    case field(RecordField)
    /// A constant.
    case constant(FieldValue)
    /// The comparison of two values; NULL if one of them is NULL.
    case comparison(Comparison, QueryNode, QueryNode)
    /// Whether both operands are true, in three-valued logic.
    case and(QueryNode, QueryNode)
    /// Whether at least one operand is true, in three-valued logic.
    case or(QueryNode, QueryNode)
    /// The negation; NULL if the operand is NULL.
    case not(QueryNode)
    /// Whether the value is NULL.
    case isNull(QueryNode)
    /// Whether the value is one of the list; NULL if the value is NULL.
    case isIn(QueryNode, [FieldValue])
    /// The result of an arithmetic operator; NULL if an operand is NULL.
    case arithmetic(Arithmetic, QueryNode, QueryNode)
    /// The index of the value in the list; NULL if it is not in the list.
    case position(QueryNode, [FieldValue])
    /// Whether a text begins with, ends with or contains a constant, by the bytes of UTF-8; NULL if the value is NULL.
    case text(TextCondition, QueryNode, String)
    /// The number of Unicode scalars in a text; NULL if the value is NULL.
    case length(QueryNode)
    /// A text without differences of case, or of case and diacritics; NULL if the value is NULL.
    case folded(Folding, QueryNode)
    /// The text of a UUID in lowercase, given its 16 bytes; NULL if the value is NULL.
    case uuidText(QueryNode)
    /// The number of elements of a vector: 0 if it is absent. Never NULL.
    case count(RecordVector)
    /// Whether the condition is true for an element of a vector; false if the vector has no elements. Never NULL. A
    /// field in the condition whose path starts at an element of this level is a field of that element.
    case hasElement(RecordVector, level: Int, QueryNode)
  }

  /// A comparison operator.
  public enum Comparison: Hashable, Sendable, BitwiseCopyable {
    /// The comparison with this name.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// A condition that compares a text with a constant. Every text begins with, ends with and contains an empty constant.
  public enum TextCondition: Hashable, Sendable, BitwiseCopyable {
    /// Whether the text begins with the constant.
    case prefix
    /// Whether the text ends with the constant.
    case suffix
    /// Whether the constant is somewhere in the text.
    case part
  }

  /// The differences that a folding removes from a text, by the table of one version of Unicode (`TextFoldingTable`).
  public enum Folding: Hashable, Sendable, BitwiseCopyable {
    /// Case: the full case folding of Unicode, so that `Straße` and `STRASSE` are the same.
    case `case`
    /// Case, and the marks that a letter may bear, such as accents.
    case caseAndDiacritics
  }

  /// An arithmetic operator.
  public enum Arithmetic: Hashable, Sendable, BitwiseCopyable {
    /// The operator with this name. The result for integers is exact, even if it is out of the range of their type, of
    /// an `Int64` or of a `UInt64`. A product beyond 2^126 is rounded to a real number.
    case add, subtract, multiply
    /// The remainder of the operands, each without its fraction, with the sign of the left one; NULL if the divisor is 0.
    case remainder
  }

  /// The shared memory of a node. Unchecked because `kind` is a variable: it changes only in `deinit`, when no other reference to the object exists.
  private final class Storage: @unchecked Sendable {
    // Exclusivity is unchecked for the same reason: no two accesses can overlap. Each fetch of the benchmark row "fetch
    // one by one by primary key" makes a condition, and reads its kind several times.
    @exclusivity(unchecked) private(set) var kind: Kind
    /// The depth of nested operators: 0 for a field or constant, at most 255.
    let height: UInt8

    init(_ kind: consuming Kind, _ height: UInt8) {
      self.kind = kind
      self.height = height
    }

    /// Trees up to this height are released by recursion, which is faster.
    private static let lowHeight = 16

    deinit {
      if height <= Self.lowHeight { return }
      // The only references to the operands, once `kind` has none.
      var operands: (first: QueryNode?, second: QueryNode?)? = kind.operands
      kind = .constant(.null)
      ReleaseQueue.ofThisThread.release(&operands)
    }
  }

  /// The height of a tree with an operator above this one.
  private var grownHeight: UInt8 { storage.height < .max ? storage.height + 1 : .max }
}

// MARK: Making nodes

extension QueryNode {
  /// Returns the value of a field.
  public static func field(_ field: RecordField) -> QueryNode { QueryNode(.field(field), height: 0) }

  /// Returns a constant.
  public static func constant(_ value: consuming FieldValue) -> QueryNode { QueryNode(.constant(value), height: 0) }

  /// Returns the comparison of two values; NULL if one of them is NULL.
  public static func comparison(
    _ comparison: Comparison, _ lhs: consuming QueryNode, _ rhs: consuming QueryNode
  ) -> QueryNode {
    let height = max(lhs.grownHeight, rhs.grownHeight)
    return QueryNode(.comparison(comparison, lhs, rhs), height: height)
  }

  /// Returns whether both operands are true, in three-valued logic.
  public static func and(_ lhs: consuming QueryNode, _ rhs: consuming QueryNode) -> QueryNode {
    let height = max(lhs.grownHeight, rhs.grownHeight)
    return QueryNode(.and(lhs, rhs), height: height)
  }

  /// Returns whether at least one operand is true, in three-valued logic.
  public static func or(_ lhs: consuming QueryNode, _ rhs: consuming QueryNode) -> QueryNode {
    let height = max(lhs.grownHeight, rhs.grownHeight)
    return QueryNode(.or(lhs, rhs), height: height)
  }

  /// Returns the negation; NULL if the operand is NULL.
  public static func not(_ operand: consuming QueryNode) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.not(operand), height: height)
  }

  /// Returns whether the value is NULL.
  public static func isNull(_ operand: consuming QueryNode) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.isNull(operand), height: height)
  }

  /// Returns whether the value is one of the list; NULL if the value is NULL.
  public static func isIn(_ operand: consuming QueryNode, _ values: [FieldValue]) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.isIn(operand, values), height: height)
  }

  /// Returns the result of an arithmetic operator; NULL if an operand is NULL.
  public static func arithmetic(
    _ operation: Arithmetic, _ lhs: consuming QueryNode, _ rhs: consuming QueryNode
  ) -> QueryNode {
    let height = max(lhs.grownHeight, rhs.grownHeight)
    return QueryNode(.arithmetic(operation, lhs, rhs), height: height)
  }

  /// Returns the index of the value in the list; NULL if it is not in the list.
  public static func position(_ operand: consuming QueryNode, _ values: [FieldValue]) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.position(operand, values), height: height)
  }

  /// Returns whether a text begins with, ends with or contains `constant`; NULL if the value is NULL, or no text.
  public static func text(_ condition: TextCondition, _ operand: consuming QueryNode, _ constant: String) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.text(condition, operand, constant), height: height)
  }

  /// Returns the number of Unicode scalars in a text; NULL if the value is NULL, or no text.
  public static func length(_ operand: consuming QueryNode) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.length(operand), height: height)
  }

  /// Returns a text without the differences that `folding` takes from it; NULL if the value is NULL, or no text.
  public static func folded(_ folding: Folding, _ operand: consuming QueryNode) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.folded(folding, operand), height: height)
  }

  /// Returns the text of a UUID in lowercase, given its 16 bytes; NULL if the value is NULL, or is not 16 bytes.
  package static func uuidText(_ operand: consuming QueryNode) -> QueryNode {
    let height = operand.grownHeight
    return QueryNode(.uuidText(operand), height: height)
  }

  /// Returns the number of elements of a vector: 0 if it is absent.
  public static func count(_ vector: RecordVector) -> QueryNode { QueryNode(.count(vector), height: 0) }

  /// Returns whether `condition` is true for an element of a vector; false if the vector is absent. A field in the condition
  /// whose path starts at an element of this level is a field of that element.
  public static func hasElement(
    _ vector: RecordVector, level: Int, _ condition: consuming QueryNode
  ) -> QueryNode {
    let height = condition.grownHeight
    return QueryNode(.hasElement(vector, level: level, condition), height: height)
  }
}

// MARK: Comparing and hashing

extension QueryNode: Hashable {
  /// Returns whether the trees are the same, operator by operator.
  public static func == (lhs: QueryNode, rhs: QueryNode) -> Bool {
    var pending = [(lhs, rhs)]
    while let (lhs, rhs) = pending.popLast() {
      if lhs.storage === rhs.storage { continue }
      guard lhs.kind.hasSameOperator(as: rhs.kind) else { return false }
      let operands = (lhs.kind.operands, rhs.kind.operands)
      if let lhs = operands.0.second, let rhs = operands.1.second { pending.append((lhs, rhs)) }
      if let lhs = operands.0.first, let rhs = operands.1.first { pending.append((lhs, rhs)) }
    }
    return true
  }

  /// Feeds the operators of the tree to the hasher, in preorder.
  public func hash(into hasher: inout Hasher) {
    for node in nodes { node.kind.hashOperator(into: &hasher) }
  }
}

extension QueryNode.Kind {
  /// The operands, from left to right.
  package var operands: (first: QueryNode?, second: QueryNode?) {
    switch self {
    case .field, .constant, .count: (nil, nil)
    case .comparison(_, let lhs, let rhs), .and(let lhs, let rhs), .or(let lhs, let rhs),
      .arithmetic(_, let lhs, let rhs):
      (lhs, rhs)
    case .not(let operand), .isNull(let operand), .isIn(let operand, _), .position(let operand, _),
      .text(_, let operand, _), .length(let operand), .folded(_, let operand), .uuidText(let operand),
      .hasElement(_, _, let operand):
      (operand, nil)
    }
  }

  /// Returns whether the nodes are the same except for their operands.
  fileprivate func hasSameOperator(as other: Self) -> Bool {
    switch (self, other) {
    case (.field(let lhs), .field(let rhs)): lhs == rhs
    case (.constant(let lhs), .constant(let rhs)): lhs == rhs
    case (.comparison(let lhs, _, _), .comparison(let rhs, _, _)): lhs == rhs
    case (.arithmetic(let lhs, _, _), .arithmetic(let rhs, _, _)): lhs == rhs
    case (.isIn(_, let lhs), .isIn(_, let rhs)), (.position(_, let lhs), .position(_, let rhs)): lhs == rhs
    // Texts that are equal in Unicode may differ in bytes.
    case (.text(let lhs, _, let lhsText), .text(let rhs, _, let rhsText)):
      lhs == rhs && lhsText.hasSameBytes(as: rhsText)
    case (.folded(let lhs, _), .folded(let rhs, _)): lhs == rhs
    case (.count(let lhs), .count(let rhs)): lhs == rhs
    case (.hasElement(let lhs, let lhsLevel, _), .hasElement(let rhs, let rhsLevel, _)):
      lhs == rhs && lhsLevel == rhsLevel
    case (.and, .and), (.or, .or), (.not, .not), (.isNull, .isNull), (.length, .length), (.uuidText, .uuidText): true
    default: false
    }
  }

  fileprivate func hashOperator(into hasher: inout Hasher) {
    switch self {
    case .field(let field):
      hasher.combine(0)
      hasher.combine(field)
    case .constant(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .comparison(let comparison, _, _):
      hasher.combine(2)
      hasher.combine(comparison)
    case .and: hasher.combine(3)
    case .or: hasher.combine(4)
    case .not: hasher.combine(5)
    case .isNull: hasher.combine(6)
    case .isIn(_, let values):
      hasher.combine(7)
      hasher.combine(values)
    case .arithmetic(let operation, _, _):
      hasher.combine(8)
      hasher.combine(operation)
    case .position(_, let values):
      hasher.combine(9)
      hasher.combine(values)
    case .text(let condition, _, let constant):
      hasher.combine(10)
      hasher.combine(condition)
      hasher.combine(constant)
    case .length: hasher.combine(11)
    case .folded(let folding, _):
      hasher.combine(12)
      hasher.combine(folding)
    case .count(let vector):
      hasher.combine(13)
      hasher.combine(vector)
    case .hasElement(let vector, let level, _):
      hasher.combine(14)
      hasher.combine(vector)
      hasher.combine(level)
    case .uuidText: hasher.combine(15)
    }
  }
}

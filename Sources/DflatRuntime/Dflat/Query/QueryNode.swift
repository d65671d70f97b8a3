/// The expression tree of a query, such as `Post.priority > 100 && Post.color == .red`.
///
/// The same tree is translated to SQL, evaluated on a row's bytes, and searched for predicates that an index serves.
/// All three follow the semantics of SQL: three-valued logic, integer overflow that yields a real number, and strings
/// compared by their UTF-8 bytes.
public indirect enum QueryNode: Hashable, Sendable {
  /// The value of a field.
  case field(RecordField)
  /// A constant.
  case constant(FieldValue)
  /// The comparison of two values; NULL if one of them is NULL.
  case comparison(Comparison, QueryNode, QueryNode)
  /// Whether both are true, in three-valued logic.
  case and(QueryNode, QueryNode)
  /// Whether one is true, in three-valued logic.
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

  /// A comparison operator.
  public enum Comparison: Hashable, Sendable, BitwiseCopyable {
    /// The comparison with this name.
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// An arithmetic operator.
  public enum Arithmetic: Hashable, Sendable, BitwiseCopyable {
    /// The operator with this name. A sum that overflows is a real number.
    case add, subtract
    /// The remainder of the operands as integers; NULL if the divisor is 0.
    case remainder
  }
}

extension QueryNode {
  /// The name on disk of the field that the node is, or whose position in a list it is; else empty.
  func fieldName(in record: RecordDescription) -> String {
    switch self {
    case .field(let field): record.primaryKeys.firstIndex(of: field).map { "__pk\($0)" } ?? field.key
    case .position(let operand, _): operand.fieldName(in: record)
    default: ""
    }
  }

  /// The number of nodes and list values in the tree, at most `limit`. It is not recursive, so that a deep tree cannot
  /// overflow the stack.
  package func size(upTo limit: Int) -> Int {
    var size = 0
    var pending = [self]
    while size < limit, let node = pending.popLast() {
      size += 1
      switch node {
      case .field, .constant: break
      case .comparison(_, let lhs, let rhs), .and(let lhs, let rhs), .or(let lhs, let rhs),
        .arithmetic(_, let lhs, let rhs):
        pending.append(lhs)
        pending.append(rhs)
      case .not(let operand), .isNull(let operand): pending.append(operand)
      case .isIn(let operand, let values), .position(let operand, let values):
        pending.append(operand)
        size += values.count
      }
    }
    return min(size, limit)
  }

  /// How deep the nodes of the tree are nested, at most `limit`. A chain of `&&`, or of `||`, is one level, however it is written. It is
  /// not recursive.
  package func nesting(upTo limit: Int) -> Int {
    var nesting = 0
    var pending = [(node: self, level: 1)]
    while nesting < limit, let (node, level) = pending.popLast() {
      nesting = max(nesting, level)
      switch node {
      case .field, .constant: break
      case .and(let lhs, let rhs):
        for side in [lhs, rhs] {
          if case .and = side { pending.append((side, level)) } else { pending.append((side, level + 1)) }
        }
      case .or(let lhs, let rhs):
        for side in [lhs, rhs] {
          if case .or = side { pending.append((side, level)) } else { pending.append((side, level + 1)) }
        }
      case .comparison(_, let lhs, let rhs), .arithmetic(_, let lhs, let rhs):
        pending.append((lhs, level + 1))
        pending.append((rhs, level + 1))
      case .not(let operand), .isNull(let operand), .isIn(let operand, _), .position(let operand, _):
        pending.append((operand, level + 1))
      }
    }
    return min(nesting, limit)
  }

  /// Calls `body` with every field in the tree. Recursive: the stack grows with the depth of the tree.
  package func forEachField(_ body: (RecordField) -> Void) {
    switch self {
    case .field(let field): body(field)
    case .constant: break
    case .comparison(_, let lhs, let rhs), .and(let lhs, let rhs), .or(let lhs, let rhs),
      .arithmetic(_, let lhs, let rhs):
      lhs.forEachField(body)
      rhs.forEachField(body)
    case .not(let operand), .isNull(let operand), .isIn(let operand, _), .position(let operand, _):
      operand.forEachField(body)
    }
  }

  /// The terms of a chain of `&&`, from left to right. Not recursive.
  package var conjuncts: [QueryNode] {
    var terms: [QueryNode] = []
    var pending = [self]
    while let node = pending.popLast() {
      if case .and(let lhs, let rhs) = node {
        pending.append(rhs)
        pending.append(lhs)
      } else {
        terms.append(node)
      }
    }
    return terms
  }

  /// The terms of a chain of `||`, from left to right. Not recursive.
  package var disjuncts: [QueryNode] {
    var terms: [QueryNode] = []
    var pending = [self]
    while let node = pending.popLast() {
      if case .or(let lhs, let rhs) = node {
        pending.append(rhs)
        pending.append(lhs)
      } else {
        terms.append(node)
      }
    }
    return terms
  }
}

extension QueryNode.Comparison {
  /// The comparison with the operands in the other order.
  package var mirrored: QueryNode.Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

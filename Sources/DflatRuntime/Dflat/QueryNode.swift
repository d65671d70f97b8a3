/// A query as data: what `Post.priority > 100 && Post.color == .red` builds.
///
/// One tree is turned into SQL, evaluated on a row's bytes, and taken apart to find an index that serves it. All of
/// them follow SQL: three-valued logic, integers that become reals rather than overflow, strings compared by their
/// UTF-8 bytes.
public indirect enum QueryNode: Hashable, Sendable {
  case field(RecordField)
  case constant(FieldValue)
  case comparison(Comparison, QueryNode, QueryNode)
  case and(QueryNode, QueryNode)
  case or(QueryNode, QueryNode)
  case not(QueryNode)
  case isNull(QueryNode)
  case isIn(QueryNode, [FieldValue])
  case arithmetic(Arithmetic, QueryNode, QueryNode)
  /// The place of the value in the list, NULL when it is not in it.
  case position(QueryNode, [FieldValue])

  /// How two values are compared.
  public enum Comparison: Hashable, Sendable, BitwiseCopyable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// What is calculated of two values.
  public enum Arithmetic: Hashable, Sendable, BitwiseCopyable {
    case add, subtract
    /// The remainder of the operands as integers, NULL when the divisor is 0.
    case remainder
  }
}

extension QueryNode {
  /// The number of nodes and list values in the tree, or `limit` when there are more. However deep the tree is, this takes
  /// no stack.
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

  /// Calls `body` with every field in the tree.
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

  /// The terms of a chain of `&&`, from left to right.
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

  /// The terms of a chain of `||`, from left to right.
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

// Functions that visit a whole tree do so in a loop, with an array of the nodes that are still to be visited.

/// The nodes of a tree in preorder: each before its operands, from left to right.
package struct QueryNodes: Sequence, IteratorProtocol {
  private var pending: [QueryNode]

  fileprivate init(of root: QueryNode) {
    pending = [root]
  }

  /// Returns the next node; nil if there is none.
  package mutating func next() -> QueryNode? {
    guard let node = pending.popLast() else { return nil }
    let operands = node.kind.operands
    if let second = operands.second { pending.append(second) }
    if let first = operands.first { pending.append(first) }
    return node
  }
}

extension QueryNode {
  /// All nodes of the tree, in preorder.
  package var nodes: QueryNodes { QueryNodes(of: self) }

  /// Returns the number of nodes and list values in the tree, at most `limit`.
  package func size(upTo limit: Int) -> Int {
    var size = 0
    for node in nodes {
      size += 1
      if case .isIn(_, let values) = node.kind { size += values.count }
      if case .position(_, let values) = node.kind { size += values.count }
      // A prefix becomes a range of two constants.
      if case .text = node.kind { size += 2 }
      if size >= limit { return limit }
    }
    return size
  }

  /// Returns how deep the nodes of the tree are nested, at most `limit`. A chain of `&&`, or of `||`, is one level,
  /// however its terms are grouped.
  package func nesting(upTo limit: Int) -> Int {
    var nesting = 0
    var pending = [(node: self, level: 1)]
    while nesting < limit, let (node, level) = pending.popLast() {
      nesting = max(nesting, level)
      let operands = node.kind.operands
      if let first = operands.first { pending.append((first, node.isChained(with: first) ? level : level + 1)) }
      if let second = operands.second { pending.append((second, node.isChained(with: second) ? level : level + 1)) }
    }
    return min(nesting, limit)
  }

  /// Returns whether both nodes are `&&`, or both are `||`.
  private func isChained(with operand: QueryNode) -> Bool {
    switch (kind, operand.kind) {
    case (.and, .and), (.or, .or): true
    default: false
    }
  }

  /// The terms of a chain of `&&`, from left to right.
  package var conjuncts: [QueryNode] {
    var terms: [QueryNode] = []
    var pending = [self]
    while let node = pending.popLast() {
      if case .and(let lhs, let rhs) = node.kind {
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
      if case .or(let lhs, let rhs) = node.kind {
        pending.append(rhs)
        pending.append(lhs)
      } else {
        terms.append(node)
      }
    }
    return terms
  }
}

// MARK: Simple nodes

extension QueryNode {
  /// The field whose value the node is; nil for any other node.
  package var field: RecordField? {
    if case .field(let field) = kind { field } else { nil }
  }

  /// The comparison of a field with a constant, turned so that the field is on the left; nil for any other node.
  package var fieldComparison: (field: RecordField, comparison: Comparison, value: FieldValue)? {
    guard case .comparison(let comparison, let lhs, let rhs) = kind else { return nil }
    switch (lhs.kind, rhs.kind) {
    case (.field(let field), .constant(let value)): return (field, comparison, value)
    case (.constant(let value), .field(let field)): return (field, comparison.mirrored, value)
    default: return nil
    }
  }

  /// Returns the name on disk of the field that the node reads, or whose position in a list it is; empty for any
  /// other node.
  func fieldName(in record: RecordDescription) -> String {
    var node = self
    while case .position(let operand, _) = node.kind { node = operand }
    guard let field = node.field else { return "" }
    return record.primaryKeys.firstIndex(of: field).map { "__pk\($0)" } ?? field.key
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

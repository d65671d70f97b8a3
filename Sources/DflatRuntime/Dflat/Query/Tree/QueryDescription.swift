extension QueryNode: CustomStringConvertible, CustomReflectable {
  /// The expression as text, with fields by their names on disk: `(f4 > 100 && !(f6 in ["a", "b"]))`. It is for
  /// messages and logs; the form may change.
  public var description: String {
    enum Step {
      case node(QueryNode)
      case text(String)
    }
    var description = ""
    var steps = [Step.node(self)]
    func plan(_ parts: Step...) { steps += parts.reversed() }
    while let step = steps.popLast() {
      guard case .node(let node) = step else {
        if case .text(let text) = step { description += text }
        continue
      }
      switch node.kind {
      case .field(let field): description += field.key
      case .constant(let value): description += value.queryDescription
      case .comparison(let comparison, let lhs, let rhs):
        plan(.text("("), .node(lhs), .text(" \(comparison.symbol) "), .node(rhs), .text(")"))
      case .and(let lhs, let rhs): plan(.text("("), .node(lhs), .text(" && "), .node(rhs), .text(")"))
      case .or(let lhs, let rhs): plan(.text("("), .node(lhs), .text(" || "), .node(rhs), .text(")"))
      case .not(let operand): plan(.text("!"), .node(operand))
      case .isNull(let operand): plan(.text("("), .node(operand), .text(" is NULL)"))
      case .isIn(let operand, let values):
        plan(.text("("), .node(operand), .text(" in [\(values.map(\.queryDescription).joined(separator: ", "))])"))
      case .arithmetic(let operation, let lhs, let rhs):
        plan(.text("("), .node(lhs), .text(" \(operation.symbol) "), .node(rhs), .text(")"))
      case .position(let operand, let values):
        plan(
          .text("[\(values.map(\.queryDescription).joined(separator: ", "))].firstIndex(of: "), .node(operand),
          .text(")"))
      case .text(let condition, let operand, let constant):
        plan(.node(operand), .text(".\(condition.name)(\(constant.debugDescription))"))
      case .length(let operand): plan(.node(operand), .text(".length"))
      case .folded(.case, let operand): plan(.node(operand), .text(".foldedCase"))
      case .folded(.caseAndDiacritics, let operand): plan(.node(operand), .text(".folded"))
      case .uuidText(let operand): plan(.node(operand), .text(".uuidText"))
      case .count(let vector): description += vector.key + ".count"
      case .hasElement(let vector, let level, let condition):
        plan(.text("\(vector.key).contains(where: e\(level) in "), .node(condition), .text(")"))
      }
    }
    return description
  }

  /// A mirror without children: showing a deep tree, node within node, would overflow the stack.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FieldValue {
  fileprivate var queryDescription: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value.debugDescription
    case .bytes(let value): FieldValue.hexadecimal(value)
    }
  }
}

extension QueryNode.Comparison {
  fileprivate var symbol: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension QueryNode.TextCondition {
  fileprivate var name: String {
    switch self {
    case .prefix: "hasPrefix"
    case .suffix: "hasSuffix"
    case .part: "contains"
    }
  }
}

extension QueryNode.Arithmetic {
  fileprivate var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .remainder: "%"
    }
  }
}

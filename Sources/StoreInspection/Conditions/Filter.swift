import FlatBuffersJSON

/// A condition on the objects of a table, with the three-valued logic of the runtime's queries: a comparison with null
/// is neither true nor false.
public struct Filter: Sendable {
  enum Operand: Sendable {
    case field(FieldPath)
    case value(FieldValue)
  }

  indirect enum Node: Sendable {
    case or(Node, Node)
    case and(Node, Node)
    case not(Node)
    case comparison(Operand, FilterSyntax.Comparison, Operand)
    case among(Operand, [Operand])
    case isNull(Operand)
    case truth(Operand)
  }

  let root: Node

  /// Returns whether an object satisfies the condition; nil if that is unknown because a value is null.
  public func evaluate(_ object: VerifiedObject) -> Bool? { evaluate(root, object) }

  private func evaluate(_ node: Node, _ object: VerifiedObject) -> Bool? {
    switch node {
    case .or(let a, let b):
      let left = evaluate(a, object)
      if left == true { return true }
      let right = evaluate(b, object)
      if right == true { return true }
      return left == nil || right == nil ? nil : false
    case .and(let a, let b):
      let left = evaluate(a, object)
      if left == false { return false }
      let right = evaluate(b, object)
      if right == false { return false }
      return left == nil || right == nil ? nil : true
    case .not(let inner): return evaluate(inner, object).map { !$0 }
    case .isNull(let operand): return value(operand, object) == .null
    case .truth(let operand):
      let value = value(operand, object)
      return value == .null ? nil : value != .integer(0)
    case .comparison(let left, let comparison, let right):
      let (a, b) = (value(left, object), value(right, object))
      guard a != .null, b != .null else { return nil }
      let order = FieldValue.order(a, b)
      switch comparison {
      case .equal: return order == 0
      case .unequal: return order != 0
      case .less: return order < 0
      case .lessOrEqual: return order <= 0
      case .greater: return order > 0
      case .greaterOrEqual: return order >= 0
      }
    case .among(let operand, let choices):
      let value = value(operand, object)
      guard value != .null else { return nil }
      var isUnknown = false
      for choice in choices {
        let other = self.value(choice, object)
        if other == .null { isUnknown = true } else if FieldValue.order(value, other) == 0 { return true }
      }
      return isUnknown ? nil : false
    }
  }

  private func value(_ operand: Operand, _ object: VerifiedObject) -> FieldValue {
    switch operand {
    case .field(let path): object.value(at: path)
    case .value(let value): value
    }
  }
}

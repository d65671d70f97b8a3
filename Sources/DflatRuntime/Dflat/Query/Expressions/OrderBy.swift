/// The order of two objects by a key, or the direction of a key.
public enum SortingOrder: Hashable, Sendable {
  /// The first object comes before the second in an ascending order.
  case ascending
  /// The objects are equal in the key.
  case same
  /// The first object comes before the second in a descending order.
  case descending
}

/// A key by which fetched objects are ordered. Objects that are equal in every key keep the order in which they were
/// stored.
public struct OrderBy<Element: Atom>: Hashable, Sendable {
  package let node: QueryNode
  package let isDescending: Bool

  init(_ node: QueryNode, isDescending: Bool) {
    self.node = node
    self.isDescending = isDescending
  }

  /// The key with the ascending direction.
  public var ascending: OrderBy { OrderBy(node, isDescending: false) }

  /// The key with the descending direction.
  public var descending: OrderBy { OrderBy(node, isDescending: true) }

  /// The direction of the key.
  public var sortingOrder: SortingOrder { isDescending ? .descending : .ascending }

  /// The name on disk of the key's field, such as `f10`, or `__pk0` in the primary key; empty for any other expression.
  public var name: String { node.fieldName(in: Element._record) }
}

extension Collection where Element: QueryConstant {
  /// Returns an order by the position of an expression's value in this collection: the first position, if the value
  /// occurs several times. Objects whose value is not in the collection come first.
  public func firstIndex<Object: Atom>(of expression: QueryExpression<Element, Object>) -> OrderBy<Object> {
    OrderBy(.position(expression._node, map(expression.constant)), isDescending: false)
  }

  /// Returns an order by the position of an expression's value in this collection: the last position, if the value
  /// occurs several times. Objects whose value is not in the collection come first.
  public func lastIndex<Object: Atom>(of expression: QueryExpression<Element, Object>) -> OrderBy<Object> {
    var seen: Set<FieldValue> = []
    let values = map(expression.constant).reversed().filter { seen.insert($0).inserted }
    return OrderBy(.position(expression._node, values.reversed()), isDescending: false)
  }
}

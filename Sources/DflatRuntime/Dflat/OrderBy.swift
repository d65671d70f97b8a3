/// A key by which fetched objects are ordered. Objects that are equal in every key keep the order in which they were
/// stored.
public struct OrderBy<Element: Atom>: Hashable, Sendable {
  package let node: QueryNode
  package let isDescending: Bool

  init(_ node: QueryNode, isDescending: Bool) {
    self.node = node
    self.isDescending = isDescending
  }

  /// The same key, ascending.
  public var ascending: OrderBy { OrderBy(node, isDescending: false) }

  /// The same key, descending.
  public var descending: OrderBy { OrderBy(node, isDescending: true) }

  /// What the key is called in a message: the name on disk of a field, such as `f10`; empty for any other expression.
  public var name: String {
    if case .field(let field) = node { field.key } else { "" }
  }
}

extension Collection where Element: QueryValue {
  /// Orders objects by the position of their value in this collection: the first one, if it is there several times. Objects
  /// whose value is not in it come first.
  public func firstIndex<Object: Atom>(of expression: QueryExpression<Element, Object>) -> OrderBy<Object> {
    OrderBy(.position(expression._node, map(\._fieldValue)), isDescending: false)
  }

  /// Orders objects by the position of their value in this collection: the last one, if it is there several times. Objects
  /// whose value is not in it come first.
  public func lastIndex<Object: Atom>(of expression: QueryExpression<Element, Object>) -> OrderBy<Object> {
    var seen: Set<FieldValue> = []
    let values = map(\._fieldValue).reversed().filter { seen.insert($0).inserted }
    return OrderBy(.position(expression._node, values.reversed()), isDescending: false)
  }
}

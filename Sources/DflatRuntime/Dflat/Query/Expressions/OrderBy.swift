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
///
/// ```swift
/// let order = [Post.color.ascending, Post.priority.descending]
/// let posts = workspace.fetch(for: Post.self).all(orderBy: order)
/// ```
///
/// Texts are ordered by their UTF-8 bytes, in which `Z` comes before `a`: see ``QueryExpression/folded`` and
/// ``LocalizedOrder`` for other orders. If the first key is indexed, the index can give the order, and a fetch with a
/// limit reads few rows. Otherwise, all rows that match are read and then sorted.
///
/// See also: ``QueryBuilder``, Documentation/using-the-store.md (Queries, Indexes).
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
  ///
  /// ```swift
  /// let byColor = workspace.fetch(for: Post.self).all(orderBy: [Color.blue, .red].firstIndex(of: Post.color))
  /// ```
  ///
  /// No index gives this order: the rows that match are read and then sorted.
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

import FlatBuffersJSON

/// The first rows in the order of a field, each with some content. Rows with the same key stay in their order.
package struct FirstRows<Content> {
  private var rows: [(key: FieldValue, row: Int64, content: Content)] = []
  private let isDescending: Bool
  private let limit: Int?

  /// Creates an empty collection of rows.
  ///
  /// - Parameter limit: the most rows that are kept; nil for all rows.
  package init(isDescending: Bool, limit: Int?) {
    self.isDescending = isDescending
    self.limit = limit
  }

  private func order(_ first: FieldValue, _ second: FieldValue) -> Int {
    isDescending ? FieldValue.order(second, first) : FieldValue.order(first, second)
  }

  /// Adds a row after all earlier ones with the same key. Its content is dropped if it is not among the first.
  package mutating func add(_ content: Content, _ row: Int64, key: FieldValue) {
    guard let limit else {
      rows.append((key, row, content))
      return
    }
    if rows.count >= limit, let last = rows.last, order(key, last.key) >= 0 { return }
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if order(key, rows[middle].key) < 0 { high = middle } else { low = middle + 1 }
    }
    rows.insert((key, row, content), at: low)
    if rows.count > limit { rows.removeLast() }
  }

  /// Returns the rows in order.
  package func sorted() -> [(row: Int64, content: Content)] {
    guard limit == nil else { return rows.map { ($0.row, $0.content) } }
    return rows.sorted { a, b in
      let result = order(a.key, b.key)
      return result == 0 ? a.row < b.row : result < 0
    }.map { ($0.row, $0.content) }
  }
}

import FlatBuffersJSON

/// The first rows in the order of a field, each with some content. Rows with the same key stay in their order.
///
/// With a limit, at most twice as many rows are kept, so that sorting costs each row little.
package struct FirstRows<Content> {
  private typealias Entry = (key: FieldValue, row: Int64, content: Content)

  private var rows: [Entry] = []
  private let isDescending: Bool
  private let limit: Int?
  /// The last key of the first rows when they were sorted; nil before. Rows that come after it are not among the first.
  private var lastKey: FieldValue?

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

  /// Whether the first of two rows comes before the second.
  private var isBefore: (Entry, Entry) -> Bool {
    // Without `self`, whose rows would be copied while they are sorted.
    return { [isDescending] (first, second) in
      let result = FieldValue.order(first.key, second.key)
      return result == 0 ? first.row < second.row : (result < 0) != isDescending
    }
  }

  /// Adds a row, whose number must be larger than those of all earlier ones. Its content is dropped if it is not among
  /// the first.
  package mutating func add(_ content: Content, _ row: Int64, key: FieldValue) {
    if let lastKey, order(key, lastKey) >= 0 { return }
    rows.append((key, row, content))
    guard let limit, rows.count / 2 >= limit else { return }
    rows.sort(by: isBefore)
    rows.removeLast(rows.count - limit)
    lastKey = rows.last?.key
  }

  /// Returns the rows in order.
  package func sorted() -> [(row: Int64, content: Content)] {
    rows.sorted(by: isBefore).prefix(limit ?? .max).map { ($0.row, $0.content) }
  }
}

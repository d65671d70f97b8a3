import FlatBuffersCore

/// An index of standing queries that finds, for a row, those whose predicate is true.
///
/// Each query is filed under an access predicate: a condition on one field that every row satisfies that matches the
/// query. A lookup reads each field that occurs in an access predicate once. It finds the queries whose access
/// predicate the row satisfies, and evaluates their whole predicates. See Documentation/standing-queries.md.
///
/// One thread uses it at a time: it does not lock.
package final class PredicateIndex {
  // Exclusivity is unchecked in the variables used for each changed row: one thread uses them at a time, and nothing
  // called from here leads back here. With the checks, a transaction takes a fifth longer while 10,000 queries are
  // observed that do not match its rows: the benchmark row "update beside 10,000 others".
  @exclusivity(unchecked) private var queries = FiledQueries()

  package init() {}

  /// Files a standing query.
  ///
  /// It takes O(log n) for each term of a disjunction and for each value of an `in`.
  ///
  /// - Parameters:
  ///   - predicate: the predicate; nil if every row matches.
  ///   - id: a small number: memory is reserved for all ids below it. A query that was filed under the id before is
  ///     removed.
  package func insert(_ predicate: QueryNode?, as id: Int) {
    queries.insert(predicate, as: id)
  }

  /// Removes the standing query that was filed under `id`, if there is one. It takes as long as its insertion.
  package func remove(_ id: Int) {
    queries.remove(id)
  }

  /// Appends the id of each standing query whose predicate is true for the row, each once, in no particular order.
  ///
  /// The call reads each field under which queries are filed, and looks its value up: in O(1) if there are equalities,
  /// in O(log n) if there are ranges. It evaluates each query whose access predicate the row satisfies, or that has
  /// none. It allocates nothing but room in `ids`.
  package func appendMatches(of row: FlatBufferTable, to ids: inout ContiguousArray<Int32>) {
    queries.appendMatches(of: row, to: &ids)
  }

  // MARK: Figures

  /// The number of the last lookup. A test sets it, because the counter overflows only after years.
  var lookupNumber: UInt32 {
    get { queries.lookup }
    set { queries.lookup = newValue }
  }

  /// The number of fields that a lookup reads.
  var readFieldCount: Int { queries.fields.all.count }

  /// The number of access predicates that memory is held for.
  var filingCapacity: Int { queries.filings.capacity }

  /// Returns the number of queries that are filed under a value of a field.
  func candidateCount(of value: FieldValue, in field: RecordField) -> Int {
    queries.fields.byField.popularity(of: value, in: FiledField(field: field))
  }
}

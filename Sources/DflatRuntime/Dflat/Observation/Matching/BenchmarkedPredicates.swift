import FlatBuffersCore

// For the benchmarks, which are a separate package and cannot see `PredicateIndex` and `QueryProgram`.

/// A `PredicateIndex` of standing queries, whose ids are their positions.
@_spi(Benchmarks)
public final class IndexedPredicates {
  private let index = PredicateIndex()

  /// Files the queries, in order.
  public init(_ predicates: [QueryNode]) {
    for (id, predicate) in predicates.enumerated() { index.insert(predicate, as: id) }
  }

  /// Removes the query with an id.
  public func remove(_ id: Int) { index.remove(id) }

  /// Appends the ids of the queries that match a row.
  public func appendMatches(of row: FlatBufferTable, to ids: inout ContiguousArray<Int32>) {
    index.appendMatches(of: row, to: &ids)
  }
}

/// An array of standing queries, each of which is evaluated for every row.
@_spi(Benchmarks)
public final class EvaluatedPredicates {
  private let programs: ContiguousArray<QueryProgram>

  /// Compiles the queries.
  public init(_ predicates: [QueryNode]) {
    programs = ContiguousArray(predicates.map { QueryProgram($0) })
  }

  /// Appends the positions of the queries that match a row.
  public func appendMatches(of row: FlatBufferTable, to ids: inout ContiguousArray<Int32>) {
    for index in programs.indices where programs[index].matches(row) { ids.append(Int32(index)) }
  }
}

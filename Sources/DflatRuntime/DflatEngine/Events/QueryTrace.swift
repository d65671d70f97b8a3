import Dflat

/// Collects the contents of a query's event, on the thread that answers the query.
package final class QueryTrace {
  package var plan: QueryPlan
  package var rowsRead = 0
  package var rowsReturned = 0

  package init(_ type: String) { plan = QueryPlan(type: type) }

  /// Records the plan of a fetch.
  ///
  /// - Parameters:
  ///   - columns: the columns that SQL searches or sorts by.
  ///   - rest: the parts of the condition that are evaluated on the rows.
  ///   - sortsRows: whether rows are sorted after SQL has returned them in another order.
  ///   - missing: the indexes that the plan would use if they were complete.
  package func note(
    _ sql: String, _ record: RecordDescription, columns: [SQLColumn], rest: [QueryNode], sortsRows: Bool, missing: [Int]
  ) {
    func names(_ indexes: [Int]) -> [String] {
      indexes.map { record.columnName(record.primaryKeys.count + $0) }
    }
    var indexes: [Int] = []
    for case .index(let index) in columns where !indexes.contains(index) { indexes.append(index) }
    plan.sql = sql
    plan.access = !indexes.isEmpty ? .index(names(indexes)) : columns.isEmpty ? .scan : .key
    plan.filter = rest.first.map { first in
      rest.dropFirst().reduce(first) { QueryNode.and($0, $1) }.description
    }
    plan.sortsRows = sortsRows
    plan.incompleteIndexes = names(missing)
  }

  /// Records that an object is looked up by its whole primary key.
  package func noteKey(_ sql: String) {
    plan.access = .key
    plan.sql = sql
  }
}

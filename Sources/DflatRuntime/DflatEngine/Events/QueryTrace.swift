import Dflat

/// Collects what the event of a query tells, on the thread that answers the query.
package final class QueryTrace {
  package var plan: QueryPlan
  package var rowsRead = 0
  package var rowsReturned = 0

  package init(_ type: String) { plan = QueryPlan(type: type) }

  /// Notes the plan of a fetch.
  ///
  /// - Parameters:
  ///   - columns: where SQL finds the rows, or has their order.
  ///   - rest: the parts of the condition that are evaluated on the rows.
  ///   - sortsRows: whether SQL returns them in another order than the one that was asked for.
  ///   - missing: the indexes that would be used, and are not complete.
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

  /// Notes that an object is found by its whole primary key.
  package func noteKey(_ sql: String) {
    plan.access = .key
    plan.sql = sql
  }
}

import Dflat
import DflatEngine

extension SQLiteCore {
  func explain(
    _ request: FetchRequest, of record: RecordDescription, type: String
  ) throws(StoreError) -> QueryPlan {
    let trace = QueryTrace(type)
    do {
      let isOpen: Void? = try withConnection { connection in
        guard try connection.hasTable(record.table) else { return }
        let reader = connection.reader(for: record)
        if request.primaryKey(of: record) != nil {
          trace.noteKey(reader.lookUpByPrimaryKey)
        } else {
          _ = try SQLiteFetchPlanner(record, reader, trace).makePlan(request, for: .objects)
        }
        trace.plan.databasePlan = try connection.plan(of: trace.plan.sql)
      }
      if isOpen != nil { return trace.plan }
    } catch {
      throw .failed(error)
    }
    if database.isShutDown { throw .shutDown }
    return trace.plan
  }
}

extension SQLiteConnection {
  /// Returns how SQLite runs a statement, a line for each step.
  fileprivate func plan(of sql: String) throws -> [String] {
    let statement = try SQLiteStatement(
      "EXPLAIN QUERY PLAN " + sql, for: "Explaining a query", on: self, persistent: false)
    defer { statement.reset() }
    var steps: [String] = []
    while try statement.step() { steps.append(statement.text(at: 3)) }
    return steps
  }
}

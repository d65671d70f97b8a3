import Dflat
import DflatEngine

extension PostgresCore {
  func explain(
    _ request: FetchRequest, of record: RecordDescription, type: String
  ) throws(StoreError) -> QueryPlan {
    try reading { connection, _ in
      let trace = QueryTrace(type)
      let table = try catalog.table(of: record, on: connection)
      guard table.exists else { return trace.plan }
      var parameters = PostgresParameters()
      if let key = request.primaryKey(of: record),
        key.withRowValue({ parameters.append($0, as: table.layout.keyTypes[0]) })
      {
        trace.noteKey(table.layout.lookUp(parameters))
      } else {
        parameters = PostgresFetchPlanner(table, trace).makePlan(request, for: .objects).parameters
      }
      try connection.query(
        "EXPLAIN \(trace.plan.sql)", parameters, isPrepared: false, for: "Explaining a query"
      ) { row in
        trace.plan.databasePlan.append(row.text(0))
        return true
      }
      return trace.plan
    }
  }
}

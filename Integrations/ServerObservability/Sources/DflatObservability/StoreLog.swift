import Dflat
import Logging
import PostgresDflat

/// Writes to a logger what a store cannot hand back, and what takes long.
///
/// | level | what |
/// |---|---|
/// | error | an error of the store, as its error handler gets it; a transaction that has failed |
/// | warning | a query or a transaction that took `slowQuery` or `slowTransaction`; handlers that were too slow for the events |
/// | info | a transaction whose closure has run more than once |
///
/// The metadata have `type`, `access`, `statement`, `duration_ms`, `rows_read`, `rows_returned`, `outcome`, `closure_runs`, `error`.
/// Statements have their parameters as `?` or `$1`, so that no value of a user is written.
public struct StoreLog: Sendable {
  private let logger: Logger
  /// From which duration on a query is slow.
  public var slowQuery = Duration.milliseconds(200)
  /// From which duration on a transaction is slow, with the time that it has waited.
  public var slowTransaction = Duration.seconds(1)

  /// A log of a store.
  public init(_ logger: Logger) { self.logger = logger }

  /// Logs an error: hand it over as the `errorHandler` of a workspace.
  public func log(_ error: any Error) {
    var metadata: Logger.Metadata = ["error": "\(error)"]
    if let error = error as? PostgresError {
      metadata["cause"] = "\(error.cause)"
      if !error.sqlState.isEmpty { metadata["sql_state"] = "\(error.sqlState)" }
    }
    logger.error("A store has failed", metadata: metadata)
  }

  func log(_ event: QueryEvent) {
    logSkipped(event.skippedCount)
    guard event.duration >= slowQuery else { return }
    var metadata: Logger.Metadata = [
      "type": "\(event.type)", "access": "\(event.plan.access)", "statement": "\(event.statement)",
      "duration_ms": "\(event.duration.milliseconds)", "rows_read": "\(event.rowsRead)",
      "rows_returned": "\(event.rowsReturned)",
    ]
    if let error = event.error { metadata["error"] = "\(error)" }
    logger.warning("A query was slow", metadata: metadata)
  }

  func log(_ event: TransactionEvent) {
    logSkipped(event.skippedCount)
    var metadata: Logger.Metadata = [
      "type": "\(event.types.joined(separator: ","))", "outcome": "\(event.outcome)",
      "duration_ms": "\(event.duration.milliseconds)", "closure_runs": "\(event.closureRuns)",
    ]
    if let error = event.error { metadata["error"] = "\(error)" }
    if event.outcome == .failed { logger.error("A transaction has failed", metadata: metadata) }
    if event.duration >= slowTransaction { logger.warning("A transaction was slow", metadata: metadata) }
    if event.closureRuns > 1 { logger.info("A transaction was run again", metadata: metadata) }
  }

  private func logSkipped(_ count: Int) {
    guard count > 0 else { return }
    logger.warning("Events of a store were left out", metadata: ["count": "\(count)"])
  }
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
  var seconds: Double { self / .seconds(1) }
}

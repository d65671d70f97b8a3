import Dflat
import Tracing

/// Makes spans of transactions and of slow queries.
///
/// A span is made when the work is done, with the times of the work. It has no parent: the workspace tells of its work on a queue, where
/// the task that has asked for it is not known. README.md lists the attributes. Statements have their parameters as `?` or `$1`, so
/// that no value of a user is in them.
public struct StoreTraces: Sendable {
  private let tracer: any Tracer
  /// From which duration on a query has a span.
  public var slowQuery = Duration.milliseconds(200)
  /// From which duration on a transaction has a span, with the time that it has waited.
  public var shortestTransaction = Duration.zero

  /// Spans of a tracer, such as `InstrumentationSystem.tracer`.
  public init(_ tracer: any Tracer) { self.tracer = tracer }

  func record(_ event: QueryEvent) {
    guard event.duration >= slowQuery || event.error != nil else { return }
    record("dflat.query", event.duration, event.error) { attributes in
      attributes["db.query.text"] = event.statement
      attributes["dflat.type"] = event.type
      attributes["dflat.access"] = "\(event.plan.access)"
      attributes["dflat.rows_read"] = event.rowsRead
      attributes["dflat.rows_returned"] = event.rowsReturned
      attributes["dflat.is_in_transaction"] = event.isInTransaction
    }
  }

  func record(_ event: TransactionEvent) {
    guard event.duration >= shortestTransaction else { return }
    // Who aborts a transaction means to.
    record("dflat.transaction", event.duration, event.outcome == .failed ? event.error : nil) { attributes in
      attributes["dflat.types"] = event.types.joined(separator: ",")
      attributes["dflat.outcome"] = "\(event.outcome)"
      attributes["dflat.closure_runs"] = event.closureRuns
      attributes["dflat.wait_ms"] = event.waitTime.milliseconds
      attributes["dflat.closure_ms"] = event.closureTime.milliseconds
      attributes["dflat.commit_ms"] = event.commitTime.milliseconds
      attributes["dflat.inserted"] = event.insertedCount
      attributes["dflat.updated"] = event.updatedCount
      attributes["dflat.deleted"] = event.deletedCount
    }
  }

  /// Makes a span that ends now.
  private func record(
    _ name: String, _ duration: Duration, _ error: (any Error)?, _ setAttributes: (inout SpanAttributes) -> Void
  ) {
    let end = DefaultTracerClock().now
    let length = UInt64(max(0, duration / .nanoseconds(1)))
    let start = DefaultTracerClock.Timestamp(
      nanosecondsSinceEpoch: end.nanosecondsSinceEpoch - min(length, end.nanosecondsSinceEpoch))
    let span = tracer.startAnySpan(name, at: start, context: .topLevel, ofKind: .client)
    span.updateAttributes(setAttributes)
    if let error {
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error))
    }
    span.end(at: end)
  }
}

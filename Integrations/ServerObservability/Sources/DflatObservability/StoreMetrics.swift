import Dflat
import Metrics
import PostgresDflat

/// The metrics of a store, by their names. README.md lists them.
struct StoreMetrics: Sendable {
  let factory: any MetricsFactory

  func record(_ event: QueryEvent) {
    let outcome = event.error == nil ? "ok" : "error"
    let dimensions = [("type", event.type), ("access", event.plan.access.label), ("outcome", outcome)]
    count("dflat.queries", dimensions)
    time("dflat.query.duration", dimensions, event.duration)
    count("dflat.query.rows_read", [("type", event.type)], event.rowsRead)
    count("dflat.query.rows_returned", [("type", event.type)], event.rowsReturned)
    countSkipped(event.skippedCount)
  }

  func record(_ event: TransactionEvent) {
    let types = event.types.joined(separator: ",")
    let dimensions = [("types", types), ("outcome", "\(event.outcome)")]
    count("dflat.transactions", dimensions)
    time("dflat.transaction.duration", dimensions, event.duration)
    time("dflat.transaction.wait", dimensions, event.waitTime)
    time("dflat.transaction.closure", dimensions, event.closureTime)
    time("dflat.transaction.commit", dimensions, event.commitTime)
    count("dflat.transaction.retries", [("types", types)], max(0, event.closureRuns - 1))
    count("dflat.objects", [("types", types), ("change", "inserted")], event.insertedCount)
    count("dflat.objects", [("types", types), ("change", "updated")], event.updatedCount)
    count("dflat.objects", [("types", types), ("change", "deleted")], event.deletedCount)
    countSkipped(event.skippedCount)
  }

  /// - Parameter former: the status that was recorded before; nil at first.
  func record(_ status: PoolStatus, after former: PoolStatus?) {
    gauge("dflat.pool.connections", [("state", "idle")], Double(status.idleCount))
    gauge("dflat.pool.connections", [("state", "used")], Double(status.usedCount))
    gauge("dflat.pool.limit", [], Double(status.connectionLimit))
    gauge("dflat.pool.waiting", [], Double(status.waitingCount))
    count("dflat.pool.waits", [], status.waitCount - (former?.waitCount ?? 0))
    count("dflat.pool.timeouts", [], status.timeoutCount - (former?.timeoutCount ?? 0))
    let waited = status.waitTime - (former?.waitTime ?? .zero)
    if waited > .zero {
      FloatingPointCounter(label: "dflat.pool.wait_seconds", dimensions: [], factory: factory)
        .increment(by: waited.seconds)
    }
  }

  func record(_ status: ReplicationStatus) {
    guard status.isObserving else { return }
    gauge("dflat.replication.streaming", [], status.isStreaming ? 1 : 0)
    if let lag = status.lagByteCount { gauge("dflat.replication.lag_bytes", [], Double(lag)) }
  }

  func recordError() { count("dflat.errors", []) }

  private func countSkipped(_ count: Int) { self.count("dflat.events.skipped", [], count) }

  private func count(_ label: String, _ dimensions: [(String, String)], _ value: Int = 1) {
    if value > 0 { Counter(label: label, dimensions: dimensions, factory: factory).increment(by: value) }
  }

  private func time(_ label: String, _ dimensions: [(String, String)], _ duration: Duration) {
    Timer(label: label, dimensions: dimensions, factory: factory)
      .recordNanoseconds(Int64(duration / .nanoseconds(1)))
  }

  private func gauge(_ label: String, _ dimensions: [(String, String)], _ value: Double) {
    Gauge(label: label, dimensions: dimensions, factory: factory).record(value)
  }
}

extension QueryPlan.Access {
  /// A value of few, as a dimension needs it: without the fields of an index.
  fileprivate var label: String {
    switch self {
    case .key: "key"
    case .index: "index"
    case .scan: "scan"
    case .nothing: "nothing"
    }
  }
}

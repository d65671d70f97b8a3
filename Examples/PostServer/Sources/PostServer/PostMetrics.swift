import Dflat
import PostgresDflat
import Synchronization

/// Counts what the store does, and writes it in Prometheus' text format.
///
/// It listens to the events of the workspace for as long as it lives. A server with more metrics than these takes the package
/// Integrations/ServerObservability and a library for Prometheus.
final class PostMetrics: Sendable {
  private struct Counts {
    var queries: [String: (count: Int, seconds: Double, rowsRead: Int, errors: Int)] = [:]
    var transactions: [String: (count: Int, seconds: Double)] = [:]
    var retries = 0
  }

  private let counts = Mutex(Counts())
  private let subscriptions = Mutex<[any WorkspaceSubscription]>([])

  init(of workspace: any Workspace) {
    let onQuery = workspace.onQuery { [weak self] event in
      self?.counts.withLock { counts in
        var query = counts.queries["\(event.plan.access)"] ?? (0, 0, 0, 0)
        query.count += 1
        query.seconds += event.duration / .seconds(1)
        query.rowsRead += event.rowsRead
        query.errors += event.error == nil ? 0 : 1
        counts.queries["\(event.plan.access)"] = query
      }
    }
    let onTransaction = workspace.onTransaction { [weak self] event in
      self?.counts.withLock { counts in
        var transaction = counts.transactions["\(event.outcome)"] ?? (0, 0)
        transaction.count += 1
        transaction.seconds += event.duration / .seconds(1)
        counts.transactions["\(event.outcome)"] = transaction
        counts.retries += max(0, event.closureRuns - 1)
      }
    }
    subscriptions.withLock { $0 = [onQuery, onTransaction] }
  }

  func text(_ pool: PoolStatus?) -> String {
    var text = ""
    func metric(_ name: String, _ type: String, _ values: [(labels: String, value: String)]) {
      text += "# TYPE posts_\(name) \(type)\n"
      for (labels, value) in values { text += "posts_\(name)\(labels) \(value)\n" }
    }
    counts.withLock { counts in
      let queries = counts.queries.sorted { $0.key < $1.key }.map { (label: "{access=\"\($0)\"}", value: $1) }
      metric("queries_total", "counter", queries.map { ($0.label, "\($0.value.count)") })
      metric("query_seconds_total", "counter", queries.map { ($0.label, "\($0.value.seconds)") })
      metric("query_rows_read_total", "counter", queries.map { ($0.label, "\($0.value.rowsRead)") })
      metric("query_errors_total", "counter", queries.map { ($0.label, "\($0.value.errors)") })
      let transactions = counts.transactions.sorted { $0.key < $1.key }
        .map { (label: "{outcome=\"\($0)\"}", value: $1) }
      metric("transactions_total", "counter", transactions.map { ($0.label, "\($0.value.count)") })
      metric("transaction_seconds_total", "counter", transactions.map { ($0.label, "\($0.value.seconds)") })
      metric("transaction_retries_total", "counter", [("", "\(counts.retries)")])
    }
    if let pool {
      metric(
        "pool_connections", "gauge",
        [("{state=\"idle\"}", "\(pool.idleCount)"), ("{state=\"used\"}", "\(pool.usedCount)")])
      metric("pool_waiting", "gauge", [("", "\(pool.waitingCount)")])
      metric("pool_waits_total", "counter", [("", "\(pool.waitCount)")])
      metric("pool_wait_seconds_total", "counter", [("", "\(pool.waitTime / .seconds(1))")])
    }
    return text
  }
}

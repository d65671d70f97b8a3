import Dflat
import Logging
import Metrics
import PostgresDflat
import ServiceLifecycle

/// Logs, measures and traces what a workspace does, for as long as it lives or until `stop()`.
///
/// ```swift
/// let log = StoreLog(Logger(label: "store"))
/// let workspace = PostgresWorkspace(options, errorHandler: log.log)
/// let monitor = StoreMonitor(workspace, log: log)
/// try await ServiceGroup(services: [monitor, server], logger: logger).run()
/// ```
///
/// Queries and transactions are told by the workspace. What is asked for at intervals, the use of connections and the lag of replication,
/// needs `run()`.
public final class StoreMonitor: Service {
  private let workspace: any Workspace
  private let log: StoreLog?
  private let metrics: StoreMetrics
  private let interval: Duration
  private let subscriptions: [any WorkspaceSubscription]

  /// Begins to log, to measure and to trace.
  ///
  /// - Parameters:
  ///   - workspace: the workspace. The monitor keeps it.
  ///   - log: where errors and slow work are logged; nil for nowhere.
  ///   - traces: where transactions and slow queries become spans; nil for nowhere.
  ///   - factory: where metrics are recorded.
  ///   - interval: how often the use of connections and the lag of replication are asked for by `run()`.
  public init(
    _ workspace: any Workspace, log: StoreLog? = nil, traces: StoreTraces? = nil,
    factory: any MetricsFactory = MetricsSystem.factory, interval: Duration = .seconds(10)
  ) {
    let metrics = StoreMetrics(factory: factory)
    self.workspace = workspace
    self.log = log
    self.metrics = metrics
    self.interval = interval
    subscriptions = [
      workspace.onQuery { event in
        metrics.record(event)
        log?.log(event)
        traces?.record(event)
      },
      workspace.onTransaction { event in
        metrics.record(event)
        log?.log(event)
        traces?.record(event)
      },
    ]
  }

  /// Logs, measures and traces no more.
  public func stop() {
    for subscription in subscriptions { subscription.cancel() }
  }

  /// An error handler for a workspace that logs each error, and counts it as `dflat.errors`.
  public static func errorHandler(
    log: StoreLog, factory: any MetricsFactory = MetricsSystem.factory
  ) -> @Sendable (any Error) -> Void {
    let metrics = StoreMetrics(factory: factory)
    return { error in
      metrics.recordError()
      log.log(error)
    }
  }

  /// Asks at intervals how connections are used, and how far replication is behind, until the task is cancelled or the service group
  /// shuts down. Of a `SQLiteWorkspace` there is nothing to ask.
  public func run() async throws {
    try await cancelWhenGracefulShutdown { [self] in
      var former: PoolStatus?
      while !Task.isCancelled {
        if let postgres = workspace as? PostgresWorkspace {
          let status = postgres.poolStatus
          metrics.record(status, after: former)
          former = status
          do {
            metrics.record(try await postgres.replicationStatus())
          } catch let error as StoreError {
            if case .shutDown = error { return }
            metrics.recordError()
            log?.log(error)
          }
        }
        // It ends when the task is cancelled, which is no failure.
        try? await Task.sleep(for: interval)
      }
    }
  }
}

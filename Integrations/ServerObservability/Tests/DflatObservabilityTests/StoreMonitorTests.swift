import Dflat
import DflatObservability
import Foundation
import Logging
import MetricsTestKit
import SQLiteDflat
import Testing

/// Keeps what is logged.
private struct Records: LogHandler {
  final class Lines: @unchecked Sendable {
    // Unchecked because the lock guards the lines.
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }

    func append(_ line: String) { lock.withLock { lines.append(line) } }
  }

  let lines: Lines
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(_ lines: Lines) { self.lines = lines }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
    lines.append("\(event.level) \(event.message) \(metadata)")
  }
}

func eventually(_ condition: () -> Bool) async -> Bool {
  for _ in 0..<6_000 {
    if condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}

@Suite("A monitor of a store")
struct StoreMonitorTests {
  @Test("A monitor counts and times queries and transactions, and logs slow and failed ones")
  func events() async throws {
    let lines = Records.Lines()
    let metrics = TestMetrics()
    var log = StoreLog(Logger(label: "store") { _ in Records(lines) })
    log.slowQuery = .zero
    let workspace = SQLiteWorkspace.temporary(
      errorHandler: StoreMonitor.errorHandler(log: log, factory: metrics))
    let monitor = StoreMonitor(workspace, log: log, factory: metrics)
    await workspace.performChanges([Note.self]) { transaction in
      transaction.try(submit: NoteChangeRequest.creationRequest(Note(title: "secret")))
    }
    _ = workspace.fetch(for: Note.self).where(Note.title == "secret")
    await workspace.performChanges([Note.self]) { transaction in
      let request = NoteChangeRequest.creationRequest(Note(title: "again"))
      transaction.try(submit: request)
      transaction.try(submit: request)
    }
    #expect(await eventually { lines.all.count == 3 }, "\(lines.all)")
    let text = lines.all.sorted().joined(separator: "\n")
    #expect(text.contains("error A store has failed"))
    #expect(text.contains("error A transaction has failed"))
    #expect(text.contains("warning A query was slow [\"access=by key\""))
    #expect(!text.contains("secret"))
    let access = [("type", "Note"), ("access", "key"), ("outcome", "ok")]
    #expect(try metrics.expectCounter("dflat.queries", access).totalValue == 1)
    #expect(try metrics.expectTimer("dflat.query.duration", access).values.count == 1)
    #expect(try metrics.expectCounter("dflat.query.rows_read", [("type", "Note")]).totalValue == 1)
    for outcome in ["committed", "failed"] {
      let dimensions = [("types", "Note"), ("outcome", outcome)]
      #expect(try metrics.expectCounter("dflat.transactions", dimensions).totalValue == 1)
      #expect(try metrics.expectTimer("dflat.transaction.commit", dimensions).values.count == 1)
    }
    #expect(
      try metrics.expectCounter("dflat.objects", [("types", "Note"), ("change", "inserted")]).totalValue == 1)
    #expect(try metrics.expectCounter("dflat.errors", []).totalValue == 1)
    monitor.stop()
    _ = workspace.fetch(for: Note.self).where(Note.title == "secret")
    await workspace.shutdown()
    #expect(lines.all.count == 3)
  }

  @Test("A monitor's service ends when its task is cancelled")
  func service() async throws {
    let workspace = SQLiteWorkspace.temporary()
    let monitor = StoreMonitor(workspace, factory: TestMetrics())
    let task = Task { try await monitor.run() }
    task.cancel()
    try await task.value
    await workspace.shutdown()
  }
}

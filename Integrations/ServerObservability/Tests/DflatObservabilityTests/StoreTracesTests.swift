import Dflat
import DflatObservability
import InMemoryTracing
import MetricsTestKit
import SQLiteDflat
import Testing
import Tracing

@Suite("The spans of a store")
struct StoreTracesTests {
  @Test("Each transaction has a span, and so has each query that is slow, with the times of the work")
  func spans() async throws {
    let tracer = InMemoryTracer()
    var traces = StoreTraces(tracer)
    traces.slowQuery = .zero
    let workspace = SQLiteWorkspace.temporary(errorHandler: { _ in })
    let monitor = StoreMonitor(workspace, traces: traces, factory: TestMetrics())
    let before = DefaultTracerClock().now
    await workspace.performChanges([Note.self]) { transaction in
      transaction.try(submit: NoteChangeRequest.creationRequest(Note(title: "secret")))
    }
    _ = workspace.fetch(for: Note.self).where(Note.title == "secret")
    await workspace.performChanges([Note.self]) { transaction in _ = transaction.abort() }
    await workspace.performChanges([Note.self]) { transaction in
      let request = NoteChangeRequest.creationRequest(Note(title: "again"))
      transaction.try(submit: request)
      transaction.try(submit: request)
    }
    let isTold = await eventually { tracer.finishedSpans.count == 4 }
    #expect(isTold, "\(tracer.finishedSpans)")
    #expect(tracer.activeSpans.isEmpty)

    let spans = tracer.finishedSpans
    let transactions = spans.filter { $0.operationName == "dflat.transaction" }
    #expect(transactions.map { $0.attributes.get("dflat.outcome") } == ["committed", "aborted", "failed"])
    #expect(transactions.map { $0.errors.count } == [0, 0, 1])
    #expect(transactions.map { $0.status?.code == .error } == [false, false, true])
    #expect(transactions[0].attributes.get("dflat.types") == "Note")
    #expect(transactions[0].attributes.get("dflat.inserted") == 1)
    #expect(transactions[0].attributes.get("dflat.closure_runs") == 1)
    let query = try #require(spans.first { $0.operationName == "dflat.query" })
    #expect(query.attributes.get("dflat.access") == "by key")
    #expect(query.attributes.get("dflat.rows_read") == 1)
    let statement = "\(String(describing: query.attributes.get("db.query.text")))"
    #expect(statement.contains("SELECT") && !statement.contains("secret"), "\(statement)")
    for span in spans {
      #expect(span.kind == .client && span.parentSpanID == nil)
      #expect(span.startInstant.nanosecondsSinceEpoch < span.endInstant.nanosecondsSinceEpoch)
      #expect(span.endInstant.nanosecondsSinceEpoch >= before.nanosecondsSinceEpoch)
    }
    monitor.stop()
    await workspace.shutdown()
  }

  @Test("What is fast has no span, and what has failed has one")
  func thresholds() async throws {
    let tracer = InMemoryTracer()
    var traces = StoreTraces(tracer)
    traces.shortestTransaction = .seconds(3600)
    let workspace = SQLiteWorkspace.temporary(errorHandler: { _ in })
    let monitor = StoreMonitor(workspace, traces: traces, factory: TestMetrics())
    await workspace.performChanges([Note.self]) { transaction in
      transaction.try(submit: NoteChangeRequest.creationRequest(Note(title: "a")))
    }
    _ = workspace.fetch(for: Note.self).where(Note.title == "a")
    await workspace.shutdown()
    // The workspace cannot answer any more.
    _ = workspace.fetch(for: Note.self).where(Note.title == "a")
    let isTold = await eventually { !tracer.finishedSpans.isEmpty }
    #expect(isTold)
    #expect(tracer.finishedSpans.map(\.operationName) == ["dflat.query"])
    #expect(tracer.finishedSpans.first?.errors.count == 1)
    monitor.stop()
  }
}

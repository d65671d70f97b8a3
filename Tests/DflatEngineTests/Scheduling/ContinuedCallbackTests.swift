import Dispatch
import EngineTestSupport
import Testing

@testable import DflatEngine

@Suite("A callback that goes on as another one")
struct ContinuedCallbackTests {
  @Test("A completion waits for what a callback before it goes on with, also if that has to wait for a serial queue")
  func onSerialQueue() {
    let queue = DispatchQueue(label: "test")
    let completions = Completions(targetQueue: queue, reporter: ErrorReporter { _ in })
    completions.setLongestWait(.seconds(Int(patience)))
    let (calls, hasCompleted) = (Collected<String>(), Gate())
    let transaction = QueuedTransaction(
      [], queues: [], changesHandler: { _ in },
      completion: { _ in
        calls.append("completion")
        hasCompleted.open()
      })
    completions.expectCompletion()
    // On the queue, which runs nothing else until the completion could have been called.
    queue.sync {
      completions.appendCallbacks([{ completions.appendContinuation { calls.append("continuation") } }])
      completions.appendCompletion(of: transaction, nil)
      completions.makeCalls()
    }
    #expect(hasCompleted.wait())
    #expect(calls.values == ["continuation", "completion"])
  }
}

import Dflat
import DflatEngine
import EngineTestSupport
import Foundation
import Testing

@Suite("Completion handlers and callbacks that wait for transactions")
struct WaitingHandlerTests {
  /// For closures that neither read nor write.
  private final class NoContext: TransactionContext {
    func submit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject { throw .aborted }
    func `try`(submit request: some ChangeRequest) -> UpdatedObject? { nil }
    func abort() -> Bool { false }
    var dictionary: any DictionaryAccess { preconditionFailure("No closure here uses a dictionary.") }
  }

  /// A scheduler of transactions that are settled when their closures return.
  private final class Engine: TransactionRunner {
    let completions = Completions(targetQueue: nil) { _ in }
    let scheduler: TransactionScheduler

    init() { scheduler = TransactionScheduler(completions: completions, targetQueue: nil, isSerial: false) }

    func run(_ transaction: QueuedTransaction) {
      transaction.callChangesHandler(in: NoContext())
      completions.append(.completion(transaction, nil))
    }

    func closureHasEnded(hasNext: Bool) {}

    /// - Parameter callbacks: what is called before the transaction's completion.
    func perform(
      _ closure: @escaping @Sendable () -> Void = {}, callbacks: [@Sendable () -> Void] = [],
      completion: @escaping @Sendable () -> Void = {}
    ) {
      let completions = completions
      scheduler.enqueue(
        [ObjectIdentifier(Engine.self)], for: self,
        changesHandler: { _ in
          closure()
          completions.append(contentsOf: callbacks.map { .callback($0) })
        }, completion: { _ in completion() })
    }

    /// Whether everything is complete, at the latest after a long time.
    func becomesIdle() -> Bool {
      BackgroundThreads { [scheduler] _ in scheduler.waitUntilIdle() }.end()
    }
  }

  @Test("A handler that waits for the closure of the next transaction returns")
  func waitingForNextClosure() {
    let engine = Engine()
    let completed = Locked(0)
    for _ in 0..<20 {
      for _ in 0..<30 {
        engine.perform {
        } completion: {
          completed.change { $0 += 1 }
        }
      }
      let next = Gate()
      engine.perform {
      } completion: {
        if next.wait() { completed.change { $0 += 1 } }
      }
      engine.perform {
        next.open()
      } completion: {
        completed.change { $0 += 1 }
      }
    }
    #expect(engine.becomesIdle())
    #expect(completed.value == 20 * 32)
  }

  @Test("A subscriber's callback that waits for the closure of the next transaction returns")
  func callbackWaitingForNextClosure() {
    let engine = Engine()
    let hasWaited = Locked(0)
    for _ in 0..<20 {
      for _ in 0..<30 { engine.perform() }
      let next = Gate()
      engine.perform(callbacks: [{ if next.wait() { hasWaited.change { $0 += 1 } } }])
      engine.perform { next.open() }
    }
    #expect(engine.becomesIdle())
    #expect(eventually { hasWaited.value == 20 })
  }

  @Test("A handler that waits until all other transactions are complete returns")
  func waitingForAll() {
    let engine = Engine()
    let completed = Locked(0)
    for number in 0..<200 {
      engine.perform {
      } completion: {
        if number == 100 { engine.scheduler.waitUntilIdle() }
        completed.change { $0 += 1 }
      }
    }
    #expect(engine.becomesIdle())
    // The handler that has waited need not have returned.
    #expect(eventually { completed.value == 200 })
  }
}

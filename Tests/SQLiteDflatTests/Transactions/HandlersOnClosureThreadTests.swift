import Dflat
import DflatEngine
import EngineTestSupport
import Foundation
import Testing

@Suite("Short completion handlers are called on the thread that runs the next transaction")
struct HandlersOnClosureThreadTests {
  /// For closures that neither read nor write.
  private final class NoContext: TransactionContext {
    func submit(_ request: some ChangeRequest) throws(TransactionError) -> UpdatedObject { throw .aborted }
    func `try`(submit request: some ChangeRequest) -> UpdatedObject? { nil }
    func abort() -> Bool { false }
    var dictionary: any DictionaryAccess { preconditionFailure("No closure here uses a dictionary.") }
  }

  /// A scheduler of transactions that are settled when their closures return.
  private final class Engine: TransactionRunner {
    let scheduler = TransactionScheduler(targetQueue: nil, isSerial: false) { _ in }

    func run(_ transaction: QueuedTransaction) {
      transaction.callChangesHandler(in: NoContext())
      scheduler.settle(.completion(transaction, nil))
    }

    func closureHasEnded(hasNext: Bool) {}

    /// - Parameter calls: what is told before the transaction's completion.
    func perform(
      _ closure: @escaping @Sendable () -> Void = {}, calls: [CompletionQueue.Call] = [],
      completion: @escaping @Sendable () -> Void = {}
    ) {
      let scheduler = scheduler
      scheduler.enqueue(
        [ObjectIdentifier(Engine.self)], for: self,
        changesHandler: { _ in
          closure()
          scheduler.settle(all: calls)
        }, completion: { _ in completion() })
    }

    /// Whether everything is complete, at the latest after a long time.
    func becomesIdle() -> Bool {
      BackgroundThreads { [scheduler] _ in scheduler.waitUntilIdle() }.end()
    }
  }

  /// Closures and handlers in the order in which they ran, with their threads.
  private final class Trace: Sendable {
    private let entries = Collected<(isClosure: Bool, thread: pthread_t)>()

    func append(isClosure: Bool) { entries.append((isClosure, pthread_self())) }

    var count: Int { entries.count }

    /// How many handlers ran between two closures, on the thread of both.
    var handlersBetweenClosures: Int {
      let entries = entries.values
      return entries.indices.dropFirst().dropLast().count { index in
        let (before, entry, after) = (entries[index - 1], entries[index], entries[index + 1])
        return before.isClosure && !entry.isClosure && after.isClosure && before.thread == entry.thread
          && entry.thread == after.thread
      }
    }
  }

  @Test("Where handlers are short, some are called between two closures, on their thread")
  func onThreadOfClosures() {
    // How many depends on the machine: while others use it, what is short here may take long.
    let isSeen = (0..<200).contains { _ in
      let engine = Engine()
      let trace = Trace()
      let start = Gate()
      engine.perform { start.wait() }
      // All are queued before the first one runs, so that no thread is free to call handlers until the last one has run.
      for _ in 0..<500 {
        engine.perform {
          trace.append(isClosure: true)
        } completion: {
          trace.append(isClosure: false)
        }
      }
      start.open()
      #expect(engine.becomesIdle())
      return trace.handlersBetweenClosures > 0
    }
    #expect(isSeen)
  }

  @Test("A subscriber's callback is not called there, since it may take long")
  func callbacksElsewhere() {
    let engine = Engine()
    let trace = Trace()
    let start = Gate()
    engine.perform { start.wait() }
    for _ in 0..<1_000 {
      engine.perform({ trace.append(isClosure: true) }, calls: [.dictionary { trace.append(isClosure: false) }])
    }
    start.open()
    #expect(engine.becomesIdle())
    #expect(trace.count == 2_000)
    #expect(trace.handlersBetweenClosures == 0)
  }

  @Test("A handler may wait for the closure of the next transaction")
  func waitingForNextClosure() {
    let engine = Engine()
    let completed = Locked(0)
    for _ in 0..<20 {
      // Then it is known that handlers are short.
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

  @Test("A subscriber's callback may wait for the closure of the next transaction")
  func callbackWaitingForNextClosure() {
    let engine = Engine()
    let hasWaited = Locked(0)
    for _ in 0..<20 {
      for _ in 0..<30 { engine.perform() }
      let next = Gate()
      engine.perform(calls: [.dictionary { if next.wait() { hasWaited.change { $0 += 1 } } }])
      engine.perform { next.open() }
    }
    #expect(engine.becomesIdle())
    #expect(eventually { hasWaited.value == 20 })
  }

  @Test("A handler may wait until all other transactions are complete")
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

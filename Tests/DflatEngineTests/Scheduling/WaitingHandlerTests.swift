import EngineTestSupport
import Foundation
import Testing

@Suite("Completion handlers and callbacks that wait for transactions")
struct WaitingHandlerTests {
  @Test("A handler that waits for the closure of the next transaction returns")
  func waitingForNextClosure() {
    let engine = HandlerEngine()
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
    let engine = HandlerEngine()
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

  @Test("Who waits for callbacks goes on when they have returned, and at once within one of them")
  func waitingForCallbacks() {
    let engine = HandlerEngine(waitsForCallbacks: true)
    let (hasBegun, mayReturn) = (Gate(), Gate())
    let (hasReturned, wasReturned) = (Locked(false), Locked<Bool?>(nil))
    let callback: @Sendable () -> Void = {
      hasBegun.open()
      mayReturn.wait()
      hasReturned.value = true
    }
    engine.perform(callbacks: [callback])
    #expect(hasBegun.wait())
    let waiter = BackgroundThreads { [completions = engine.completions] _ in
      completions.waitForCallbacks()
      wasReturned.value = hasReturned.value
    }
    #expect(!waiter.end(within: 0.1))
    mayReturn.open()
    #expect(waiter.end())
    #expect(wasReturned.value == true)
    let isOver = Gate()
    let waiting: @Sendable () -> Void = { [completions = engine.completions] in
      completions.waitForCallbacks()
      isOver.open()
    }
    engine.perform(callbacks: [waiting])
    #expect(isOver.wait())
    #expect(engine.becomesIdle())
  }

  @Test("A handler that waits until all other transactions are complete returns")
  func waitingForAll() {
    let engine = HandlerEngine()
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

import EngineTestSupport
import Foundation
import Testing

@Suite("Subscribers' callbacks that take long")
struct SlowCallbackTests {
  @Test("Slow callbacks run side by side: a completion waits for the longest, not for their sum")
  func sideBySide() {
    let engine = HandlerEngine(waitsForCallbacks: true)
    let (begun, ended, endedBefore) = (Locked(0), Locked(0), Locked(0))
    let haveAllBegun = Gate()
    let callbacks = (0..<50).map { _ -> @Sendable () -> Void in
      {
        let count = begun.change { count in
          count += 1
          return count
        }
        if count == 50 { haveAllBegun.open() }
        // One after another, the first would wait in vain.
        if haveAllBegun.wait() { ended.change { $0 += 1 } }
      }
    }
    engine.perform(callbacks: callbacks) { endedBefore.value = ended.value }
    #expect(engine.becomesIdle())
    #expect(endedBefore.value == 50)
  }

  @Test("A completion does not wait for those that do not return, and a quick one does not either")
  func endless() {
    let engine = HandlerEngine()
    let (release, quick, completed) = (Gate(), Gate(), Gate())
    let endless: @Sendable () -> Void = { release.wait() }
    engine.perform(callbacks: Array(repeating: endless, count: 20) + [{ quick.open() }]) { completed.open() }
    #expect(quick.wait())
    #expect(completed.wait())
    // A later commit is told, and completes.
    let (later, laterCompleted) = (Gate(), Gate())
    engine.perform(callbacks: [{ later.open() }]) { laterCompleted.open() }
    #expect(later.wait() && laterCompleted.wait())
    release.open()
    #expect(engine.becomesIdle())
  }

  @Test("A completion waits for a callback although another one waits for a transaction", arguments: 0..<20)
  func besideWaiting(_: Int) {
    let engine = HandlerEngine(waitsForCallbacks: true)
    let (hasReturned, wasTold) = (Locked(false), Locked<Bool?>(nil))
    let waiting: @Sendable () -> Void = {
      for _ in 0..<2 {
        let completed = Gate()
        engine.perform(completion: { completed.open() })
        completed.wait()
      }
    }
    let short: @Sendable () -> Void = {
      Thread.sleep(forTimeInterval: 0.005)
      hasReturned.value = true
    }
    engine.perform(callbacks: [waiting, short]) { wasTold.value = hasReturned.value }
    #expect(engine.becomesIdle())
    #expect(wasTold.value == true)
  }
}

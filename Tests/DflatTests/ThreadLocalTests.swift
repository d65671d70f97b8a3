import Foundation
import Testing

@testable import FlatBuffersCore

@Suite("Every thread has a pointer of its own")
struct ThreadLocalTests {
  /// Runs `body` on another thread, to its end.
  private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.start()
    while !thread.isFinished { usleep(1000) }
  }

  @Test("The object of one thread is nil on another, and stays when the other sets its own to nil")
  func objectsOfTwoThreads() {
    let local = ThreadLocal()
    let object = NSObject()
    local.object = object
    #expect(local.object === object)
    onAnotherThread {
      #expect(local.object == nil)
      local.object = nil
    }
    #expect(local.object === object)
    local.object = nil
    #expect(local.object == nil)
  }

  @Test("Bits are 0 at first, all of them can be set, and another thread has its own")
  func bits() {
    let local = ThreadLocal()
    #expect(local.bits == 0)
    local.bits = .max
    #expect(local.bits == .max)
    onAnotherThread { #expect(local.bits == 0) }
    local.bits = 0
    #expect(local.bits == 0)
  }

  private final class Owned: Sendable {
    static let count = Counter()

    init() { Owned.count.add(1) }

    deinit { Owned.count.add(-1) }
  }

  private final class Counter: @unchecked Sendable {
    // Unchecked: the lock guards the number.
    private let lock = NSLock()
    private var number = 0

    func add(_ change: Int) { lock.withLock { number += change } }

    var value: Int { lock.withLock { number } }
  }

  @Test("An owned object is made once for a thread, and released when the thread ends")
  func ownedObject() {
    let local = ThreadLocal(destructor: ThreadLocal.releasingObject)
    onAnotherThread {
      let first = local.ownedObject { Owned() }
      #expect(local.ownedObject { Owned() } === first)
      #expect(Owned.count.value == 1)
    }
    // The system calls the destructor after the thread's block has returned.
    let end = Date() + 1200
    while Owned.count.value > 0, Date() < end { usleep(1000) }
    #expect(Owned.count.value == 0)
  }
}

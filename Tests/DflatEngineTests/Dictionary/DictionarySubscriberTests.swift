import Dflat
import DflatEngine
import EngineTestSupport
import Testing

@Suite("A subscriber to a key")
struct DictionarySubscriberTests {
  private let engine = HandlerEngine(waitsForCallbacks: true)
  private let state = Guarded((), rank: .dictionary)
  private let isTelling = Gate()
  private let hasPassed = Gate()
  private let release = Gate()
  private let told = Collected<StoredDictionaryValue?>()
  private let toldBefore = Locked<Int?>(nil)
  /// A subscriber that waits for `release` before it is told its first value, which is posted already.
  private let subscriber: DictionarySubscriber

  private var completions: Completions { engine.completions }

  init() {
    subscriber = DictionarySubscriber(DictionaryPath("k", in: DictionaryKey(""))) { [isTelling, release, told] value in
      isTelling.open()
      release.wait()
      told.append(value)
    } finish: {
    }
    state.withLock { [subscriber] _ in _ = subscriber.post(.integer(1)) }
  }

  @Test(
    "A completion waits for its value also if the callback of a later commit tells that, or has added the subscriber",
    arguments: [false, true])
  func toldByALaterCallback(isReserved: Bool) {
    engine.perform(
      callbacks: [
        {
          // The later callback overtakes this one.
          isTelling.wait()
          subscriber.deliver(guardedBy: state, before: completions)
          hasPassed.open()
        }
      ]) { toldBefore.value = told.values.count }
    engine.perform(callbacks: [
      {
        if isReserved { state.withLock { _ in subscriber.reserveDelivery(as: completions.runningCallback) } }
        subscriber.deliver(guardedBy: state, before: completions, isReserved: isReserved)
      }
    ])
    #expect(hasPassed.wait())
    // The completion would be called before a callback that is appended now.
    completions.appendCallbacks([{ release.open() }])
    completions.makeCallsInBackground()
    #expect(engine.becomesIdle())
    #expect(toldBefore.value == 1)
  }

  @Test(
    "A completion waits for its value also if a thread in no callback tells that, which has set the key or subscribed",
    arguments: [false, true])
  func toldByAThread(isReserved: Bool) {
    let thread = BackgroundThreads { _ in
      guard isReserved else { return subscriber.deliver(guardedBy: state, before: completions) }
      completions.tellSubscribers { callback in
        state.withLock { _ in subscriber.reserveDelivery(as: callback) }
        subscriber.deliver(guardedBy: state, before: completions, isReserved: true)
      }
    }
    #expect(isTelling.wait())
    engine.perform(
      callbacks: [
        {
          state.withLock { _ in _ = subscriber.post(.integer(2)) }
          subscriber.deliver(guardedBy: state, before: completions)
          hasPassed.open()
        }
      ]) { toldBefore.value = told.values.count }
    #expect(hasPassed.wait())
    // The completion would be called before a callback that is appended now.
    completions.appendCallbacks([{ release.open() }])
    completions.makeCallsInBackground()
    #expect(engine.becomesIdle())
    #expect(toldBefore.value == 2)
    #expect(thread.end())
  }
}

import Dflat
import Dispatch

/// An event that says how many events before it were left out.
package protocol SkippableEvent: Sendable {
  var skippedCount: Int { get set }
}

extension QueryEvent: SkippableEvent {}
extension TransactionEvent: SkippableEvent {}

/// The handlers of one kind of event, and the events that wait for them.
///
/// Threads that fetch or commit append events, and wait for no handler. A background queue calls the handlers, one
/// event after another. While a handler is slow, the latest `limit` events wait; older ones are dropped and counted.
package final class EventFeed<Event: SkippableEvent>: Sendable {
  private let state = Guarded(State(), rank: .events)
  private let queue = DispatchQueue(label: "dflat.events", qos: .utility)
  private let onListening: @Sendable (Bool) -> Void

  private struct State {
    var handlers: [(number: Int, handler: @Sendable (Event) -> Void)] = []
    var handlerCount = 0
    var waiting = FIFO<Event>()
    /// How many events were dropped since the last one that was delivered.
    var skippedCount = 0
    var isDelivering = false

    /// Returns a handler; nil if it was removed.
    func handler(_ number: Int) -> (@Sendable (Event) -> Void)? { handlers.first { $0.number == number }?.handler }
  }

  /// The most events that wait, as many as for subscribers of results.
  package static var limit: Int { 1_024 }

  /// Makes a feed without handlers.
  /// - Parameter onListening: is called under the feed's lock, with true when the first handler is added and with false
  ///   when the last one is removed.
  package init(onListening: @escaping @Sendable (Bool) -> Void) { self.onListening = onListening }

  package var isListening: Bool { state.withLock { !$0.handlers.isEmpty } }

  /// Whether an event waits for delivery.
  package var isAnyWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Adds a handler. It may miss the events of queries and transactions that have begun before.
  package func add(_ handler: @escaping @Sendable (Event) -> Void) -> EventSubscription {
    let number = state.withLock { state in
      state.handlerCount += 1
      state.handlers.append((state.handlerCount, handler))
      if state.handlers.count == 1 { onListening(true) }
      return state.handlerCount
    }
    return EventSubscription { self.remove(number) }
  }

  private func remove(_ number: Int) {
    // Released without the lock: the handler's captures may hold the last reference to anything.
    let removed = state.withLock { state -> (@Sendable (Event) -> Void)? in
      guard let index = state.handlers.firstIndex(where: { $0.number == number }) else { return nil }
      let removed = state.handlers.remove(at: index).handler
      if state.handlers.isEmpty {
        state.waiting = FIFO()
        state.skippedCount = 0
        onListening(false)
      }
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Appends an event for the handlers. Without handlers, it does nothing.
  package func append(_ event: Event) {
    let isToStart = state.withLock { state in
      guard !state.handlers.isEmpty else { return false }
      if state.waiting.count >= Self.limit {
        _ = state.waiting.popFirst()
        state.skippedCount += 1
      }
      state.waiting.append(event)
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if isToStart { queue.async { self.deliver() } }
  }

  private func deliver() {
    while true {
      let next = state.withLock { state -> (Event, [Int])? in
        guard var event = state.waiting.popFirst() else {
          state.isDelivering = false
          return nil
        }
        event.skippedCount = state.skippedCount
        state.skippedCount = 0
        return (event, state.handlers.map(\.number))
      }
      guard let (event, numbers) = next else { return }
      EventHandling.$isActive.withValue(true) {
        for number in numbers {
          // Looked up just before its call: its subscription may be cancelled while another handler runs.
          if let handler = state.withLock({ $0.handler(number) }) { handler(event) }
        }
      }
    }
  }
}

/// The subscription of an event handler, until it is cancelled or released.
package final class EventSubscription: WorkspaceSubscription {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  package func cancel() { end() }
}

import Dflat
import Dispatch
import Foundation

/// Starts transactions in the order in which they were asked for, as far as they share a type.
///
/// A transaction stands in the queue of each of its types, and joins all of them at once, under one lock. It starts when
/// it is the first in every one. The order is thus the same in all queues, so that no two can wait for each other.
final class TransactionScheduler: @unchecked Sendable {
  // Unchecked because the variables are guarded by `condition`.
  private let condition = NSCondition()
  private let targetQueue: DispatchQueue?
  private let isSerial: Bool
  /// One for each type that was ever named, also while nobody stands in it.
  private var lines: [ObjectIdentifier: TicketLine] = [:]
  private var isStopped = false
  /// Transactions that have been accepted and not finished.
  private var unfinished = 0
  /// Completion handlers that have not returned.
  private var completions = 0
  /// Transactions that are ready, and whose closures have not begun.
  private var starting = 0
  /// Transactions that have been settled, and whose completion handlers have not been called.
  private let settled = CompletionQueue()
  /// Looks whether the handlers that are called keep others waiting.
  private static let watch = DispatchQueue(label: "dflat.completion")
  /// Threads that wait for all to be idle from within a completion handler.
  private var waitingCompletions = 0

  /// The scheduler whose completion handler is running on the thread.
  private static let completing = ThreadSlot()

  init(targetQueue: DispatchQueue?, isSerial: Bool) {
    self.targetQueue = targetQueue
    self.isSerial = isSerial
  }

  /// Whether a transaction may wait to be committed together with those after it.
  ///
  /// Not on a queue of the caller's own: on one with few threads, a closure might wait for the completion of an earlier
  /// transaction on the thread that is needed to call it.
  var sharesCommits: Bool { targetQueue == nil }

  /// Runs `work` in its turn, in the background: it sees to it that the ticket is settled. After `stop()`, only
  /// `completion` is called, with an error.
  func enqueue(
    _ types: [ObjectIdentifier], work: sending @escaping (Ticket) -> Void,
    completion: sending ((TransactionError?) -> Void)?
  ) {
    let ticket = Ticket(
      lines: isSerial ? [ObjectIdentifier(TransactionScheduler.self)] : types, work: work, completion: completion)
    condition.lock()
    completions += 1
    guard !isStopped else {
      condition.unlock()
      inBackground { self.complete(ticket, .others) }
      return
    }
    unfinished += 1
    var predecessors = 0
    for type in ticket.lines where !line(of: type).append(ticket) { predecessors += 1 }
    ticket.predecessors = predecessors
    condition.unlock()
    if predecessors == 0 { start(ticket) }
  }

  /// With `condition` held.
  private func line(of type: ObjectIdentifier) -> TicketLine {
    if let line = lines[type] { return line }
    let line = TicketLine()
    lines[type] = line
    return line
  }

  private func start(_ ticket: Ticket) {
    condition.withLock { starting += 1 }
    inBackground {
      self.condition.withLock { self.starting -= 1 }
      self.run(ticket)
    }
  }

  /// Runs a transaction, and on the same thread those that it leads to, as long as none is completed.
  private func run(_ first: Ticket) {
    var next: Ticket? = first
    while let ticket = next {
      releasingTemporaries { ticket.takeWork()(ticket) }
      let (first, others) = finish(ticket)
      // Others start before a completion handler is called, which may thus wait for them.
      for ticket in others { start(ticket) }
      next = settled.isEmpty ? first : nil
      if next == nil, let first { start(first) }
    }
    settled.drain(complete)
  }

  /// Whether another transaction begins at once when this one, which is running, has finished.
  func hasNext(after ticket: Ticket) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if starting > 0 { return true }
    // It begins when this one is all that it waits for: in as many lines as it has others before it.
    return ticket.lines.contains { type in
      guard let other = lines[type]?.second else { return false }
      return other.predecessors == 1
        || other.predecessors == ticket.lines.count { lines[$0]?.second === other }
    }
  }

  /// Runs `body` on a queue of its own. Closures may wait for each other; on a shared concurrent queue, whose threads are
  /// about as many as the processors, the one that is waited for might not get a thread.
  private func inBackground(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "dflat.transaction", target: targetQueue).async(execute: body)
  }

  /// Takes the ticket out of its lines.
  ///
  /// - Returns: those that are first now in all of theirs. Mostly there is one, which needs no array.
  private func finish(_ ticket: Ticket) -> (first: Ticket?, others: [Ticket]) {
    condition.lock()
    defer { condition.unlock() }
    var first: Ticket?
    var others: [Ticket] = []
    for type in ticket.lines {
      guard let next = lines[type]?.removeFirst() else { continue }
      next.predecessors -= 1
      guard next.predecessors == 0 else { continue }
      if first == nil { first = next } else { others.append(next) }
    }
    unfinished -= 1
    condition.broadcast()
    return (first, others)
  }

  // MARK: Completing

  /// Says how transactions have ended. Their completion handlers are called in the order of these calls, when the
  /// running closure has returned or the queue is told to.
  func settle(_ outcomes: some Collection<(ticket: Ticket, failure: TransactionError?)>) {
    if !outcomes.isEmpty, settled.append(outcomes) { watch() }
  }

  /// Calls the completion handlers of those that are settled, in the background.
  func completeInBackground() {
    inBackground { self.settled.drain(self.complete) }
  }

  private func watch() {
    TransactionScheduler.watch.asyncAfter(deadline: .now() + CompletionQueue.watchInterval) {
      switch self.settled.need() {
      case .nothing: return
      case .watching: break
      case .caller: self.completeInBackground()
      }
      self.watch()
    }
  }

  private func complete(_ ticket: Ticket, _ failure: TransactionError?) {
    if let completion = ticket.takeCompletion() {
      let outer = TransactionScheduler.completing.object
      TransactionScheduler.completing.object = self
      completion(failure)
      TransactionScheduler.completing.object = outer
    }
    condition.lock()
    completions -= 1
    condition.broadcast()
    condition.unlock()
  }

  /// Accepts no more transactions.
  func stop() {
    condition.lock()
    isStopped = true
    condition.unlock()
  }

  /// Waits until all accepted transactions have finished and their completion handlers have returned; but for the
  /// handlers that wait here themselves.
  func waitUntilIdle() {
    condition.lock()
    defer { condition.unlock() }
    let isCompleting = TransactionScheduler.completing.object === self
    if isCompleting {
      waitingCompletions += 1
      condition.broadcast()
    }
    while unfinished > 0 || completions > waitingCompletions { condition.wait() }
    if isCompleting { waitingCompletions -= 1 }
  }
}

/// Runs `body`, and releases what it has left to be released later, where there is such a thing.
private func releasingTemporaries(_ body: () -> Void) {
  #if canImport(ObjectiveC)
    autoreleasepool { body() }
  #else
    body()
  #endif
}

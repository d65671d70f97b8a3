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
  private var lines: [ObjectIdentifier: TicketLine] = [:]
  private var isStopped = false
  /// Transactions that have been accepted and not finished.
  private var unfinished = 0
  /// Completion handlers that have not returned.
  private var completions = 0
  /// Threads that wait for all to be idle from within a completion handler.
  private var waitingCompletions = 0

  /// The scheduler whose completion handler is running on the thread.
  private static let completing = ThreadSlot<TransactionScheduler>()

  init(targetQueue: DispatchQueue?, isSerial: Bool) {
    self.targetQueue = targetQueue
    self.isSerial = isSerial
  }

  /// Runs `work` in its turn, and then `completion` with what it returned, both in the background. After `stop()`, only
  /// `completion` is called, with false.
  func enqueue(_ types: [ObjectIdentifier], work: sending @escaping () -> Bool, completion: sending ((Bool) -> Void)?) {
    let ticket = Ticket(
      lines: isSerial ? [ObjectIdentifier(TransactionScheduler.self)] : types, work: work, completion: completion)
    condition.lock()
    completions += 1
    guard !isStopped else {
      condition.unlock()
      inBackground { self.complete(ticket, false) }
      return
    }
    unfinished += 1
    var predecessors = 0
    for line in ticket.lines where !lines[line, default: TicketLine()].append(ticket) { predecessors += 1 }
    ticket.predecessors = predecessors
    condition.unlock()
    if predecessors == 0 { start(ticket) }
  }

  private func start(_ ticket: Ticket) {
    inBackground {
      let success = ticket.takeWork()()
      // The next ones start before the completion handler is called, which may thus wait for them.
      self.finish(ticket)
      self.complete(ticket, success)
    }
  }

  /// Runs `body` on a queue of its own. Closures may wait for each other; on a shared concurrent queue, whose threads are
  /// about as many as the processors, the one that is waited for might not get a thread.
  private func inBackground(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "dflat.transaction", target: targetQueue).async(execute: body)
  }

  private func finish(_ ticket: Ticket) {
    condition.lock()
    var ready: [Ticket] = []
    for line in ticket.lines {
      guard let next = lines[line]?.removeFirst() else {
        lines[line] = nil
        continue
      }
      next.predecessors -= 1
      if next.predecessors == 0 { ready.append(next) }
    }
    unfinished -= 1
    condition.broadcast()
    condition.unlock()
    for ticket in ready { start(ticket) }
  }

  private func complete(_ ticket: Ticket, _ success: Bool) {
    if let completion = ticket.takeCompletion() {
      let outer = TransactionScheduler.completing.value
      TransactionScheduler.completing.value = self
      completion(success)
      TransactionScheduler.completing.value = outer
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
    let isCompleting = TransactionScheduler.completing.value === self
    if isCompleting {
      waitingCompletions += 1
      condition.broadcast()
    }
    while unfinished > 0 || completions > waitingCompletions { condition.wait() }
    if isCompleting { waitingCompletions -= 1 }
  }
}

/// A transaction that waits for its turn, or runs.
private final class Ticket: @unchecked Sendable {
  // Unchecked: `predecessors` is guarded by the scheduler's lock. The closures have been sent here, so that nobody else
  // has a hold on what they use, and each is called by one thread.
  let lines: [ObjectIdentifier]
  /// In how many lines others stand before this one.
  var predecessors = 0
  private var work: (() -> Bool)?
  private var completion: ((Bool) -> Void)?

  init(lines: [ObjectIdentifier], work: @escaping () -> Bool, completion: ((Bool) -> Void)?) {
    var seen: Set<ObjectIdentifier> = []
    self.lines = lines.filter { seen.insert($0).inserted }
    self.work = work
    self.completion = completion
  }

  /// The work, which is let go, with all that it refers to, once it is done.
  func takeWork() -> () -> Bool {
    defer { work = nil }
    return work ?? { false }
  }

  func takeCompletion() -> ((Bool) -> Void)? {
    defer { completion = nil }
    return completion
  }
}

/// The transactions of one type, the running one first.
private struct TicketLine {
  private var tickets: [Ticket] = []
  private var first = 0

  /// - Returns: whether the ticket is the first.
  mutating func append(_ ticket: Ticket) -> Bool {
    tickets.append(ticket)
    return tickets.count - first == 1
  }

  /// Removes the first ticket and returns the one that is first now.
  mutating func removeFirst() -> Ticket? {
    first += 1
    if first * 2 >= tickets.count {
      tickets.removeFirst(first)
      first = 0
    }
    return first < tickets.count ? tickets[first] : nil
  }
}

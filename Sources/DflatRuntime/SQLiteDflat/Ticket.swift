import Dflat

/// A transaction that waits for its turn, or runs, or waits to be completed.
final class Ticket: @unchecked Sendable {
  // Unchecked: `predecessors` is guarded by the scheduler's lock. The closures have been sent here, so that nobody else
  // has a hold on what they use, and each is called by one thread.
  let lines: [ObjectIdentifier]
  /// In how many lines others stand before this one.
  var predecessors = 0
  private var work: ((Ticket) -> Void)?
  private var completion: ((TransactionError?) -> Void)?

  init(lines: [ObjectIdentifier], work: @escaping (Ticket) -> Void, completion: ((TransactionError?) -> Void)?) {
    if lines.count > 1 {
      var seen: Set<ObjectIdentifier> = []
      self.lines = lines.filter { seen.insert($0).inserted }
    } else {
      self.lines = lines
    }
    self.work = work
    self.completion = completion
  }

  /// The work, which is let go, with all that it refers to, once it is done.
  func takeWork() -> (Ticket) -> Void {
    defer { work = nil }
    return work ?? { _ in }
  }

  func takeCompletion() -> ((TransactionError?) -> Void)? {
    defer { completion = nil }
    return completion
  }
}

/// The transactions of one type, the running one first. The scheduler's lock guards it.
final class TicketLine {
  private var tickets: [Ticket] = []
  private var first = 0

  /// - Returns: whether the ticket is the first.
  func append(_ ticket: Ticket) -> Bool {
    tickets.append(ticket)
    return tickets.count - first == 1
  }

  /// The one that comes after the first.
  var second: Ticket? { first + 1 < tickets.count ? tickets[first + 1] : nil }

  /// Removes the first ticket and returns the one that is first now.
  func removeFirst() -> Ticket? {
    first += 1
    if first * 2 >= tickets.count {
      tickets.removeFirst(first)
      first = 0
    }
    return first < tickets.count ? tickets[first] : nil
  }
}

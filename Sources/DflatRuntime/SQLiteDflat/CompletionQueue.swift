import Dflat
import Dispatch
import Foundation

/// Transactions whose completion handlers are to be called, in the order in which they were committed.
///
/// One thread calls them, one after another. When a handler takes long, another thread goes on with the next: a handler
/// may wait for a transaction that was committed with its own.
final class CompletionQueue: @unchecked Sendable {
  // Unchecked because the variables are guarded by `lock`.
  private let lock = NSLock()
  private var waiting: [(ticket: Ticket, failure: TransactionError?)] = []
  private var first = 0
  private var caller: Caller?
  private var isWatched = false

  /// The thread that calls handlers.
  private final class Caller {
    var began = DispatchTime.now()

    /// Whether it has been in one handler for so long that the others should not wait for it.
    var isHeldUp: Bool { DispatchTime.now() > began + .milliseconds(1) }
  }

  /// How often is looked whether handlers wait that nobody calls.
  static let watchInterval = DispatchTimeInterval.milliseconds(5)

  var isEmpty: Bool { lock.withLock { first == waiting.count } }

  /// - Returns: whether the queue is to be watched from now on, with `needsCaller()`.
  func append(_ outcomes: some Collection<(ticket: Ticket, failure: TransactionError?)>) -> Bool {
    lock.withLock {
      waiting.append(contentsOf: outcomes)
      defer { isWatched = true }
      return !isWatched
    }
  }

  /// Calls what waits, unless another thread is doing so.
  func drain(_ complete: (Ticket, TransactionError?) -> Void) {
    lock.lock()
    defer { lock.unlock() }
    if let caller, !caller.isHeldUp { return }
    let own = Caller()
    caller = own
    while caller === own, first < waiting.count {
      let next = waiting[first]
      first += 1
      if first == waiting.count {
        waiting.removeAll(keepingCapacity: first <= CommitGroup.limit)
        first = 0
      }
      own.began = .now()
      lock.unlock()
      complete(next.ticket, next.failure)
      lock.lock()
    }
    if caller === own { caller = nil }
  }

  enum Need {
    case nothing
    case watching
    case caller
  }

  /// What the queue needs so that its handlers are called.
  func need() -> Need {
    lock.withLock {
      guard first < waiting.count else {
        isWatched = false
        return .nothing
      }
      return caller?.isHeldUp ?? true ? .caller : .watching
    }
  }
}

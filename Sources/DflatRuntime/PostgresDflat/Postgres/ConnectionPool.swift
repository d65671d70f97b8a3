import Dflat
import DflatEngine

/// The connections of a workspace. It makes them when they are needed and keeps them while they are idle.
final class ConnectionPool: Sendable {
  private let state = Guarded(State(), rank: .connections)
  private let options: PostgresOptions

  private struct State {
    /// The idle connections. The one used last is reused first, so that unneeded ones stay idle long enough for the
    /// server to close them.
    var idle: [PostgresConnection] = []
    /// How many connections there are, idle, in use or being made.
    var count = 0
    var isClosed = false
    /// How many threads wait for a connection now.
    var waitingCount = 0
    /// How often a thread has waited, the time waited in total, and how often the wait was in vain.
    var waits = (count: 0, time: Duration.zero, timeoutCount: 0)

    /// Takes the idle connection that was used last, preferring those whose session is set for this use; nil if none is
    /// idle.
    mutating func takeIdle(for use: SessionDefaults.Access) -> PostgresConnection? {
      guard let last = idle.last, last.defaultAccess != use else { return idle.popLast() }
      return idle.lastIndex { $0.defaultAccess == use }.map { idle.remove(at: $0) } ?? idle.popLast()
    }
  }

  init(_ options: PostgresOptions) {
    self.options = options
  }

  /// Takes a connection; the caller returns it with `release(_:)`. Waits up to `PostgresOptions.poolTimeout` if all are
  /// in use.
  ///
  /// - Parameter use: `readOnly` for what only reads; `readWrite` for a transaction that writes.
  /// - Throws: `StoreError.shutDown` after `close()`; `PostgresError` if no connection is free or can be made.
  func acquire(for use: SessionDefaults.Access) throws -> PostgresConnection {
    if use == .readWrite { try options.requireWriting(for: "Beginning to write") }
    while true {
      let connection = try takeIdleOrNew(for: use)
      if connection.isOpen {
        do {
          try connection.prepare(for: use)
          return connection
        } catch {
          // The connection is lost, like one that is not open. Take the next one, or make a new one: that needs no
          // preparation, and its failure tells why there is none.
        }
      }
      forgetOne()
    }
  }

  private func takeIdleOrNew(for use: SessionDefaults.Access) throws -> PostgresConnection {
    enum Step {
      case idle(PostgresConnection)
      case new
      case closed
    }
    let limit = max(1, options.connectionLimit)
    func next(_ state: inout State) -> Step? {
      if state.isClosed { return .closed }
      if let idle = state.takeIdle(for: use) { return .idle(idle) }
      guard state.count < limit else { return nil }
      state.count += 1
      return .new
    }
    // Mostly one is free: then the clock is not read.
    switch state.withLock(next) ?? wait(for: next) {
    case .idle(let connection): return connection
    case .closed: throw StoreError.shutDown
    case nil:
      throw PostgresError(
        cause: .tooManyConnections,
        message: """
          all \(limit) connections of the workspace were in use for \(options.poolTimeout) seconds; \
          PostgresOptions.connectionLimit and poolTimeout allow for more
          """,
        purpose: "Waiting for a connection")
    case .new:
      do {
        return try PostgresConnection(options, for: use)
      } catch {
        forgetOne()
        throw error
      }
    }
  }

  /// Waits until `next` returns a step, and records for how long; nil if the time is over.
  private func wait<Step>(for next: (inout State) -> Step?) -> Step? {
    let begun = ContinuousClock.now
    state.withLock { $0.waitingCount += 1 }
    let step = state.wait(atMost: options.poolTimeout, for: next)
    state.withLock { state in
      state.waitingCount -= 1
      state.waits.count += 1
      state.waits.time += begun.duration(to: .now)
      if step == nil { state.waits.timeoutCount += 1 }
    }
    return step
  }

  var status: PoolStatus {
    state.withLock { state in
      PoolStatus(
        connectionLimit: max(1, options.connectionLimit), openCount: state.count, idleCount: state.idle.count,
        waitingCount: state.waitingCount, waitCount: state.waits.count, waitTime: state.waits.time,
        timeoutCount: state.waits.timeoutCount)
    }
  }

  /// Records that a connection no longer exists, or could not be made.
  private func forgetOne() {
    state.withLock { $0.count -= 1 }
    state.notifyAll()
  }

  /// Returns a connection to the pool. Closes it instead if it is broken, has unread answers, or is in a transaction.
  func release(_ connection: PostgresConnection) {
    let isUsable = !connection.isBroken && !connection.hasUnanswered && connection.transaction == .none
    state.withLock { state in
      if isUsable, !state.isClosed { state.idle.append(connection) } else { state.count -= 1 }
    }
    state.notifyAll()
  }

  /// Closes the idle connections. Called when one was found broken, since the others may be broken, too.
  func dropIdle() {
    let dropped = state.withLock { state in
      defer {
        state.count -= state.idle.count
        state.idle = []
      }
      return state.idle
    }
    // They are closed here, outside of the lock.
    withExtendedLifetime(dropped) {}
    state.notifyAll()
  }

  /// Closes the idle connections. From now on `acquire(for:)` throws, and connections are closed when they are
  /// released.
  func close() {
    state.withLock { $0.isClosed = true }
    dropIdle()
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }
}

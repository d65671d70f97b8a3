import Dflat
import DflatEngine

/// The connections of a workspace, which are made when they are needed and kept while they are idle.
final class ConnectionPool: Sendable {
  private let state = Guarded(State(), rank: .connections)
  private let options: PostgresOptions

  private struct State {
    /// The one that was used last is used next, so that the server closes others that nobody needs.
    var idle: [PostgresConnection] = []
    /// How many there are, idle or in use.
    var count = 0
    var isClosed = false
    /// How many threads wait for a connection now.
    var waitingCount = 0
    /// How often a thread has waited, for how long in all, and how often in vain.
    var waits = (count: 0, time: Duration.zero, timeoutCount: 0)

    /// Takes the idle connection that was used last, of those whose session is for this use if there is one.
    mutating func takeIdle(for use: SessionDefaults.Access) -> PostgresConnection? {
      guard let last = idle.last, last.defaultAccess != use else { return idle.popLast() }
      return idle.lastIndex { $0.defaultAccess == use }.map { idle.remove(at: $0) } ?? idle.popLast()
    }
  }

  init(_ options: PostgresOptions) {
    self.options = options
  }

  /// Takes a connection, which `release(_:)` gives back. It waits if all are in use.
  ///
  /// - Parameter use: `readOnly` for what only reads; `readWrite` for a transaction that writes.
  /// - Throws: `StoreError.shutDown` after `close()`; `PostgresError` if there is no connection.
  func acquire(for use: SessionDefaults.Access) throws -> PostgresConnection {
    if use == .readWrite { try options.requireWriting(for: "Beginning to write") }
    while true {
      let connection = try takeIdleOrNew(for: use)
      if connection.isOpen {
        do {
          try connection.prepare(for: use)
          return connection
        } catch {
          // It is lost, as one that is not open. The next one is taken instead; or a new one is made, which need not be prepared, and
          // says why if there is none.
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
    // Mostly there is one: then nobody need know what time it is.
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

  /// Waits for something to be done next, and notes for how long; nil if the time is over.
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

  /// Notes that a connection that was taken, or was to be made, is none.
  private func forgetOne() {
    state.withLock { $0.count -= 1 }
    state.notifyAll()
  }

  /// Gives a connection back. One that is broken, has answers that nobody has read, or is in a transaction is closed.
  func release(_ connection: PostgresConnection) {
    let isUsable = !connection.isBroken && !connection.hasUnanswered && connection.transaction == .none
    state.withLock { state in
      if isUsable, !state.isClosed { state.idle.append(connection) } else { state.count -= 1 }
    }
    state.notifyAll()
  }

  /// Forgets the idle connections: one of them was found broken, and so the others may be.
  func dropIdle() {
    let dropped = state.withLock { state in
      defer {
        state.count -= state.idle.count
        state.idle = []
      }
      return state.idle
    }
    // They are closed here, without the lock.
    withExtendedLifetime(dropped) {}
    state.notifyAll()
  }

  /// Hands out no more connections, and closes those that are idle.
  func close() {
    state.withLock { $0.isClosed = true }
    dropIdle()
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }
}

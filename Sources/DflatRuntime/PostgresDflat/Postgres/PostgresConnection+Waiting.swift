import CPostgres
import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Waits for the server, and notices that it is gone.
extension PostgresConnection {
  /// How long the server may be silent beyond the time limits of all statements that were sent, in seconds.
  static let silence = 5.0

  /// How long a wait for an encrypted connection is before it looks for bytes again, in milliseconds.
  ///
  /// A record of TLS, or a packet of GSSAPI, may have 16 KiB, and libpq room for 8. OpenSSL or libpq keeps the rest,
  /// which `poll` does not see.
  static let recordPause: Int32 = 20

  /// Returns whether a connection is encrypted, by TLS or GSSAPI.
  static func isEncrypted(_ handle: OpaquePointer) -> Bool { PQsslInUse(handle) == 1 || PQgssEncInUse(handle) == 1 }

  /// Returns the next result; nil after the last result of a statement, as `PQgetResult` does. A server that is silent
  /// for longer than its statements may take counts as lost: its process may have been stopped, or its machine may be
  /// gone, so that it does not enforce its own limits either.
  ///
  /// - Parameter purpose: the operation, in words, for errors.
  /// - Throws: `PostgresError`, after the connection was marked as broken. Its cause is `.connectionLost`, or
  ///   `.unreachable` while the session is set up.
  func nextResult(for purpose: String) throws -> OpaquePointer? {
    let limit = setupLimit ?? statementTimeout.map { Double(max(1, unanswered.count)) * $0 + Self.silence }
    var deadline = limit.map { DispatchTime.now() + $0 }
    let isEncrypted = Self.isEncrypted(handle)
    while PQisBusy(handle) == 1 {
      let isAllSent = PQflush(handle)
      // The result tells what has failed.
      guard isAllSent >= 0 else { break }
      let events = isAllSent == 0 ? POLLIN : POLLIN | POLLOUT
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      let longest = Self.milliseconds(until: deadline)
      let isShort = !isEncrypted || (0..<Self.recordPause).contains(longest)
      let isReady = poll(&descriptor, 1, isShort ? longest : Self.recordPause)
      if isReady == 0, let limit, let end = deadline, DispatchTime.now() >= end {
        throw givingUp(after: limit, for: purpose)
      }
      guard isReady > 0 else {
        if isEncrypted, PQconsumeInput(handle) != 1 { break }
        continue
      }
      if descriptor.revents & Int16(POLLOUT) != descriptor.revents {
        guard PQconsumeInput(handle) == 1 else { break }
      }
      // Also if the server has only taken more: a large value may be on its way for longer than the limit.
      deadline = limit.map { DispatchTime.now() + $0 }
    }
    return PQgetResult(handle)
  }

  /// Marks the connection as broken, and returns the error of a server that has been silent for too long.
  ///
  /// Behind a pooler, the server has no limit for a statement outside of a transaction, which may merely be slow. The
  /// statement is cancelled. Its error is one that is not tried again: each attempt would add a slow statement.
  private func givingUp(after limit: Double, for purpose: String) -> PostgresError {
    isBroken = true
    // An error that is not tried again, as after libpq's own time limit: each attempt would wait for as long.
    if setupLimit != nil {
      return PostgresError(
        cause: .unreachable,
        message: """
          the connection was accepted, and then no answer came for \(limit) seconds; behind a pooler, all connections to \
          the server may be in use: PostgresOptions.connectTimeout allows for a longer wait
          """,
        purpose: purpose)
    }
    guard transactionTimeout != nil, transaction == .none else {
      return PostgresError(
        cause: .connectionLost, message: "the server has said nothing for \(limit) seconds", purpose: purpose)
    }
    _ = cancellation()?.request(within: Self.silence)
    return PostgresError(
      cause: .statementTimeout,
      message: """
        no answer has come for \(limit) seconds, \(Self.silence) more than PostgresOptions.statementTimeout allows
        """,
      purpose: purpose)
  }

  /// Asks the server to cancel the statement of this connection. Does nothing if the connection is broken.
  ///
  /// - Parameters:
  ///   - failure: why no more rows are wanted; nil if there are enough.
  ///   - purpose: the operation, in words, for errors.
  /// - Throws: `failure`, or else `PostgresError` with the cause `.connectionLost`, if the server does not take the
  ///   request in time. The connection is then marked as broken: the request might hit its next statement.
  func cancel(after failure: (any Error)?, for purpose: String) throws {
    guard let cancellation = cancellation() else { return }
    let limit = statementTimeout.map { max(0, $0) + Self.silence }
    if cancellation.request(within: limit) { return }
    isBroken = true
    throw failure
      ?? PostgresError(
        cause: .connectionLost, message: "the server has taken no request to cancel a statement", purpose: purpose)
  }

  /// Returns the time until a deadline in milliseconds, as `poll` takes it: -1 if there is no deadline, 0 if it has
  /// passed.
  private static func milliseconds(until deadline: DispatchTime?) -> Int32 {
    guard let deadline else { return -1 }
    let now = DispatchTime.now()
    guard deadline > now else { return 0 }
    // Rounded up, so that the deadline has passed afterwards.
    return Int32(clamping: (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
  }

  /// Whether the connection is still open, as far as the operating system knows. Sends nothing.
  var isOpen: Bool {
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    while poll(&descriptor, 1, 0) > 0 {
      // Unrequested data is mostly the server's farewell, and the end follows it.
      if transaction == .none, unanswered.isEmpty { return false }
      guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
      descriptor.fd = PQsocket(handle)
    }
    return true
  }

  /// Checks whether the server has closed the connection, as far as the operating system knows. Sends nothing.
  ///
  /// - Parameter purpose: the operation, in words, for errors.
  /// - Throws: `PostgresError` if it has. The connection is then marked as broken.
  func checkIsOpen(for purpose: String) throws {
    if isOpen { return }
    isBroken = true
    throw lost(purpose)
  }

  // MARK: Connecting

  /// Calls `body`, which sends statements that set up the session, and reads their answers.
  ///
  /// The server may be silent for as long as an attempt to connect may take. A pooler accepts a connection at once, and
  /// answers the first statement when it has a connection to the server for it.
  func withinConnectTimeout(_ body: () throws -> Void) rethrows {
    setupLimit = connectTimeout
    defer { setupLimit = nil }
    try body()
  }

  /// How long the attempt to connect was allowed to take, in seconds; nil if there was no limit. Asks libpq, since a
  /// `connect_timeout` in the connection string takes precedence over `PostgresOptions.connectTimeout`.
  private var connectTimeout: Double? {
    // Read as libpq reads it, with blanks around the number. It takes 0 and negative numbers for no limit, and 1 for 2
    // seconds.
    guard let text = setting("connect_timeout") else { return nil }
    let seconds = strtol(text, nil, 10)
    return seconds > 0 ? Double(max(2, seconds)) : nil
  }

  /// Returns the value of a setting of the connection, such as `connect_timeout`, as libpq has it; nil if it has none.
  ///
  /// - Parameter name: the name of the setting in connection strings.
  func setting(_ name: String) -> String? {
    guard let options = PQconninfo(handle) else { return nil }
    defer { PQconninfoFree(options) }
    var option = options
    // An option without a keyword ends the list.
    while let keyword = option.pointee.keyword {
      if strcmp(keyword, name) == 0 {
        guard let value = option.pointee.val else { return nil }
        return String(cString: value)
      }
      option += 1
    }
    return nil
  }
}

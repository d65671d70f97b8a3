import CPostgres
import Dispatch
import Foundation
import PostgresLayout

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A connection on which the server sends every commit to the tables of a publication, in order.
/// https://www.postgresql.org/docs/current/protocol-replication.html
final class ReplicationStream {
  private let handle: OpaquePointer
  /// The count of the server's warnings. It lives as long as the connection, which refers to it.
  private let warnings = Warnings()

  /// The schema whose tables are observed: that of the workspace.
  private(set) var schema = "public"
  /// The server and its timeline, which is another one after a standby has taken over.
  private(set) var server = ""

  /// Begins a stream of the commits from now on.
  ///
  /// - Parameters:
  ///   - answerLimit: how long the server may take, in seconds, to answer a command for which it waits for nobody.
  ///   - isNeeded: whether somebody still observes. If not, waiting for the server ends.
  ///   - onDelay: called with the reason if the stream has not begun after some seconds.
  /// - Throws: `PostgresError`, with the cause `.missingSetting` or `.missingPermission` if the server is not set up
  ///   for streams.
  init(
    _ options: PostgresOptions, answerLimit: Double = 60, isNeeded: () -> Bool, onDelay: (PostgresError) -> Void
  ) throws {
    // A standby sends no changes before version 16, and has no publication of its own.
    try options.requireWriting(for: Self.purpose)
    // The server sends and takes names in the encoding of the client, which is that of the database unless it is set.
    let keywords: [String] = [
      "connect_timeout", "fallback_application_name", "dbname", "replication", "client_encoding",
    ]
    let values = ["\(max(2, options.connectTimeout))", "dflat observation", options.connection, "database", "UTF8"]
    guard
      let handle = withCStringList(
        keywords,
        { keywords in
          withCStringList(values) { values in PQconnectdbParams(keywords, values, 1) }
        })
    else { throw PostgresError(cause: .other, message: "out of memory", purpose: Self.purpose) }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else {
      let message = PostgresConnection.text(PQerrorMessage(handle))
      throw Self.error(connecting: message)
    }
    // `warnings` outlives the connection, after which the receiver is not called.
    let argument = Unmanaged.passUnretained(warnings).toOpaque()
    PQsetNoticeReceiver(
      handle,
      { argument, _ in
        guard let argument else { return }
        // The argument that is set with the receiver.
        Unmanaged<Warnings>.fromOpaque(argument).takeUnretainedValue().count += 1
      }, argument)
    try readSchema(options.workspaceSchema, within: answerLimit, isNeeded)
    try readServer(within: answerLimit, isNeeded)
    let name = "dflat_\(UUID().uuidString.filter { $0 != "-" }.lowercased())"
    // The server removes a temporary slot when the connection ends, and keeps no log for it after that.
    try execute(
      "CREATE_REPLICATION_SLOT \(name) TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT", expecting: PGRES_TUPLES_OK,
      within: nil, isNeeded, onDelay)
    // A list of quoted names, within a literal.
    let publications = PostgresName.literal(PostgresName.quoted(PostgresName.publication(of: schema)))
    try execute(
      "START_REPLICATION SLOT \(name) LOGICAL 0/0 (proto_version '1', publication_names \(publications))",
      expecting: PGRES_COPY_BOTH, within: answerLimit, isNeeded, onDelay)
  }

  deinit { PQfinish(handle) }

  private static let purpose = "Observing the database"

  /// Finds the schema, unless a connection of the workspace has found it before.
  private func readSchema(_ known: WorkspaceSchema?, within limit: Double, _ isNeeded: () -> Bool) throws {
    if let name = known?.name {
      schema = name
      return
    }
    let result = try answer(to: "SELECT \(WorkspaceSchema.ofSession)", within: limit, isNeeded) { _ in }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw lost() }
    guard PQgetisnull(result, 0, 0) == 0 else { throw PostgresError.noSchema(Self.purpose) }
    let name = PostgresConnection.text(PQgetvalue(result, 0, 0))
    schema = known?.settle(on: name) ?? name
  }

  private func readServer(within limit: Double, _ isNeeded: () -> Bool) throws {
    // https://www.postgresql.org/docs/current/protocol-replication.html#PROTOCOL-REPLICATION-IDENTIFY-SYSTEM
    let result = try answer(to: "IDENTIFY_SYSTEM", within: limit, isNeeded) { _ in }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw lost() }
    server = "\(PostgresConnection.text(PQgetvalue(result, 0, 0))) \(PostgresConnection.text(PQgetvalue(result, 0, 1)))"
  }

  /// Returns the error of a failed connection. A pooler may refuse connections for replication, which it calls an
  /// unknown parameter.
  private static func error(connecting message: String) -> PostgresError {
    guard message.contains("replication"), message.contains("parameter") else {
      return PostgresError(cause: .init(connectionFailure: message), message: message, purpose: purpose)
    }
    return PostgresError(
      cause: .missingSetting,
      message: message + "; set PostgresOptions.directConnection, which leads to the server itself", purpose: purpose)
  }

  /// The interval at which `isNeeded` is asked while waiting for the server, in milliseconds.
  private static let waitingInterval: Int32 = 50
  /// The number of seconds that the stream may take to begin before the delay is reported.
  private static let delayLimit = 10.0

  /// A count that libpq's callback raises. The thread of the stream calls it.
  private final class Warnings {
    var count = 0
  }

  /// Returns whether the server has warned since the last call, such as that there is no publication.
  func takeWarning() -> Bool {
    defer { warnings.count = 0 }
    return warnings.count > 0
  }

  /// Waits for the answer to a command.
  ///
  /// - Parameter limit: how long, in seconds; nil for no limit. The server makes a slot once all transactions have
  ///   ended that are writing now, however long they take. No answer to any other command tells of a stopped server.
  private func answer(
    to command: String, within limit: Double?, _ isNeeded: () -> Bool, _ onDelay: (PostgresError) -> Void
  ) throws -> OpaquePointer {
    guard PQsendQuery(handle, command) == 1 else { throw lost() }
    let begun = DispatchTime.now()
    var isDelayTold = false
    while PQisBusy(handle) == 1 {
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      let isReady = poll(&descriptor, 1, Self.waitingInterval) > 0
      if isReady || PostgresConnection.isEncrypted(handle), PQconsumeInput(handle) != 1 { throw lost() }
      guard isNeeded() else {
        // Otherwise the server would go on waiting for other transactions.
        _ = PQgetCancel(handle).map(PostgresConnection.Cancellation.init)?.request(within: PostgresConnection.silence)
        throw PostgresError(cause: .connectionLost, message: "nobody observes any more", purpose: Self.purpose)
      }
      // Not if the answer has come meanwhile: the process itself may have been stopped.
      if let limit, DispatchTime.now() > begun + limit, PQisBusy(handle) == 1 {
        throw PostgresError(
          cause: .connectionLost, message: "the server has said nothing for \(limit) seconds", purpose: Self.purpose)
      }
      if !isDelayTold, DispatchTime.now() > begun + Self.delayLimit {
        isDelayTold = true
        onDelay(
          PostgresError(
            cause: .other,
            message: """
              the stream of commits has not begun after \(Int(Self.delayLimit)) seconds: a transaction of somebody that writes has been \
              open for longer (pg_stat_activity.xact_start); until it ends, subscribers hear of the commits of this workspace alone
              """, purpose: Self.purpose))
      }
    }
    guard let result = PQgetResult(handle) else { throw lost() }
    // The last result is followed by nil, except while a stream goes on.
    if PQresultStatus(result) != PGRES_COPY_BOTH {
      while let next = PQgetResult(handle) { PQclear(next) }
    }
    return result
  }

  private func execute(
    _ command: String, expecting status: ExecStatusType, within limit: Double?, _ isNeeded: () -> Bool,
    _ onDelay: (PostgresError) -> Void
  ) throws {
    let result = try answer(to: command, within: limit, isNeeded, onDelay)
    defer { PQclear(result) }
    guard PQresultStatus(result) != status else { return }
    let state = PostgresConnection.text(PQresultErrorField(result, Int32(UInt8(ascii: "C"))))
    let message = PostgresConnection.text(PQresultErrorMessage(result))
    switch state {
    // object_not_in_prerequisite_state, configuration_limit_exceeded
    case "55000", "53400":
      throw PostgresError(
        cause: .missingSetting, sqlState: state,
        message: message + "; set wal_level = logical, and enough max_replication_slots and max_wal_senders",
        purpose: Self.purpose)
    case "42501":
      throw PostgresError(
        cause: .missingPermission, sqlState: state,
        message: message + "; grant it with ALTER ROLE ... REPLICATION", purpose: Self.purpose)
    default: throw PostgresError(sqlState: state, message: message, purpose: Self.purpose)
    }
  }

  /// Returns why the server has ended the stream, or that the connection is gone.
  private func ended() -> PostgresError {
    guard let result = PQgetResult(handle) else { return lost() }
    defer { PQclear(result) }
    let state = PostgresConnection.text(PQresultErrorField(result, Int32(UInt8(ascii: "C"))))
    guard !state.isEmpty else { return lost() }
    return PostgresError(
      sqlState: state, message: PostgresConnection.text(PQresultErrorMessage(result)), purpose: Self.purpose)
  }

  private func lost() -> PostgresError {
    PostgresError(
      cause: .connectionLost, message: PostgresConnection.text(PQerrorMessage(handle)), purpose: Self.purpose)
  }

  // MARK: Receiving

  enum Event {
    case message(LogicalMessage)
    /// The server has sent everything up to this position of its log.
    case position(UInt64, isAnswerWanted: Bool)
  }

  /// Returns the next event; nil if none has come in this time.
  func next(within milliseconds: Int32) throws -> Event? {
    var hasWaited = false
    while true {
      var buffer: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(handle, &buffer, 1)
      if count > 0, let buffer {
        defer { PQfreemem(buffer) }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: Int(count))
        if let event = try event(Array(bytes)[...]) { return event }
        continue
      }
      guard count == 0 else { throw ended() }
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      // Once only: threads that wait for a position are noticed between two calls.
      if poll(&descriptor, 1, hasWaited ? 0 : milliseconds) <= 0 {
        // An encrypted connection may have bytes that `poll` does not see: see `PostgresConnection.recordPause`.
        if hasWaited || !PostgresConnection.isEncrypted(handle) { return nil }
        hasWaited = true
      }
      guard PQconsumeInput(handle) == 1 else { throw lost() }
    }
  }

  private func event(_ bytes: ArraySlice<UInt8>) throws -> Event? {
    var reader = MessageReader(bytes)
    switch reader.byte().map({ Character(UnicodeScalar($0)) }) {
    case "w"?:
      // Data of the log, after two positions and a time.
      guard reader.skip(24), let message = LogicalMessage(reader.remainder) else { throw unreadable }
      return .message(message)
    case "k"?:
      guard let position = reader.integer(UInt64.self), reader.skip(8), let isAnswerWanted = reader.byte() else {
        throw unreadable
      }
      return .position(position, isAnswerWanted: isAnswerWanted == 1)
    default: return nil
    }
  }

  private var unreadable: PostgresError {
    PostgresError(cause: .other, message: "the server has sent what is no message of pgoutput", purpose: Self.purpose)
  }

  // MARK: Answering

  /// Tells the server that its log has been received up to `position`.
  ///
  /// - Parameter asksForPosition: whether the server is to say at once how far it has sent its log.
  func report(_ position: UInt64, asksForPosition: Bool) throws {
    var message: [UInt8] = [UInt8(ascii: "r")]
    for _ in 0..<3 { withUnsafeBytes(of: position.bigEndian) { message.append(contentsOf: $0) } }
    // The time, which the server ignores.
    message.append(contentsOf: [UInt8](repeating: 0, count: 8))
    message.append(asksForPosition ? 1 : 0)
    let isSent = message.withUnsafeBytes { bytes in
      PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard isSent == 1, PQflush(handle) >= 0 else { throw lost() }
  }
}

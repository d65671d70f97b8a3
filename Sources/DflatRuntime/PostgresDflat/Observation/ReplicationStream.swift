import CPostgres
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A connection on which the server sends every commit of the tables of a publication, in their order.
/// https://www.postgresql.org/docs/current/protocol-replication.html
final class ReplicationStream {
  private let handle: OpaquePointer

  /// The schema whose tables are observed: that in which the connection's role makes tables.
  private(set) var schema = "public"

  /// The publication with the observed tables of a schema.
  static func publication(of schema: String) -> String { PostgresName.shortened("dflat_\(schema)") }

  /// Begins a stream of what is committed from now on.
  ///
  /// - Throws: `PostgresError`, with the cause `.missingSetting` or `.missingPermission` if the server is not set up for it.
  init(_ options: PostgresOptions) throws {
    let keywords: [String] = ["connect_timeout", "fallback_application_name", "dbname", "replication"]
    let values = ["\(max(2, options.connectTimeout))", "dflat observation", options.connection, "database"]
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
      throw PostgresError(cause: .init(connectionFailure: message), message: message, purpose: Self.purpose)
    }
    try readSchema()
    let name = "dflat_\(UUID().uuidString.filter { $0 != "-" }.lowercased())"
    // The server removes a temporary slot when the connection ends, and so keeps no log for who is gone.
    try execute(
      "CREATE_REPLICATION_SLOT \(name) TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT", expecting: PGRES_TUPLES_OK)
    // A list of names, in a literal.
    let publications = PostgresName.literal(PostgresName.quoted(Self.publication(of: schema)))
    try execute(
      "START_REPLICATION SLOT \(name) LOGICAL 0/0 (proto_version '1', publication_names \(publications))",
      expecting: PGRES_COPY_BOTH)
  }

  deinit { PQfinish(handle) }

  private static let purpose = "Observing the database"

  private func readSchema() throws {
    guard let result = PQexec(handle, "SELECT current_schema()") else { throw lost() }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw lost() }
    if PQgetisnull(result, 0, 0) == 0 { schema = PostgresConnection.text(PQgetvalue(result, 0, 0)) }
  }

  private func execute(_ command: String, expecting status: ExecStatusType) throws {
    guard let result = PQexec(handle, command) else { throw lost() }
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

  /// Why the server has ended the stream, or the connection is gone.
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

  /// The next event; nil if none has come in this time.
  func next(within milliseconds: Int32) throws -> Event? {
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
      if poll(&descriptor, 1, milliseconds) <= 0 { return nil }
      guard PQconsumeInput(handle) == 1 else { throw lost() }
    }
  }

  private func event(_ bytes: ArraySlice<UInt8>) throws -> Event? {
    var reader = MessageReader(bytes)
    switch reader.byte().map({ Character(UnicodeScalar($0)) }) {
    case "w"?:
      // Data of the log, behind two positions and a time.
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

  /// Tells the server how far its log has been taken.
  ///
  /// - Parameter asksForPosition: whether the server is to say at once how far it has sent its log.
  func report(_ position: UInt64, asksForPosition: Bool) throws {
    var message: [UInt8] = [UInt8(ascii: "r")]
    for _ in 0..<3 { withUnsafeBytes(of: position.bigEndian) { message.append(contentsOf: $0) } }
    // The time, which nobody looks at.
    message.append(contentsOf: [UInt8](repeating: 0, count: 8))
    message.append(asksForPosition ? 1 : 0)
    let isSent = message.withUnsafeBytes { bytes in
      PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
    }
    guard isSent == 1, PQflush(handle) >= 0 else { throw lost() }
  }
}

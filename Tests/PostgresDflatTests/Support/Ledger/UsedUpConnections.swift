import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// Sessions that use up all connections of a server. Each is a socket that has said who it is and then says nothing.
final class UsedUpConnections {
  /// The application name of the sessions.
  static let name = "used up"
  private let path: String
  private let startup: [UInt8]
  private var sockets: [Int32] = []

  init(_ server: PostgresServer, _ database: String) {
    path = server.socketFolder + "/.s.PGSQL.5432"
    // The version of the protocol, 3.0, and pairs of names and values.
    let settings = ["user", server.user, "database", database, "application_name", Self.name]
    startup = Self.message(nil, [0, 3, 0, 0] + settings.flatMap { Array($0.utf8) + [0] } + [0])
  }

  deinit { close() }

  /// A message of the frontend: its type, its length with the four bytes of the length, and its content.
  private static func message(_ type: Character?, _ content: [UInt8]) -> [UInt8] {
    let length = withUnsafeBytes(of: UInt32(content.count + 4).bigEndian) { Array($0) }
    return ((type?.asciiValue).map { [$0] } ?? []) + length + content
  }

  /// Opens sessions until the server refuses one.
  ///
  /// - Throws: when there is no server.
  func fill() throws {
    // More than a server of the ledger allows.
    while sockets.count < 1_000 {
      let socket = try CuttingProxy.socket(at: path) { connect($2, $0, $1) == 0 }
      // A server that does not answer keeps nobody waiting.
      var timeout = timeval(tv_sec: 5, tv_usec: 0)
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
      send(socket, startup)
      var answer: UInt8 = 0
      // A session has its slot before the server asks for a password, or for none. An error begins with E.
      guard read(socket, &answer, 1) == 1, answer == UInt8(ascii: "R") else {
        _ = Glibc.close(socket)
        return
      }
      sockets.append(socket)
    }
  }

  /// Has one of the sessions run a statement, and does not wait for the answer.
  func run(_ sql: String) {
    if let socket = sockets.last { send(socket, Self.message("Q", Array(sql.utf8) + [0])) }
  }

  private func send(_ socket: Int32, _ bytes: [UInt8]) {
    // A session that the server has ended is as good as one that is refused.
    _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func close() {
    for socket in sockets {
      // A process that was started meanwhile may have inherited the socket, and would keep the session.
      _ = shutdown(socket, Int32(SHUT_RDWR))
      _ = Glibc.close(socket)
    }
    sockets = []
  }
}
